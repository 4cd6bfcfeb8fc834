"""How many nodes of each instance type are a team's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam


def team_nodes(
    teams: Sequence[KubernetesTeam], *, fleet: Mapping[str, tuple[int, int]]
) -> dict[str, dict[str, int]]:
    """Team → instance type → nodes; ``fleet`` says of each type how many nodes there are, and a node's GPUs.

    Teams that name their GPUs take whole nodes first, in the file's order and from the types in the pools'
    order; the others have equal parts of what is left of each type. A rest that cannot be divided is nobody's
    own, and lent. ``ValueError`` for more GPUs than are left, and for a number that no whole nodes make.
    """
    left = {kind: nodes for kind, (nodes, _) in fleet.items()}
    made: dict[str, dict[str, int]] = {}
    for team in teams:
        if team.gpus is not None:
            made[team.name] = _taken(team.name, team.gpus, left=left, fleet=fleet)
    others = [team.name for team in teams if team.gpus is None]
    for name in others:
        made[name] = {kind: nodes // len(others) for kind, nodes in left.items()}
    return made


def _taken(
    team: str, gpus: int, *, left: dict[str, int], fleet: Mapping[str, tuple[int, int]]
) -> dict[str, int]:
    free = sum(nodes * fleet[kind][1] for kind, nodes in left.items())
    if gpus > free:
        raise ValueError(
            f"team {team}: gpus: {gpus} is more than the {free} that the pools have beside the teams before "
            f"it; give at most {free}"
        )
    made: dict[str, int] = {}
    wanted = gpus
    for kind, (_, each) in fleet.items():
        made[kind] = min(left[kind], wanted // each)
        left[kind] -= made[kind]
        wanted -= made[kind] * each
    if wanted:
        sizes = " or ".join(sorted({str(each) for _, each in fleet.values()}))
        raise ValueError(
            f"team {team}: gpus: {gpus} is no number of whole nodes, which have {sizes} GPUs each; "
            f"give {gpus - wanted}"
        )
    return made
