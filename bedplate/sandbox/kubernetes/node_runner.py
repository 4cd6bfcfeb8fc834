"""Runs a container on a simulated node, its mounts played: SIMULATED, by other paths in its command.

There are no namespaces and no images here. Where a command names a path at which its container has a
ConfigMap, the host's root or its termination log, it gets the path at which that lies on this machine; and
``chroot`` is a program that goes to the host's folder, with the host's programs.
"""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bedplate.sandbox.kubernetes.runner import Host, ProcessRunner, Run
from bedplate.sandbox.kubernetes.store import Object, Store

_TOLD = "/dev/termination-log"
_CHROOT = """\
#!/bin/sh
cd "$1" || exit 125
shift
export PATH='{path}' HOME='{home}'
exec "$@"
"""


class NotMounted(Exception):
    """A volume that cannot be played."""


class NodeRunner:
    """``host_of`` gives the host of a node by its name; ConfigMaps come from the store."""

    def __init__(self, store: Store, host_of: Callable[[str], Host]) -> None:
        self._store = store
        self._host_of = host_of

    def __call__(self, run: Run) -> int:
        """Start, follow and end the container's process. Raises ``NotMounted``."""
        host = self._host_of(run.node)
        with tempfile.TemporaryDirectory(prefix="bedplate-pod-") as name:
            folder = Path(name)
            told = folder / "termination-log"
            places = {_TOLD: str(told), **self._mounts(run.pod, run.container, host, folder)}
            command = [_moved(word, places) for word in run.container.get("command") or ()]
            arguments = [_moved(word, places) for word in run.container.get("args") or ()]
            moved = replace(
                run,
                container={**run.container, "command": command, "args": arguments},
                environment={**run.environment, "PATH": _path(folder, host, run.environment)},
            )
            try:
                return ProcessRunner(lambda _node: host)(moved)
            finally:
                if told.is_file():
                    run.say(told.read_bytes())

    def _mounts(self, pod: Object, container: Mapping[str, Any], host: Host, folder: Path) -> dict[str, str]:
        """Path in the container → path on this machine."""
        volumes = {one["name"]: one for one in pod["spec"].get("volumes") or ()}
        found: dict[str, str] = {}
        for mount in container.get("volumeMounts") or ():
            volume = volumes[mount["name"]]
            if "hostPath" in volume:
                inside = host.folder / str(volume["hostPath"]["path"]).lstrip("/")
                found[mount["mountPath"]] = str(inside)
                if volume["hostPath"]["path"] == "/":
                    # Behind chroot, where the host's own programs are.
                    found["/usr/bin/python3"] = "python3"
            elif "configMap" in volume:
                place = folder / "volumes" / mount["name"]
                self._write(pod["metadata"]["namespace"], volume["configMap"]["name"], place)
                found[mount["mountPath"]] = str(place)
            elif "emptyDir" in volume:
                place = folder / "volumes" / mount["name"]
                place.mkdir(parents=True, exist_ok=True)
                found[mount["mountPath"]] = str(place)
            else:
                raise NotMounted(f"the sandbox does not play the volume {mount['name']}: {sorted(volume)}")
        return found

    def _write(self, namespace: str, name: str, place: Path) -> None:
        kind = self._store.kind("", "v1", "configmaps")
        assert kind is not None
        found = self._store.get(kind, namespace, name)
        place.mkdir(parents=True, exist_ok=True)
        for key, text in (found.get("data") or {}).items():
            (place / key).write_text(text, encoding="utf-8")
        for key, coded in (found.get("binaryData") or {}).items():
            (place / key).write_bytes(base64.b64decode(coded))


def _moved(word: str, places: Mapping[str, str]) -> str:
    """``word`` with the paths of this machine, where it names one of the container's as a whole."""
    longest_first = sorted(places, key=len, reverse=True)
    pattern = r"(?<![\w/.-])(" + "|".join(map(re.escape, longest_first)) + r")(?=[/\s;\"']|$)"
    return re.sub(pattern, lambda match: places[match[1]], word)


def _path(folder: Path, host: Host, environment: Mapping[str, str]) -> str:
    """With the ``chroot`` of ours before all others."""
    programs = folder / "bin"
    programs.mkdir()
    script = _CHROOT.format(path=host.environment.get("PATH", ""), home=host.environment.get("HOME", "/"))
    (programs / "chroot").write_text(script, encoding="utf-8")
    (programs / "chroot").chmod(0o755)
    return f"{programs}:{environment.get('PATH') or host.environment.get('PATH', '')}"
