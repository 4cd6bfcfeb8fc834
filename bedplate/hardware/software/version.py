"""Versions as vendors write them, compared by their numbers."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version in order: ``2.1.0amzn5.0`` is (2, 1, 0, 5, 0), ``570.172.08`` (570, 172, 8).

    An Amazon build is newer than the release that it is built from; letters do not count. Empty where there
    is no number.
    """
    return tuple(int(number) for number in _NUMBER.findall(version))


def at_least(version: str, least: str) -> bool:
    """Whether ``version`` is ``least`` or newer."""
    return version_key(version) >= version_key(least)


def begins_with(version: str, row: str) -> bool:
    """Whether ``version`` is the release ``row`` or a build of it: ``1.22.0amzn4.0`` is one of ``1.22.0``."""
    numbers = version_key(row)
    return version_key(version)[: len(numbers)] == numbers
