"""What ``bedplate explain`` says about baselines that are refused or cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="BAS-001",
        title="a baseline is made of runs that found nothing",
        what="Each run that is named came to its end, is of this environment, and is at most seven days old. "
        "It found no fault, waived none of the checks that bandwidth stands on, and left nothing open but a "
        "bandwidth for which no figure was published. No figure is beyond what the wires allow, and none is "
        "more than 5 % below the stored baseline, or left out, unless `--lower` says that this is meant.",
        why="Later runs are held to it: a baseline of a sick cluster makes the sickness the rule, and one "
        "that may sink a little each time lets a slow decline pass.",
        fix="Mend what the run names, validate again, and accept that run.",
        by_hand="`bedplate report result.json` of the run; `bedplate baseline show` for what is stored.",
    ),
    CheckRow(
        id="BAS-002",
        title="the stored baseline can be read",
        what="`baselines/ENVIRONMENT.json` in the result bucket is whole, of this version, of this "
        "environment in this account and Region, and not of SIMULATED runs where the cluster is real.",
        why="To go on without it would ask less of the cluster than its operator has accepted.",
        fix="Delete it (`bedplate baseline forget`), then accept a run anew (`bedplate baseline accept`).",
        by_hand="`aws s3 cp s3://BUCKET/baselines/ENVIRONMENT.json -`",
    ),
    CheckRow(
        id="BAS-003",
        title="the run that is to be accepted is in the result bucket",
        what="`runs/RUN/result.json` is there, and is a result that this Bedplate reads.",
        why="What the bucket holds was written by the run; a file from elsewhere may have been edited.",
        fix="Name a run as `aws s3 ls s3://BUCKET/runs/` lists it, such as 20260203T092147Z-0a1b2c3d.",
        by_hand="`aws s3 ls s3://BUCKET/runs/`",
    ),
)

ROWS: Mapping[str, CheckRow] = MappingProxyType({row.id: row for row in _ROWS})
"""All explanations, by id."""
