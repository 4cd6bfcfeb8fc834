"""The node's own passwd, group and shadow, as groupadd, useradd and usermod change them.

Only the options that a bootstrap uses; the words of a refusal are shadow-utils' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bedplate.sandbox.fleet.tools.refusal import ToolRefused

FIRST_FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash\n",
    "etc/group": "root:x:0:\nubuntu:x:1000:\n",
    "etc/shadow": "root:*:20000:0:99999:7:::\nubuntu:!:20000:0:99999:7:::\n",
    "etc/login.defs": "UID_MIN\t\t\t 1000\nUID_MAX\t\t\t60000\nGID_MIN\t\t\t 1000\nGID_MAX\t\t\t60000\n",
    "etc/skel/.bashrc": "# ~/.bashrc\n",
}
"""What an image has before anybody is made, by its path from the root."""
_FLAGS = ("--system", "--no-create-home")
_SYSTEM_GIDS = range(999, 99, -1)
_USAGE, _NOT_UNIQUE, _NO_SUCH, _IN_USE = 2, 4, 6, 9


def write_first_files(root: Path) -> None:
    """Lay them out."""
    for name, text in FIRST_FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def change_users(root: Path, tool: str, arguments: Sequence[str]) -> None:
    """Do what the tool does with these arguments. Raises ``ToolRefused``."""
    options, name = _parse(tool, arguments)
    {"groupadd": _groupadd, "useradd": _useradd, "usermod": _usermod}[tool](root, options, name)


def _parse(tool: str, arguments: Sequence[str]) -> tuple[dict[str, str], str]:
    words, options = list(arguments), {}
    while len(words) > 1:
        word = words.pop(0)
        if not word.startswith("--"):
            break
        options[word] = "" if word in _FLAGS else words.pop(0)
    if len(words) != 1 or words[0].startswith("-"):
        raise ToolRefused(f"Usage: {tool} [options] NAME", _USAGE)
    return options, words[0]


def _groupadd(root: Path, options: dict[str, str], name: str) -> None:
    groups = _read(root / "etc/group")
    if any(row[0] == name for row in groups):
        raise ToolRefused(f"groupadd: group '{name}' already exists", _IN_USE)
    taken = {row[2] for row in groups}
    if options.get("--gid") in taken:
        raise ToolRefused(f"groupadd: GID '{options['--gid']}' already exists", _NOT_UNIQUE)
    gid = options.get("--gid") or next(str(each) for each in _SYSTEM_GIDS if str(each) not in taken)
    _write(root / "etc/group", [*groups, [name, "x", gid, ""]])


def _useradd(root: Path, options: dict[str, str], name: str) -> None:
    users, groups = _read(root / "etc/passwd"), _read(root / "etc/group")
    if any(row[0] == name for row in users):
        raise ToolRefused(f"useradd: user '{name}' already exists", _IN_USE)
    for asked, column in ((options["--gid"], 2), (options["--groups"], 0)):
        if not any(row[column] == asked for row in groups):
            raise ToolRefused(f"useradd: group '{asked}' does not exist", _NO_SUCH)
    if any(row[2] == options["--uid"] for row in users):
        raise ToolRefused(f"useradd: UID {options['--uid']} is not unique", _NOT_UNIQUE)
    for row in groups:
        if row[0] == options["--groups"]:
            row[3] = ",".join(filter(None, (*row[3].split(","), name)))
    row = [name, "x", options["--uid"], options["--gid"], "", options["--home-dir"], options["--shell"]]
    shadow = [name, "!", "20000", "0", "99999", "7", "", "", ""]
    _write(root / "etc/passwd", [*users, row])
    _write(root / "etc/group", groups)
    _write(root / "etc/shadow", [*_read(root / "etc/shadow"), shadow])


def _usermod(root: Path, options: dict[str, str], name: str) -> None:
    users, shadow = _read(root / "etc/passwd"), _read(root / "etc/shadow")
    if not any(row[0] == name for row in users):
        raise ToolRefused(f"usermod: user '{name}' does not exist", _NO_SUCH)
    for rows, column, option in ((users, 5, "--home"), (users, 6, "--shell"), (shadow, 7, "--expiredate")):
        for row in rows:
            if row[0] == name and option in options:
                row[column] = options[option]
    _write(root / "etc/passwd", users)
    _write(root / "etc/shadow", shadow)


def _read(path: Path) -> list[list[str]]:
    return [line.split(":") for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    path.write_text("".join(":".join(row) + "\n" for row in rows), encoding="utf-8")
