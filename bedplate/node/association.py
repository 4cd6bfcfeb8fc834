"""``association``: one file each way between folders of Lustre and the buckets they are tied to.

The controller has put ``in.bin`` into S3 already; this node waits for it, reads it, and writes ``out.bin``.
``--settings`` is base64 of ``{"run_id", "action": "trip" or "clean", "seconds", "places": [{"folder", "in":
bool, "out": bool}]}``. Everything lies in ``FOLDER/.bedplate-validation/RUN``, which ``clean`` removes.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import contextlib
import hashlib
import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional

from bedplate.diagnosis.association_legs import HSM_STATE, hsm_words
from bedplate.node.identity import node_root
from bedplate.node.places import extended_path
from bedplate.node.process import STOP, Limits, run_tool

HELP = "one file each way between folders of Lustre and their buckets"
OWN_FOLDER = ".bedplate-validation"
IN, OUT = "in.bin", "out.bin"
SIZE_BYTES = 64 * 1024
_HSM_SECONDS = 20.0
_PAUSE_SECONDS = 2.0
_RUN_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$")


class AssociationSettingsError(ValueError):
    """The settings cannot be read, or name no folder."""


def encode_settings(*, run_id: str, action: str, seconds: float, places: List[Dict[str, Any]]) -> str:
    """As ``--settings`` takes them."""
    data = {"run_id": run_id, "action": action, "seconds": seconds, "places": places}
    return base64.urlsafe_b64encode(json.dumps(data).encode("utf-8")).decode("ascii")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The settings."""
    parser.add_argument("--settings", required=True, help="base64 of the settings as JSON")


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """``{"places": [{"folder", "in", "out"}]}`` of a trip, ``{"places": [{"folder", "removed"}]}`` of a
    clean.
    """
    settings = _decode(arguments.settings)
    if settings["action"] == "clean":
        return {"places": [_clean(place["folder"], settings["run_id"]) for place in settings["places"]]}
    until = time.monotonic() + float(settings["seconds"])
    # What goes out is written first, so that it travels while the way in is waited for.
    rows: List[Dict[str, Any]] = [
        {"folder": place["folder"], "out": _send(place, settings["run_id"])} for place in settings["places"]
    ]
    for position, place in enumerate(settings["places"]):
        wanted = place.get("in")
        rows[position]["in"] = _take(place, settings["run_id"], until) if wanted else None
    return {"places": rows}


def _send(place: Mapping[str, Any], run_id: str) -> Optional[Dict[str, Any]]:
    if not place.get("out"):
        return None
    path = _own(place["folder"], run_id) / OUT
    content = os.urandom(SIZE_BYTES)
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return {"problem": f"it cannot be written: {error}", "sha256": "", "state": ""}
    return {"problem": "", "sha256": hashlib.sha256(content).hexdigest(), "state": _hsm_state(path)}


def _take(place: Mapping[str, Any], run_id: str, until: float) -> Dict[str, Any]:
    """Wait for the file, ask for its state, and read it."""
    path = _own(place["folder"], run_id) / IN
    begun = time.monotonic()
    state, there = _wait(lambda: _hsm_state(path), path, until)
    row: Dict[str, Any] = {
        "appeared": there,
        "seconds": round(time.monotonic() - begun, 2),
        "state_before": state,
        "problem": "it was told to end" if STOP.is_set() else "",
    }
    if not there:
        return row
    try:
        row["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        row["problem"] = f"it cannot be read: {error}"
    row["state_after"] = _hsm_state(path)
    return row


def _wait(ask: Callable[[], str], path: Path, until: float) -> "tuple[str, bool]":
    while True:
        state = ask()
        if path.exists():
            return (state if hsm_words(state) else ask()), True
        left = until - time.monotonic()
        if left <= 0 or STOP.is_set():
            return state, False
        time.sleep(min(_PAUSE_SECONDS, left))


def _hsm_state(path: Path) -> str:
    argv = (*HSM_STATE, str(path))
    ran = run_tool(argv=argv, limits=Limits(_HSM_SECONDS), environment={"PATH": extended_path()})
    return ran.stdout.strip()[-200:] if ran.rc == 0 else ""


def _clean(folder: str, run_id: str) -> Dict[str, Any]:
    own = _own(folder, run_id)
    shutil.rmtree(own, ignore_errors=True)
    removed = not os.path.lexists(own)
    # Another run's files may be in it, or it is not there.
    with contextlib.suppress(OSError):
        own.parent.rmdir()
    return {"folder": folder, "removed": removed}


def _own(folder: str, run_id: str) -> Path:
    return Path(node_root() + folder) / OWN_FOLDER / run_id


def _decode(text: str) -> Dict[str, Any]:
    try:
        data = json.loads(base64.urlsafe_b64decode(text.encode("ascii")))
        if not _RUN_ID.match(data["run_id"]) or data["action"] not in ("trip", "clean"):
            raise ValueError("no run, or no action that is known")
        if not data["places"] or any(not place["folder"].startswith("/") for place in data["places"]):
            raise ValueError("no absolute folder")
        float(data["seconds"])
    except (binascii.Error, ValueError, TypeError, KeyError) as error:
        raise AssociationSettingsError(f"--settings cannot be read: {error}") from error
    settings: Dict[str, Any] = data
    return settings
