"""A service of ours runs on a simulated node for as long as the node does."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bedplate.sandbox.fleet.services import ListedObject

from .conftest import LOGIN, MakeFleet

UNIT = """\
[Service]
ExecStart=/usr/bin/python3 /opt/bedplate/loop.py --word desk
Restart=always
"""
LOOP = """\
import os, pathlib, sys, time
pathlib.Path(os.environ["BEDPLATE_ROOT"], "run/loop").write_text(f"{os.getpid()} {sys.argv[2]}")
time.sleep(600)
"""
USER_DATA = f"""#!/bin/bash
cd "$BEDPLATE_ROOT"
mkdir -p etc/systemd/system
cat >etc/systemd/system/bedplate-loop.service <<'END'
{UNIT}END
cat >etc/systemd/system/bedplate-once.service <<'END'
[Service]
ExecStart=/usr/bin/python3 /opt/bedplate/once.py
END
cat >opt/bedplate/loop.py <<'END'
{LOOP}END
systemctl enable bedplate-loop.service
systemctl restart bedplate-loop.service
"""


def _wait(until: Callable[[], bool]) -> bool:
    give_up = time.monotonic() + 30
    while not until() and time.monotonic() < give_up:
        time.sleep(0.05)
    return until()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_service_runs_until_its_node_goes(make_fleet: MakeFleet, tmp_path: Path) -> None:
    """With its own words, once the node has booted; a unit that is not kept running is not begun."""
    fleet = make_fleet(nodes=0, login_user_data=USER_DATA)
    assert fleet.boot_report(LOGIN).summary == "booted"
    told = tmp_path / "state-0/fleet" / LOGIN / "root/run/loop"
    assert _wait(lambda: told.is_file() and " " in told.read_text())
    pid, word = told.read_text().split()
    assert word == "desk"
    assert _runs(int(pid))
    fleet.terminate(LOGIN)
    assert not _runs(int(pid))


class _Bucket:
    """One bucket in memory, as the sandbox's S3 gives it to a node."""

    def __init__(self) -> None:
        self.objects = {"a/1": b"one", "a/2": b"two", "b/1": b"x"}

    def access(self) -> Mapping[str, Any]:
        return {"s3_list": self.listed, "s3_remove": lambda bucket, key: self.objects.pop(key, None)}

    def listed(self, bucket: str, prefix: str, after: str) -> list[ListedObject]:
        return [
            ListedObject(key, len(body), "2026-11-30T09:00:00+00:00")
            for key, body in sorted(self.objects.items())
            if key.startswith(prefix) and key > after
        ]


LIST = "aws s3api list-objects-v2 --bucket b --query 'Contents[].[Key,Size,LastModified]' --output json"


def test_a_node_lists_reads_and_removes_objects(make_fleet: MakeFleet) -> None:
    """As the desk asks for it, after a key too; nothing found is null."""
    bucket = _Bucket()
    fleet = make_fleet(nodes=0, fetch=lambda _, key: bucket.objects[key], login_s3=bucket.access())
    shown = fleet.run_shell(LOGIN, f"{LIST} --prefix a/ --start-after a/1; {LIST} --prefix c/", 20)
    assert shown.stdout == '[["a/2", 3, "2026-11-30T09:00:00+00:00"]]\nnull\n'
    assert fleet.run_shell(LOGIN, "aws s3 cp s3://b/a/2 -", 20).stdout == "two"
    assert fleet.run_shell(LOGIN, "aws s3 rm --only-show-errors s3://b/a/2", 20).rc == 0
    assert sorted(bucket.objects) == ["a/1", "b/1"]


@pytest.mark.parametrize("command", [f"{LIST} --prefix a/", "aws s3 rm s3://b/a/1"])
def test_a_node_without_the_right_is_denied(command: str, make_fleet: MakeFleet) -> None:
    """In S3's words; only a controller's role may."""
    result = make_fleet(nodes=0).run_shell(LOGIN, command, 20)
    assert result.rc != 0
    assert "AccessDenied" in result.stderr


@pytest.mark.parametrize(
    "command", ["aws s3 rm /tmp/x", "aws s3api list-objects-v2 --bucket b", "aws s3 rm s3://b/a --force"]
)
def test_what_the_desk_does_not_ask_is_refused(command: str, make_fleet: MakeFleet) -> None:
    """The real command line would take more; what is played here is what we call."""
    assert make_fleet(nodes=0).run_shell(LOGIN, command, 20).rc == 252
