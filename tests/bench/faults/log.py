"""The scores of many runs as lines of JSON, packed where the file's name says so."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

from tests.bench.faults.score import Score


def read_log(path: Path) -> list[Score]:
    """The scores; a last line that a bench which was cut off did not come to write whole is none."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return [
        Score.from_json(json.loads(line)) for line in text.splitlines(keepends=True) if line.endswith("\n")
    ]


def write_log(path: Path, scores: Iterable[Score]) -> None:
    """All scores, packed; the same scores give the same file."""
    text = "".join(json.dumps(score.to_json()) + "\n" for score in scores)
    path.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))
