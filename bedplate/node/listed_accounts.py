"""The teams as the deploy writes them into the result bucket, for a node that keeps accounts by itself."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import List, Sequence

from bedplate.node.account import Account, AccountsRefusedError, account_of, check_accounts
from bedplate.node.bootstrap.places import SETTINGS
from bedplate.node.bootstrap.settings import NodeSettings, SettingsRefusedError
from bedplate.node.identity import node_root
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool

LIST_VERSION = 1
_FETCH_SECONDS = 60.0


def accounts_key(environment: str) -> str:
    """Where the list lies in the result bucket."""
    return f"teams/{environment}.json"


def accounts_json(teams: Sequence[Account]) -> str:
    """The list: one line of ASCII; the same teams give the same text."""
    return json.dumps(
        {"version": LIST_VERSION, "teams": [asdict(team) for team in teams]}, separators=(",", ":")
    )


def read_accounts(text: str) -> List[Account]:
    """The inverse of ``accounts_json``. Raises ``AccountsRefusedError`` for anything but a whole list."""
    try:
        data = json.loads(text)
        if type(data["version"]) is not int or data["version"] != LIST_VERSION:
            raise AccountsRefusedError(f"a list of version {data['version']!r}; this program reads 1")
        teams = [account_of(row) for row in data["teams"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise AccountsRefusedError(f"the list of teams cannot be read: {error}") from error
    return check_accounts(teams)


def fetch_accounts() -> List[Account]:
    """The list that the node's settings name. Raises ``AccountsRefusedError`` where it cannot be had."""
    path = Path(node_root() + SETTINGS)
    try:
        settings = NodeSettings.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SettingsRefusedError) as error:
        raise AccountsRefusedError(f"{path}: {error}") from error
    if not settings.accounts_key:
        raise AccountsRefusedError("this node's settings name no list of teams")
    source = f"s3://{settings.result_bucket}/{settings.accounts_key}"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "teams.json"
        ran = run_tool(
            argv=("aws", "s3", "cp", "--only-show-errors", source, str(target)),
            limits=Limits(_FETCH_SECONDS),
            environment={"PATH": extended_path()},
        )
        try:
            return read_accounts(target.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            told = (ran.stderr or ran.problem or str(error)).strip()
            raise AccountsRefusedError(f"{source} cannot be fetched: {told}") from error
