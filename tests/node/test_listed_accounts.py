"""A node that keeps Slurm's accounts by itself reads the teams from the result bucket."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bedplate.node.__main__ import main
from bedplate.node.account import Account, AccountsRefusedError
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.listed_accounts import accounts_json, accounts_key, fetch_accounts, read_accounts

TEAMS = [Account("vision", 1, 16, ("carol",)), Account("pretraining", 3, None, ("alice", "bob"))]


def _node(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, text: str | None, key: str = "teams/prod.json"
) -> None:
    """A controller whose ``aws`` fetches ``text``, or fails where there is none."""
    settings = NodeSettings(
        environment="prod", pool="controller", role="login", result_bucket="results", accounts_key=key
    )
    (root / "opt/bedplate").mkdir(parents=True)
    (root / "opt/bedplate/settings.json").write_text(settings.to_json())
    (root / "list").write_text(text or "")
    tool = root / "bin/aws"
    tool.parent.mkdir()
    copy = f'[ "$4" = s3://results/{key} ] && cp {root}/list "$5"'
    tool.write_text(f"#!/bin/sh\n{copy if text is not None else 'echo AccessDenied >&2; exit 1'}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("BEDPLATE_ROOT", str(root))
    monkeypatch.setenv("PATH", f"{root}/bin:/usr/bin:/bin")


def test_what_the_deploy_writes_the_node_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares, bounds and members; also as the writing function lays it out."""
    _node(tmp_path, monkeypatch, text=json.dumps(json.loads(accounts_json(TEAMS)), indent=2, sort_keys=True))
    assert fetch_accounts() == TEAMS
    assert accounts_key("prod") == "teams/prod.json"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"version": 2, "teams": []}',
        '{"version": true, "teams": []}',
        '{"version": 1}',
        '{"version": 1, "teams": [{"name": "vision"}]}',
        '{"version": 1, "teams": [{"name": "a;b", "share": 1, "max_gpus": null, "users": []}]}',
    ],
)
def test_anything_but_a_whole_list_is_refused(text: str) -> None:
    """Half a list would delete accounts."""
    with pytest.raises(AccountsRefusedError):
        read_accounts(text)


def test_a_list_that_cannot_be_had_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command fails in S3's words, before sacctmgr is called."""
    _node(tmp_path, monkeypatch, text=None)
    assert main(["set-accounts", "--listed"]) == 1
    told = capsys.readouterr().err
    assert "s3://results/teams/prod.json cannot be fetched: AccessDenied" in told
    assert "sacctmgr" not in told


def test_a_node_without_a_list_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its settings name none, or it has no settings."""
    _node(tmp_path, monkeypatch, text="{}", key="")
    with pytest.raises(AccountsRefusedError, match="name no list of teams"):
        fetch_accounts()
    (tmp_path / "opt/bedplate/settings.json").unlink()
    with pytest.raises(AccountsRefusedError, match=r"settings\.json"):
        fetch_accounts()
