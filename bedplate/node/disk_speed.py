"""``disk-speed``: write and read back a bounded amount in a folder of its own, and leave nothing behind.

The folder is ``PLACE/.bedplate/validation/RUN/INSTANCE``. What an earlier run of this very instance left (it
was killed, or the server was away) is removed first; folders of other instances are never touched, since
they may be at work. ``bedplate.diagnosis.parsers.disk_speed`` reads the answer, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any, Dict, List

from bedplate.node import direct_io
from bedplate.node.identity import instance_id, node_root
from bedplate.node.process import STOP

HELP = "write and read back a bounded amount on one file system, past the page cache"
SCHEMA = 1
FREE_SHARE = 20
"""At most one part in so many of what is free is written, by all nodes together."""
_ATTEMPTS = 5
_RUN_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """As ``bedplate.diagnosis.storage_tools.disk_speed_argv`` gives them."""
    parser.add_argument("--place", required=True, help="a mount point")
    parser.add_argument("--run", required=True, help="the run's id, which names the folder")
    parser.add_argument("--files", type=int, required=True, help="files, each by a thread of its own")
    parser.add_argument("--mib", type=int, required=True, help="MiB in all")
    parser.add_argument("--seconds", type=float, required=True, help="the longest for each direction")
    parser.add_argument("--nodes", type=int, default=1, help="how many do the same on it at once")


def main(arguments: argparse.Namespace) -> int:
    """Print the answer. 0 says that there is one, not that it is well: the controller judges."""
    print(json.dumps(measure(arguments), sort_keys=True))
    return 0


def measure(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Both directions; whatever happens the folder is gone afterwards, or the answer says that it is not."""
    if not _RUN_ID.match(arguments.run):
        raise ValueError(f"--run is {arguments.run!r}; letters, digits and hyphens are allowed")
    place = Path(node_root() + arguments.place)
    folder = own_folder(place, arguments.run)
    answer: Dict[str, Any] = {
        "schema": SCHEMA,
        "place": arguments.place,
        "run": arguments.run,
        "direct": hasattr(os, "O_DIRECT"),
        "asked_bytes": arguments.mib * 1024 * 1024,
        "write": None,
        "read": None,
        "problem": "",
    }
    signal.signal(signal.SIGTERM, lambda *_: STOP.set())
    try:
        _measure(arguments, place, folder, answer)
    except OSError as error:
        answer["problem"] = f"{type(error).__name__}: {error}"
    finally:
        answer["removed"] = remove(place, folder)
    return answer


def _measure(arguments: argparse.Namespace, place: Path, folder: Path, answer: Dict[str, Any]) -> None:
    if not os.path.ismount(place):
        answer["problem"] = f"nothing is mounted at {arguments.place}"
        return
    space = os.statvfs(place)
    free = space.f_bavail * space.f_frsize
    wanted = answer["asked_bytes"] * max(arguments.nodes, 1)
    if free < wanted * FREE_SHARE:
        answer["problem"] = (
            f"{free / 1e9:.0f} GB are free; all nodes together write {wanted / 1e9:.0f} GB, and at most a"
            " twentieth of what is free is written"
        )
        return
    remove_earlier(place)
    blocks = answer["asked_bytes"] // arguments.files // direct_io.BLOCK_BYTES
    _make(folder)
    written = direct_io.write_files(
        folder=folder,
        files=arguments.files,
        blocks=blocks,
        seconds=arguments.seconds,
        stopped=STOP.is_set,
    )
    answer["write"] = {"bytes": written.bytes, "seconds": round(written.seconds, 4)}
    read = direct_io.read_files(
        folder=folder, files=arguments.files, seconds=arguments.seconds, stopped=STOP.is_set
    )
    answer["read"] = {
        "bytes": read.bytes,
        "seconds": round(read.seconds, 4),
        "wrong_blocks": read.wrong_blocks,
    }
    if STOP.is_set():
        answer["problem"] = "it was told to end"


def _make(folder: Path) -> None:
    """Make the folder; another instance that has just ended may remove what is empty above it meanwhile."""
    for attempt in range(_ATTEMPTS):
        try:
            folder.mkdir(mode=0o700, parents=True)
            return
        except FileNotFoundError:
            if attempt == _ATTEMPTS - 1:
                raise


def own_folder(place: Path, run: str) -> Path:
    """Where this run's files of this instance lie."""
    return _base(place) / run / instance_id()


def remove_earlier(place: Path) -> None:
    """Remove what earlier runs of this very instance left."""
    for folder in sorted(_base(place).glob(f"*/{instance_id()}")):
        remove(place, folder)


def remove(place: Path, folder: Path) -> bool:
    """Remove a folder, and what becomes empty above it; whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    gone = not os.path.lexists(folder)
    above: List[Path] = [folder.parent, _base(place)]
    for each in above:
        try:
            each.rmdir()
        except OSError:
            break
    return gone


def _base(place: Path) -> Path:
    return place / ".bedplate" / "validation"
