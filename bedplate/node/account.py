"""A team as Slurm has it: an account, with its share, its bound and its members."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple

_NAME = re.compile(r"^[a-z_][a-z0-9_-]{0,30}$")


class AccountsRefusedError(Exception):
    """The teams cannot be read, or Slurm does not say what is there."""


@dataclass(frozen=True)
class Account:
    """A team as Slurm has it: ``max_gpus`` is what all of its jobs may hold at once, None for no bound."""

    name: str
    share: int
    max_gpus: Optional[int]
    users: Tuple[str, ...] = ()


def account_of(row: Mapping[str, Any]) -> Account:
    """The account of a JSON object. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for another."""
    return Account(
        str(row["name"]),
        int(row["share"]),
        None if row["max_gpus"] is None else int(row["max_gpus"]),
        tuple(str(user) for user in row["users"]),
    )


def check_accounts(teams: List[Account]) -> List[Account]:
    """The same. Raises ``AccountsRefusedError`` for a name that Slurm or a shell might take for another."""
    names = [name for team in teams for name in (team.name, *team.users)]
    if not all(_NAME.match(name) for name in names) or len({team.name for team in teams}) != len(teams):
        raise AccountsRefusedError("a name is not allowed, or stands for two teams")
    return teams
