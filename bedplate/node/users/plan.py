"""What groupadd, useradd and usermod are asked for, so that a node has the users of the list. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

from bedplate.node.users.found import Found, FoundUser
from bedplate.node.users.listed import ListedUser, UserList

MARK = "bedplate-users"
"""The group of the users that we made. useradd writes user and membership in one run, and only root can
change either: whoever is not in it is somebody else's, and is left as found."""
SHELL = "/bin/bash"
NO_SHELL = "/usr/sbin/nologin"
LONG_AGO = "1"
"""An account that expired on 2 January 1970 is one that we locked: no other program writes that date."""

Change = Tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """``changes`` in their order; ``problems`` are what nobody but a person can settle, a sentence each.
    ``refused`` are the listed users that the problems are about: they get no home either.
    """

    changes: Tuple[Change, ...]
    problems: Tuple[str, ...]
    refused: Tuple[str, ...]


def plan_of(*, wanted: UserList, found: Found) -> Plan:
    """Make who is missing, unlock who is back, lock who was taken off; never touch whom we did not make."""
    changes: List[Change] = []
    problems: List[str] = []
    refused: List[str] = []
    mark = found.groups.get(MARK)
    ours = mark.members if mark else frozenset()
    if mark is None and wanted.users:
        changes.append(("groupadd", "--system", MARK))
    for user in wanted.users:
        row = found.users.get(user.name)
        problem = _why_not_made(user, found) if row is None else _why_not_kept(user, row, user.name in ours)
        if problem:
            problems.append(problem)
            refused.append(user.name)
        elif row is None:
            changes += _made(user, wanted, found)
        else:
            changes += _kept(user, row, wanted)
    listed = {user.name for user in wanted.users}
    for name in sorted(ours - listed):
        gone = found.users.get(name)
        if gone is not None and gone.expires != LONG_AGO:
            changes.append(("usermod", "--expiredate", LONG_AGO, "--shell", NO_SHELL, name))
    return Plan(tuple(changes), tuple(problems), tuple(refused))


def _why_not_made(user: ListedUser, found: Found) -> str:
    for other in found.users.values():
        if other.uid == user.uid:
            return f"{user.name} cannot be made: uid {user.uid} is {other.name}'s here; give another uid"
    for group in found.groups.values():
        if (group.gid == user.uid) != (group.name == user.name):
            return (
                f"{user.name} cannot be made: its group {user.name} ({user.uid}) would clash with"
                f" {group.name} ({group.gid}) here; give another name or uid"
            )
    return ""


def _why_not_kept(user: ListedUser, row: FoundUser, ours: bool) -> str:
    if not ours:
        return (
            f"there is a user {user.name} (uid {row.uid}) that Bedplate did not make; give another name,"
            f" or take the image's {user.name} away"
        )
    if row.uid != user.uid:
        return (
            f"{user.name} has uid {row.uid} here and {user.uid} in the list; uids are fixed, since files"
            " belong to them: give the old one back, or launch the node anew"
        )
    return ""


def _made(user: ListedUser, wanted: UserList, found: Found) -> List[Change]:
    group: List[Change] = []
    if user.name not in found.groups:
        group = [("groupadd", "--gid", str(user.uid), user.name)]
    options = {
        "--uid": str(user.uid),
        "--gid": str(user.uid),
        "--groups": MARK,
        "--home-dir": wanted.home_of(user),
        "--shell": SHELL,
    }
    words = [word for option in options.items() for word in option]
    return [*group, ("useradd", "--no-create-home", *words, user.name)]


def _kept(user: ListedUser, row: FoundUser, wanted: UserList) -> List[Change]:
    words: List[str] = []
    if row.home != wanted.home_of(user):
        # Only where to look: what is in the old home stays there.
        words += ["--home", wanted.home_of(user)]
    if row.expires == LONG_AGO:
        words += ["--expiredate", ""]
        if row.shell == NO_SHELL:
            words += ["--shell", SHELL]
    return [("usermod", *words, user.name)] if words else []
