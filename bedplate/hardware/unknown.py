"""A name that is in no table, with the nearest one that is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UnknownName(LookupError):
    """No row has this name. ``nearest`` is the closest known name, ``known`` all of them, sorted."""

    what = "name"

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known: tuple[str, ...] = tuple(sorted(known))
        self.nearest = nearest_name(name, self.known)
        hint = f" Did you mean {self.nearest!r}?" if self.nearest else ""
        super().__init__(
            "{!r} is no known {}.{} Known: {}".format(name, self.what, hint, ", ".join(self.known))
        )


class UnknownInstanceType(UnknownName):
    """No such instance type in the hardware table."""

    what = "instance type"


class UnknownUltraServer(UnknownName):
    """No such UltraServer in the hardware table."""

    what = "UltraServer"


class UnknownCollective(UnknownName):
    """No such collective: names are those of the nccl-tests programs, e.g. ``all_reduce``."""

    what = "collective"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, ignoring case; ``None`` only if nothing is known."""
    candidates = sorted(known)
    if not candidates:
        return None
    wanted = name.strip().casefold()
    return max(candidates, key=lambda each: difflib.SequenceMatcher(None, wanted, each.casefold()).ratio())
