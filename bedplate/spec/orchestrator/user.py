"""A person who has an account of their own on every node."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictInt, StrictStr

from bedplate.spec.base import Section, about

USER_PATTERN = r"^[a-z_][a-z0-9_-]{0,30}$"
LOWEST_UID, HIGHEST_UID = 2000, 59_999
"""What nodes take (``bedplate.node.users.listed``); a test holds the two together."""


class User(Section):
    """A POSIX user with the same name and ids on every node, and a group of its own."""

    name: Annotated[
        StrictStr,
        about(
            "The POSIX name. Another name is another user, and the old one is locked.",
            update="in-place",
            examples=["alice"],
            pattern=USER_PATTERN,
            remedy="Use small letters, digits, - and _, a letter or _ first, at most 31 in all.",
        ),
    ]
    uid: Annotated[
        StrictInt,
        about(
            "The number that the user's files belong to, also the user's own group's; it stays for good.",
            update="not-possible",
            ge=LOWEST_UID,
            le=HIGHEST_UID,
            examples=[2001],
            remedy=f"Give a whole number from {LOWEST_UID} to {HIGHEST_UID}, above the image's own users.",
        ),
    ]
