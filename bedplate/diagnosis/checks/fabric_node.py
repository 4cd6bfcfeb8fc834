"""FAB-001: no node is slow between nodes; the verdict comes from the search in
``bedplate.validation.fabric``.
"""

from __future__ import annotations

from bedplate.diagnosis.check import ENGINE, Check, efa_between_nodes
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="FAB-001",
    title="no node is slow between nodes",
    what="A first round runs the collective on disjoint pairs, all at once; a second pairs each suspect "
    "with another node that passed. A node that fails with both is at fault; if all pairs are slow by "
    "the same ratio nobody is.",
    why="A device that is slow, and not lost, shows only under load between nodes, and there every "
    "healthy partner looks as slow as the one at fault.",
    fix="Drain the node and replace the instance. `Undetermined` (two nodes only): add a node that is "
    "known to be good.",
    by_hand="Run the collective of NCL-003 on pairs of nodes, then again with other partners.",
)


CHECK = Check(row=ROW, stage=ENGINE, applies=efa_between_nodes)
