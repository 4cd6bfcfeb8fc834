"""``set-accounts``: make Slurm's accounts what the environment file's teams say; on a login node.

Run by SSM every half hour and after every change (by a timer on HyperPod's controller), so it changes only
what differs. An account is ours where its organization says so: accounts that people made stay as they are.
What a team's members ran stays recorded.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import json
import re
import sys
from dataclasses import asdict
from typing import Dict, List, Optional, Sequence, Set, Tuple

from bedplate.node.account import Account, AccountsRefusedError, account_of, check_accounts
from bedplate.node.listed_accounts import fetch_accounts
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool

HELP = "make Slurm's accounts what the teams say; on a login node"
ORGANIZATION = "bedplate"
NO_BOUND = "-1"
"""How sacctmgr takes a bound away."""
_DEADLINE_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The teams: base64 of a JSON list (the SSM parameter has a restrictive pattern), or where they lie."""
    teams = parser.add_mutually_exclusive_group(required=True)
    teams.add_argument("--teams")
    teams.add_argument("--listed", action="store_true", help="fetch the list that the settings name")
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")


def encode_teams(teams: Sequence[Account]) -> str:
    """The teams as ``--teams`` takes them."""
    data = json.dumps([asdict(team) for team in teams], separators=(",", ":")).encode("utf-8")
    return base64.b64encode(data).decode("ascii")


def decode_teams(text: str) -> List[Account]:
    """The teams of ``--teams``. Raises ``AccountsRefusedError`` for one that is not as it must be."""
    try:
        teams = [account_of(row) for row in json.loads(base64.b64decode(text, validate=True))]
    except (binascii.Error, ValueError, TypeError, KeyError) as error:
        raise AccountsRefusedError(f"--teams cannot be read: {error}") from error
    return check_accounts(teams)


def main(arguments: argparse.Namespace) -> int:
    """Change what differs, and print what was changed. 1 where something could not be."""
    environment = {"PATH": extended_path(slurm=arguments.slurm)}
    try:
        teams = fetch_accounts() if arguments.listed else decode_teams(arguments.teams)
        changes = changes_of(teams=teams, existing=_existing(environment))
    except AccountsRefusedError as error:
        print(f"bedplate-node: set-accounts: {error}", file=sys.stderr)
        return 1
    failed = 0
    for change in changes:
        run = _sacctmgr(change, environment)
        print(f"sacctmgr {' '.join(change)}")
        if run.rc != 0:
            failed += 1
            told = (run.stderr or run.stdout or run.problem).strip()
            print(f"bedplate-node: set-accounts: {' '.join(change)}: {told}", file=sys.stderr)
    print(f"{len(teams)} teams, {len(changes) - failed} changes made, {failed} refused")
    return 1 if failed else 0


def changes_of(*, teams: Sequence[Account], existing: Sequence[Account]) -> List[Tuple[str, ...]]:
    """What sacctmgr is asked for, in order: accounts, then members, then what is no longer wanted."""
    there = {account.name: account for account in existing}
    changes: List[Tuple[str, ...]] = []
    for team in teams:
        changes += _account_changes(team, there.get(team.name))
    for team in teams:
        has: Set[str] = set(there[team.name].users) if team.name in there else set()
        changes += [("add", "user", user, f"account={team.name}") for user in team.users if user not in has]
        changes += [
            ("delete", "user", f"name={user}", f"account={team.name}")
            for user in sorted(has - set(team.users))
        ]
    wanted = {team.name for team in teams}
    return changes + [("delete", "account", f"name={name}") for name in there if name not in wanted]


def _account_changes(team: Account, found: Optional[Account]) -> List[Tuple[str, ...]]:
    bound = NO_BOUND if team.max_gpus is None else str(team.max_gpus)
    if found is None:
        added = ("add", "account", team.name, f"organization={ORGANIZATION}", f"fairshare={team.share}")
        return [added if team.max_gpus is None else (*added, f"GrpTRES=gres/gpu={bound}")]
    if (found.share, found.max_gpus) == (team.share, team.max_gpus):
        return []
    where = ("modify", "account", "where", f"name={team.name}", "set")
    return [(*where, f"fairshare={team.share}", f"GrpTRES=gres/gpu={bound}")]


def _existing(environment: Dict[str, str]) -> List[Account]:
    """Our accounts as Slurm has them. Raises ``AccountsRefusedError`` where it does not say."""
    ours = {
        row[0]
        for row in _rows(("show", "account", "format=account,organization"), 2, environment)
        if row[1] == ORGANIZATION
    }
    found: Dict[str, Account] = {}
    members: Dict[str, List[str]] = {}
    columns = ("show", "associations", "format=account,user,fairshare,grptres")
    for account, user, share, bound in _rows(columns, 4, environment):
        if account in ours and user:
            members.setdefault(account, []).append(user)
        elif account in ours:
            found[account] = Account(account, int(share) if share.isdigit() else 0, _gpus(bound))
    return [
        Account(one.name, one.share, one.max_gpus, tuple(sorted(members.get(one.name, []))))
        for one in found.values()
    ]


def _gpus(bound: str) -> Optional[int]:
    match = re.search(r"(?:^|,)gres/gpu=(\d+)(?:,|$)", bound)
    return int(match.group(1)) if match else None


def _rows(columns: Sequence[str], width: int, environment: Dict[str, str]) -> List[Tuple[str, ...]]:
    run = _sacctmgr(("--noheader", "--parsable2", *columns), environment)
    rows = [tuple(line.split("|")) for line in run.stdout.splitlines()]
    if run.rc != 0 or run.truncated or not rows or any(len(row) != width for row in rows):
        told = (run.stderr or run.problem or run.stdout[:200]).strip()
        raise AccountsRefusedError(f"sacctmgr {' '.join(columns)} does not say what is there: {told}")
    return rows


def _sacctmgr(words: Sequence[str], environment: Dict[str, str]) -> ToolRun:
    return run_tool(
        argv=("sacctmgr", "--immediate", *words),
        limits=Limits(_DEADLINE_SECONDS),
        environment=environment,
    )
