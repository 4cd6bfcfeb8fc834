"""The line by which Slurm loads Pyxis, in the one file that is ours to write."""

from __future__ import annotations

from typing import List, Optional, Tuple

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.pyxis import OURS, PLUGIN, RUNTIME
from bedplate.node.bootstrap.step import StepFailedError


def load_plugin(host: Host, path: str, plugin: str, *, image: bool) -> bool:
    """See to it that one Pyxis is loaded, by the file at ``path`` where no other one does; says whether that
    changed anything. ``image``: the plugin is the image's, and so is a line for it that is there.

    Raises ``StepFailedError`` where Slurm would load two, whose options are the same.
    """
    there = [*_elsewhere(host, path), *((path, each) for each in loads(host.read(path) or ""))]
    foreign = [(other, line) for other, line in there if not _is_ours(host, line)]
    if foreign and image:
        return False
    if foreign:
        other, line = foreign[0]
        raise StepFailedError(
            f"{other} loads another Pyxis already (`{line}`): take that line out of the image, or write "
            "`kind: image` to use it"
        )
    line = f"required {host.path(plugin)} runtime_path={RUNTIME}"
    return host.write(path, with_line(host.read(path) or "", line))


def with_line(text: str, line: str) -> str:
    """The file with this line for Pyxis, at its end where it had none; all else stays."""
    old = loads(text)
    if old == [line]:
        return text
    kept = [each for each in text.splitlines() if each.strip() not in old]
    return "\n".join([*kept, line]) + "\n"


def loads(text: str) -> List[str]:
    """The lines that load a Pyxis."""
    return [line.strip() for line in text.splitlines() if _plugin_of(line) is not None]


def _plugin_of(line: str) -> Optional[str]:
    """The path of the Pyxis that the line loads (spank(8)); None where it loads none."""
    words = line.split()
    if len(words) < 2 or words[0] not in ("required", "optional"):
        return None
    return words[1] if words[1].endswith(f"/{PLUGIN}") else None


def _is_ours(host: Host, line: str) -> bool:
    return (_plugin_of(line) or "").startswith(f"{host.path(OURS)}/")


def _elsewhere(host: Host, path: str) -> List[Tuple[str, str]]:
    """File and line of what is loaded beside ours: by files of the same folder, or of ``plugstack.conf.d``
    beside it.
    """
    parent = path.rpartition("/")[0]
    folder = parent if parent.endswith(".d") else f"{path}.d"
    files = [f"{folder}/{name}" for name in host.names(folder)]
    return [(file, line) for file in files if file != path for line in loads(host.read(file) or "")]
