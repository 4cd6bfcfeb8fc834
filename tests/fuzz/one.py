"""Fuzz one target: ``python -m tests.fuzz.one NAME CORPUS [libFuzzer options]``."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["bedplate.diagnosis"]):
    from tests.fuzz.targets import TARGETS, try_one


def main() -> None:
    """Write the seeds into the corpus and hand over to libFuzzer, which ends this process."""
    name, corpus = sys.argv[1], Path(sys.argv[2])
    for number, seed in enumerate(TARGETS[name].seeds):
        (corpus / f"seed-{number}").write_text(seed, encoding="utf-8")
    atheris.Setup([sys.argv[0], *sys.argv[2:]], lambda data: try_one(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
