"""Teams of the environment file as the node program takes them."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.node.set_accounts import Account, encode_teams
from bedplate.spec.orchestrator import Team


def teams_argument(teams: Sequence[Team]) -> str:
    """Return the teams as the argument of ``set-accounts``."""
    return encode_teams([Account(team.name, team.share, team.max_gpus, team.users) for team in teams])
