"""Teams of the environment file as the node program takes them."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.node.account import Account
from bedplate.spec.orchestrator import Team


def accounts_of(teams: Sequence[Team]) -> list[Account]:
    """Return each team as the account that it becomes."""
    return [Account(team.name, team.share, team.max_gpus, team.users) for team in teams]
