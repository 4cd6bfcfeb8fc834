"""The list of users as the deploy writes it into the result bucket, and as nodes read it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Tuple

LIST_VERSION = 1
LOWEST_UID, HIGHEST_UID = 2000, 59_999
"""Below are the image's own users and those that programs make; from 60000 on are systemd's ranges and nobody
(systemd's "Users, Groups, UIDs and GIDs on systemd Systems").
"""
_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,30}")
_HOMES = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")


class ListRefusedError(ValueError):
    """The text is no list that users can be made by."""


@dataclass(frozen=True)
class ListedUser:
    """One person: the name, and the id of user and group, which is the same on every node."""

    name: str
    uid: int


@dataclass(frozen=True)
class UserList:
    """Everybody, and the folder that holds their homes. ``homes`` is absolute, with no slash at its end."""

    homes: str
    users: Tuple[ListedUser, ...]

    def __post_init__(self) -> None:
        """Refuse what a node must not act upon."""
        if not isinstance(self.homes, str) or not _HOMES.fullmatch(self.homes):
            raise ListRefusedError(f"homes is {self.homes!r}; an absolute path is allowed")
        for user in self.users:
            if not isinstance(user.name, str) or not _NAME.fullmatch(user.name):
                raise ListRefusedError(f"{user.name!r} is no name of a user")
            if type(user.uid) is not int or not LOWEST_UID <= user.uid <= HIGHEST_UID:
                raise ListRefusedError(
                    f"{user.name}: uid {user.uid!r}; {LOWEST_UID} to {HIGHEST_UID} is allowed"
                )
        for field in ("name", "uid"):
            if len({getattr(user, field) for user in self.users}) != len(self.users):
                raise ListRefusedError(f"two users have one {field}")

    def home_of(self, user: ListedUser) -> str:
        """The user's home on a node."""
        return f"{self.homes}/{user.name}"

    def to_json(self) -> str:
        """One line of ASCII; the same list gives the same text."""
        return json.dumps({"version": LIST_VERSION, **asdict(self)}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> UserList:
        """The inverse of ``to_json``. Raises ``ListRefusedError`` for anything but a whole list."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ListRefusedError(f"the list is no JSON: {error}") from error
        if not isinstance(data, dict) or set(data) != {"version", "homes", "users"}:
            raise ListRefusedError("the list is no object of version, homes and users")
        if type(data["version"]) is not int or data["version"] != LIST_VERSION:
            raise ListRefusedError(
                f"a list of version {data['version']!r}, this program reads {LIST_VERSION}"
            )
        if not isinstance(data["users"], list):
            raise ListRefusedError("users is no list")
        return cls(data["homes"], tuple(_user(entry) for entry in data["users"]))


def list_key(environment: str) -> str:
    """The list's key in the result bucket: it stays when the list changes, and so do the nodes."""
    return f"users/{environment}.json"


def _user(entry: Any) -> ListedUser:
    if not isinstance(entry, dict) or set(entry) != {"name", "uid"}:
        raise ListRefusedError(f"{str(entry)[:80]} is no object of name and uid")
    return ListedUser(entry["name"], entry["uid"])
