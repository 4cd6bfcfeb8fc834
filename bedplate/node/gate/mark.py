"""The mark that lets jobs onto a node: a file that holds good for one boot alone."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Optional

from bedplate.node.bootstrap.places import GATE_MARK
from bedplate.node.identity import boot_id, node_root

BY_PAIR, ALONE, BY_HAND = "pair", "alone", "hand"
HOWS = (BY_PAIR, ALONE, BY_HAND)


@dataclass(frozen=True)
class Mark:
    """``how`` it was opened: ``pair``, ``alone`` where there was nobody to pair with, or by ``hand``."""

    boot_id: str
    how: str
    told: str
    at: str


def read_mark() -> Optional[Mark]:
    """The mark of this boot; None where there is none, it is another boot's, or it cannot be read."""
    try:
        data = json.loads(_path().read_text(encoding="utf-8"))
        mark = Mark(**{name: str(data[name]) for name in ("boot_id", "how", "told", "at")})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return mark if mark.boot_id and mark.boot_id == boot_id() and mark.how in HOWS else None


def write_mark(*, how: str, told: str) -> Mark:
    """Open the gate of this boot."""
    mark = Mark(boot_id(), how, told, datetime.now(timezone.utc).isoformat(timespec="seconds"))
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.new")
    partial.write_text(json.dumps(asdict(mark)) + "\n", encoding="utf-8")
    partial.replace(path)
    return mark


def remove_mark() -> None:
    """Close it again."""
    with contextlib.suppress(FileNotFoundError):
        _path().unlink()


def _path() -> Path:
    return Path(node_root() + GATE_MARK)
