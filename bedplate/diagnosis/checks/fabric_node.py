"""FAB-001: no node is slow between nodes; the verdict comes from the search in
``bedplate.validation.fabric``.
"""

from __future__ import annotations

from bedplate.diagnosis.check import ENGINE, Check, efa_between_nodes
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="FAB-001",
    title="no node is slow between nodes",
    what="A first round runs the collective on disjoint pairs, all at once, under one leaf switch where EC2 "
    "tells it; a second pairs each suspect with a node that passed; a third confirms with another. A node "
    "that fails with all of them is at fault. Nobody is where all pairs are slow, where more than half of "
    "the nodes fail, or where nodes are of two kinds. The verdict says how sure it is, and by which tests. "
    "Unverified: that one test in a hundred fails by chance, by which the number of tests is chosen.",
    why="A device that is slow, and not lost, shows only under load between nodes, and there every "
    "healthy partner looks as slow as the one at fault.",
    fix="Drain the node and replace the instance. `Undetermined` (two nodes only): add a node that is "
    "known to be good.",
    by_hand="Run the collective of NCL-003 on pairs of nodes, then again with other partners.",
)


CHECK = Check(row=ROW, stage=ENGINE, applies=efa_between_nodes)
