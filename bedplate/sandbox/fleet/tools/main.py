"""Start of every stand-in: ``main.py NODE_FOLDER TOOL ARGUMENT…``, run with ``python3 -S -E``."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from pathlib import Path

# Without site-packages the package is not on the path: its root is four folders up.
sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
sys.path = [place for place in sys.path if place != str(Path(__file__).resolve().parent)]


def main(argv: list[str]) -> int:
    """Play one tool on one node; returns its exit code."""
    from bedplate.sandbox.fleet.tools.names import TOOLS
    from bedplate.sandbox.fleet.tools.refusal import ToolRefused
    from bedplate.sandbox.fleet.truth import read_truth

    folder, tool, *arguments = argv
    node = read_truth(Path(folder))
    try:
        module = import_module(f"bedplate.sandbox.fleet.tools.{TOOLS[tool][0]}")
        if node.effects.disk_full_after_bytes >= 0:
            from bedplate.sandbox.fleet.tools.full_disk import on_full_disk

            return on_full_disk(lambda: int(module.main(tool, arguments, node)), node=node)
        code = module.main(tool, arguments, node)
        sys.stdout.flush()
    except ToolRefused as refusal:
        sys.stdout.flush()
        print(refusal.text, file=sys.stderr)  # noqa: T201 - it is a program
        return refusal.rc
    except BrokenPipeError:
        return 141  # 128 + SIGPIPE, as a shell reports it
    return int(code)


def _end(code: int) -> None:
    """End without the interpreter's tidying up, which takes a tenth of a stand-in's time: nothing is left to
    tidy once the output is out.
    """
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    gc.disable()  # a stand-in lives for milliseconds
    _end(main(sys.argv[1:]))
