"""One file on its way between a Lustre folder and its bucket: what the node and the bucket tell of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

HSM_STATE = ("lfs", "hsm_state")
"""Followed by a path. Prints ``PATH: (0x0000000d) released exists archived, archive_id:1``; *released* means
that the data is in S3 alone, *archived* that it is there too (Lustre Operations Manual, HSM)."""

DONE, BROKEN, UNKNOWN = "done", "broken", "unknown"
_STATE = re.compile(r": \(0x[0-9a-f]{8}\)(?P<words>[a-z_ ]*)")


@dataclass(frozen=True)
class Leg:
    """One direction: ``in`` (S3 to Lustre) or ``out``; ``state`` is done, broken or unknown.

    ``seconds`` is how long it took, or how long was waited; ``note`` is worth knowing and decides nothing.
    """

    direction: str
    state: str
    text: str
    seconds: float = 0.0
    note: str = ""


def hsm_words(text: str) -> tuple[str, ...]:
    """The words of ``lfs hsm_state``'s answer; none where it is no such answer."""
    match = _STATE.search(text)
    return () if match is None else tuple(match.group("words").split())


def leg_in(row: object, *, sha256: str) -> Leg:
    """The way in, from the node's row: the file showed, and what was read from it is what was put into S3."""
    if not isinstance(row, dict):
        return Leg("in", UNKNOWN, "the node's answer has nothing about it")
    seconds = _seconds(row)
    if row.get("problem"):
        return Leg("in", UNKNOWN, str(row["problem"])[:200], seconds)
    if row.get("appeared") is not True:
        return Leg("in", BROKEN, f"an object did not show as a file within {seconds:.0f} s", seconds)
    if row.get("sha256") != sha256 or not sha256:
        return Leg("in", BROKEN, "what was read from the file is not what was put into S3", seconds)
    before = hsm_words(str(row.get("state_before", "")))
    note = "" if "released" in before else f"before it was read its state was {' '.join(before) or 'unknown'}"
    return Leg("in", DONE, f"an object showed as a file after {seconds:.0f} s and was loaded", seconds, note)


def written(row: object) -> tuple[str, str]:
    """(SHA-256 of what the node wrote, why there is none)."""
    if not isinstance(row, dict):
        return "", "the node's answer has nothing about it"
    digest, problem = row.get("sha256"), row.get("problem")
    if problem or not isinstance(digest, str) or len(digest) != 64:
        return "", str(problem or "the node does not tell what it wrote")[:200]
    return digest, ""


def leg_out(*, found_sha256: str | None, sha256: str, seconds: float) -> Leg:
    """The way out: ``found_sha256`` is of the object in S3, None where none showed within ``seconds``."""
    if found_sha256 is None:
        return Leg("out", BROKEN, f"a file did not reach the bucket within {seconds:.0f} s", seconds)
    if found_sha256 != sha256:
        return Leg("out", BROKEN, "what reached the bucket is not what was written to the file", seconds)
    return Leg("out", DONE, f"a file reached the bucket after {seconds:.0f} s", seconds)


def _seconds(row: Mapping[str, object]) -> float:
    value = row.get("seconds")
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
