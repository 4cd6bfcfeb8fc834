"""Versions of AWS ParallelCluster that are known to be bad for what is built here, and why.

Why ``version`` of the environment file takes so few: a test holds those that it takes against this list, and
docs/parallelcluster.md shows it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class KnownBadVersions:
    """Every version from ``oldest`` to ``newest``, both included, as far as ``source`` tells."""

    oldest: str
    newest: str
    what: str
    source: str


KNOWN_BAD = (
    KnownBadVersions(
        oldest="3.8.0",
        newest="3.15.1",
        what="a static node in a maintenance reservation that is replaced is ended and launched again and "
        "again; the gate holds new nodes by such reservations",
        source="aws/aws-parallelcluster issues 7465 and 7470; aws/aws-parallelcluster-node PR 728",
    ),
    KnownBadVersions(
        oldest="3.9.1",
        newest="3.13.1",
        what="no update of a cluster succeeds once a Capacity Reservation that it names has expired",
        source="aws/aws-parallelcluster PR 6884 (CHANGELOG of 3.13.2) and 6879 (3.9.1)",
    ),
    KnownBadVersions(
        oldest="3.11.0",
        newest="3.11.1",
        what="on Amazon Linux 2023 GPU nodes never join: the fabric manager exceeds its time",
        source="aws/aws-parallelcluster issue 6571",
    ),
    KnownBadVersions(
        oldest="3.0.0",
        newest="3.7.2",
        what="on P4 and P5 a newer kernel stops EFA from reaching the GPUs' memory",
        source="aws/aws-parallelcluster issue 6015",
    ),
)
"""The newest first. A fault of which no source tells the last version is not in it."""


def known_bad(version: str) -> tuple[KnownBadVersions, ...]:
    """The rows that a version, such as 3.16.1, falls into."""
    key = _key(version)
    return tuple(row for row in KNOWN_BAD if _key(row.oldest) <= key <= _key(row.newest))


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
