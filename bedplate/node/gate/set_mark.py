"""``mark-gate``: open this boot's gate on this node, or close it again. The gatekeeper calls it by a job of
its own; a person may, where no pair can be had.
"""

from __future__ import annotations

import argparse
import sys

from bedplate.node.gate.mark import HOWS, remove_mark, write_mark
from bedplate.node.identity import boot_id

HELP = "open this node's gate until its next boot, or close it again"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How it was opened, and why."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--how", choices=HOWS, help="pair and alone are the gatekeeper's words")
    what.add_argument("--close", action="store_true", help="take the mark away: the node waits again")
    parser.add_argument("--because", default="", help="what is written beside it")


def main(arguments: argparse.Namespace) -> int:
    """0 where it is done; 1 where the boot cannot be told, so that no mark would hold good."""
    if arguments.close:
        remove_mark()
        return 0
    if not boot_id():
        print("bedplate: this boot has no id, so that a mark would not be of it", file=sys.stderr)
        return 1
    write_mark(how=arguments.how, told=arguments.because)
    return 0
