"""Slurm's accounts become what the teams say."""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path

import pytest

from bedplate.node.__main__ import main
from bedplate.node.set_accounts import (
    Account,
    AccountsRefusedError,
    changes_of,
    decode_teams,
    encode_teams,
)

VISION = Account("vision", 1, 16, ("carol",))


def test_teams_come_through_the_argument_as_they_were() -> None:
    """What is encoded is decoded, with bounds and without."""
    teams = [VISION, Account("pretraining", 3, None, ("alice", "bob"))]
    assert decode_teams(encode_teams(teams)) == teams


@pytest.mark.parametrize(
    "rows",
    [
        "x",
        [{"name": "a b", "share": 1, "max_gpus": None, "users": []}],
        [{"name": "vision", "share": 1, "max_gpus": None, "users": ["a;b"]}],
        [{"name": "vision", "share": 1, "max_gpus": None, "users": []}] * 2,
        [{"name": "vision", "share": "many", "max_gpus": None, "users": []}],
        [{"name": "vision"}],
        7,
    ],
)
def test_teams_that_are_not_as_they_must_be_are_refused(rows: object) -> None:
    """A name that a shell or sacctmgr would take for more, two of one name, or no list."""
    text = rows if isinstance(rows, str) else base64.b64encode(json.dumps(rows).encode()).decode()
    with pytest.raises(AccountsRefusedError):
        decode_teams(text)


@pytest.mark.parametrize(
    ("existing", "changes"),
    [
        (
            [],
            [
                "add account vision organization=bedplate fairshare=1 GrpTRES=gres/gpu=16",
                "add user carol account=vision",
            ],
        ),
        ([VISION], []),
        (
            [Account("vision", 2, 16, ("carol",))],
            ["modify account where name=vision set fairshare=1 GrpTRES=gres/gpu=16"],
        ),
        (
            [Account("vision", 1, None, ("carol", "dave"))],
            [
                "modify account where name=vision set fairshare=1 GrpTRES=gres/gpu=16",
                "delete user name=dave account=vision",
            ],
        ),
        ([VISION, Account("old", 1, None)], ["delete account name=old"]),
    ],
)
def test_only_what_differs_is_changed(existing: list[Account], changes: list[str]) -> None:
    """Nothing where all is as it should be; a bound that was taken out of the file is taken away."""
    assert [" ".join(change) for change in changes_of(teams=[VISION], existing=existing)] == changes
    (lifted,) = changes_of(teams=[Account("vision", 1, None, ("carol",))], existing=[VISION])
    assert lifted[-1] == "GrpTRES=gres/gpu=-1"


def _played(folder: Path, script: str) -> None:
    program = folder / "sacctmgr"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)


@pytest.mark.parametrize("script", ["exit 1", "exit 0", "echo garbage", "echo 'a|b|c'"])
def test_nothing_is_changed_where_slurm_does_not_say_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], script: str
) -> None:
    """No answer, an empty one and a foreign one end with 1 before the first change."""
    _played(tmp_path, f'echo "$@" >>{tmp_path}/calls; {script}')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert main(["set-accounts", "--teams", encode_teams([VISION])]) == 1
    assert "does not say what is there" in capsys.readouterr().err
    assert not any(word in (tmp_path / "calls").read_text() for word in (" add ", " modify ", " delete "))
