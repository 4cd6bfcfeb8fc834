"""Which job the domain on this node is for, so that no other job's epilog takes it away."""

from __future__ import annotations

import contextlib
import json
from typing import Optional

from bedplate.node.imex.places import MARK, on_node, write_whole


def marked_job() -> Optional[int]:
    """The job's number; None where there is no domain of ours."""
    try:
        number = json.loads(on_node(MARK).read_text(encoding="utf-8"))["job"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return number if isinstance(number, int) else None


def mark_job(number: int) -> None:
    """From now on the node's domain is this job's. Raises ``OSError``."""
    write_whole(on_node(MARK), json.dumps({"job": number}) + "\n")


def unmark() -> None:
    """The node has no domain of ours."""
    with contextlib.suppress(OSError):
        on_node(MARK).unlink()
