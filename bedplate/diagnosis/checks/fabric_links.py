"""FAB-002: no path between two nodes is slow; the verdict comes from the search in
``bedplate.validation.fabric``.
"""

from __future__ import annotations

from bedplate.diagnosis.check import ENGINE, Check, efa_between_nodes
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="FAB-002",
    title="no path between two nodes is slow",
    what="Where both nodes of a slow pair pass with other partners, the pair is run again: slow again "
    "means that the path between them is at fault, well means that it was passing. Where no test passes out "
    "of a leaf switch, or between two, the leaf or that path is named. One round of pairs covers one path a "
    "node; all are covered by `validation.cover_links`, or where all nodes together are slow.",
    why="Replacing two good nodes for one bad path costs hours and mends nothing.",
    fix="Keep the two nodes out of one job, or the leaf's nodes in one of their own, and open a support case "
    "that names the instance ids.",
    by_hand="Run the collective of NCL-003 on the two nodes alone, several times, and on each with a third.",
)


CHECK = Check(row=ROW, stage=ENGINE, applies=efa_between_nodes, subject="cluster")
