"""``make-homes``: a home for each user that has none, in a process of its own, since it may hang.

The folder is as a rule on a file system that every node mounts, and all nodes make homes at the same time. So
each makes its own under another name, whole and with its owner, and gives it the name in one step: nobody
sees half a home, and whoever comes second throws its own away. What is there already is left as it is.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import shutil
import stat
import sys
from pathlib import Path
from typing import List, Optional

HELP = "make a home for each user that has none; called by make-users"
_MODE = 0o700


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where, from what, by whom and for whom."""
    parser.add_argument("--folder", required=True, help="what holds the homes")
    parser.add_argument("--skeleton", required=True, help="what a new home begins with, such as /etc/skel")
    parser.add_argument("--node", required=True, help="a word that no other node has")
    parser.add_argument("users", nargs="*", metavar="NAME:UID")


def main(arguments: argparse.Namespace) -> int:
    """Print a line for each home that was made; 1 where one could not be."""
    folder, skeleton = Path(arguments.folder), Path(arguments.skeleton)
    os.umask(0o022)
    problems: List[str] = []
    # In another order on each node: a new cluster's nodes would else all make the same home at one moment.
    users = sorted(arguments.users)
    random.Random(arguments.node).shuffle(users)  # noqa: S311 - nothing here is secret
    for entry in users:
        name, _, uid = entry.partition(":")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if make_home(folder / name, uid=int(uid), skeleton=skeleton, node=arguments.node):
                print(folder / name)
        except OSError as error:
            problems.append(f"{folder / name}: {error.strerror or error}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def make_home(home: Path, *, uid: int, skeleton: Path, node: str) -> bool:
    """Make one where there is none; says whether it did. Raises ``OSError`` with what is in the way."""
    # An ordinary user plays a simulated node, and cannot give files away. On a node without root there would
    # be no such user in the first place: useradd comes before.
    gives = os.geteuid() == 0
    try:
        there = home.lstat()
    except FileNotFoundError:
        pass
    else:
        if not stat.S_ISDIR(there.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "is there and is no folder")
        if gives and there.st_uid != uid:
            raise PermissionError(
                errno.EPERM, f"belongs to uid {there.st_uid}, not to {uid}: give it to its user, or move it"
            )
        return False
    partial = home.with_name(f".{home.name}.{node}.bedplate")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        _fill(partial, skeleton, uid if gives else None)
        partial.rename(home)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            return False
        raise
    return True


def _fill(partial: Path, skeleton: Path, owner: Optional[int]) -> None:
    if skeleton.is_dir():
        shutil.copytree(skeleton, partial, symlinks=True)
    else:
        partial.mkdir(mode=_MODE)
    partial.chmod(_MODE)
    if owner is None:
        return
    for folder, folders, files in os.walk(partial):
        for name in (*folders, *files):
            os.chown(Path(folder) / name, owner, owner, follow_symlinks=False)
    os.chown(partial, owner, owner)
