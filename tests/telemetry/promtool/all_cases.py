"""All cases."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.cases import (
    counts,
    efa,
    jobs,
    memory,
    nodes,
    nvlink,
    pcie,
    rest,
    storage,
    thermal,
    xids,
)

CASES: tuple[Case, ...] = tuple(
    case
    for family in (xids, memory, thermal, nvlink, pcie, counts, efa, storage, nodes, jobs, rest)
    for case in family.CASES
)
