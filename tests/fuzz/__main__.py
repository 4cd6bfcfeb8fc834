"""``make fuzz``: coverage-guided fuzzing (atheris, libFuzzer) of every parser, so many seconds each.

Arbitrary bytes must give a record or a typed parse error: never a crash, never a pass. What is found is left
in ``build/fuzz/NAME/``, with the input that shows it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fuzz_one(name: str, *, seconds: int, folder: Path) -> int:
    """Fuzz one target in a process of its own, since libFuzzer ends it; 0 where nothing was found."""
    corpus = folder / name / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    argv = [
        sys.executable,
        "-m",
        "tests.fuzz.one",
        name,
        str(corpus),
        f"-max_total_time={seconds}",
        "-max_len=200000",
        "-timeout=20",
        f"-artifact_prefix={folder / name}/",
    ]
    with (folder / name / "log.txt").open("w", encoding="utf-8") as log:
        return subprocess.run(
            argv, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, timeout=seconds + 120, check=False
        ).returncode


def main(argv: list[str] | None = None) -> int:
    """Fuzz the named targets, or all; 1 where anything was found."""
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all, if none is named")
    asked = parser.parse_args(argv)
    unknown = sorted(set(asked.targets) - set(TARGETS))
    if unknown:
        parser.error(f"{unknown[0]} is no target; there are {', '.join(TARGETS)}")
    found = 0
    for name in asked.targets or TARGETS:
        status = fuzz_one(name, seconds=asked.seconds, folder=asked.folder)
        log = (asked.folder / name / "log.txt").read_text(encoding="utf-8", errors="replace")
        done = [line for line in log.splitlines() if line.startswith("Done ")]
        # Without its closing line the fuzzer was cut off, and has proven nothing.
        clean = status == 0 and len(done) == 1
        sys.stdout.write(f"{name:28} {done[0] if clean else 'FOUND something: see its log.txt'}\n")
        sys.stdout.flush()
        found += not clean
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
