"""Writes what may be done about each kind of fault as one page.

``python -m bedplate.validation.actions.reference > FILE``; the page is committed as
``docs/reference/actions.md``, and a test holds it against what this module makes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import get_args

from bedplate.diagnosis.causes import CAUSES
from bedplate.validation.actions.dispositions import DISPOSITIONS, Disposition
from bedplate.validation.actions.model import Rule

_HEAD = """# What is done about which fault

Made by `python -m bedplate.validation.actions.reference`; do not edit by hand. How it is done is in
[Actions](../actions.md).

| is done | meaning |
|---|---|
| `replace` | The hardware is not to be trusted: drained, and with `on_failure: replace` replaced. |
| `drain` | Drained in either mode, and not replaced: a reboot or a look comes first. |
| `look` | Nothing: one run does not prove that it is this node's. |
| `never` | Nothing: it is a matter of settings or programs, which a new instance would have too. |

An XID is `replace` where our policy for it is (see [Hardware](hardware.md)), and `drain` for any other that
fails a node; an SXid is `drain`; a code that is in no table is nobody's to act upon.
"""

RULES: Mapping[Rule, str] = {
    "report-only": "`on_failure` is `report`.",
    "not-a-node": "It is about a link, a leaf or the cluster, and blames no node.",
    "no-cause": "The check failed and names no kind of fault.",
    "configuration": "The fault is `never` in the table above.",
    "look-again": "The fault is `look` in the table above.",
    "unknown-cause": "The kind of fault is in no table.",
    "low-confidence": "The run is less than 90 % sure of this node, or inferred it and says no confidence.",
    "common-cause": "More than half of the pool's nodes have it: look for what they share.",
    "foreign-node": "The run does not list the node.",
    "no-longer-there": "The instance runs no longer in its pool.",
    "launched-later": "The instance was launched after the run began.",
    "not-in-slurm": "Slurm has no node at its address.",
    "held-by-others": "Somebody else has drained it, or set it down with a reason; that stays theirs.",
    "acted-on-already": "It is drained already, by an earlier plan.",
    "over-the-cap": "`act_on_at_most_percent` of the pool are out of service already, or by this plan.",
}
"""Why a fault is left alone → in a sentence."""


def page() -> str:
    """The page."""
    rows = sorted(DISPOSITIONS.items(), key=lambda row: (list(Disposition).index(row[1]), row[0]))
    lines = [_HEAD, "| fault | is done | in words |", "|---|---|---|"]
    lines += [f"| `{cause}` | `{kind.value}` | {CAUSES[cause].title} |" for cause, kind in rows]
    lines += ["", "## Why a fault is left alone", "", "| rule | |", "|---|---|"]
    lines += [f"| `{rule}` | {RULES[rule]} |" for rule in get_args(Rule)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
