"""SIMULATED: nodes have the users of the list from their boot on, and follow it while they run."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bedplate.hardware import instance_type
from bedplate.node.bootstrap.settings import Mount
from bedplate.node.users.listed import ListedUser, UserList
from bedplate.sandbox.fleet import Fleet
from tests.support.node_user_data import node_user_data

from .conftest import FSX, LOGIN, MakeFleet, node_id

ALICE, BOB = ListedUser("alice", 2001), ListedUser("bob", 2002)
KEY = "users/test.json"
AGAIN = 'python3 "$BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz" make-users --list 0123456789abcdef'


class Bucket:
    """What nodes fetch: the program, and the list as it is at the moment."""

    def __init__(self, program: bytes) -> None:
        self.program = program
        self.listed: bytes = UserList("/fsx/home", (ALICE, BOB)).to_json().encode()
        self.reports: dict[str, bytes] = {}

    def fetch(self, bucket: str, key: str) -> bytes:
        """One object."""
        return self.listed if (bucket, key) == ("results", KEY) else self.program

    def put(self, bucket: str, key: str, body: bytes) -> None:
        """A report of a boot."""
        self.reports[f"{bucket}/{key}"] = body


@pytest.fixture
def bucket(node_program: bytes) -> Bucket:
    """With alice and bob on the list."""
    return Bucket(node_program)


@pytest.fixture
def boot(make_fleet: MakeFleet, bucket: Bucket) -> Callable[[], Fleet]:
    """Boots one compute node and one login node by the deployment's user data."""

    def user_data(kind: str | None) -> str:
        return node_user_data(
            bucket.program,
            hardware=instance_type(kind) if kind else None,
            mounts=(Mount("lustre", FSX, "/fsx", efa=True),),
            users_key=KEY,
        )

    return lambda: make_fleet(
        nodes=1,
        user_data=user_data("p5en.48xlarge"),
        login_user_data=user_data(None),
        fetch=bucket.fetch,
        put=bucket.put,
    )


def _said(fleet: Fleet, node: str, script: str) -> str:
    return fleet.run_shell(node, f'cd "$BEDPLATE_ROOT"; {script}', 30).stdout


@pytest.mark.parametrize("node", [node_id(0), LOGIN])
def test_every_node_has_the_users_from_its_boot_on(boot: Callable[[], Fleet], node: str) -> None:
    """The same ids and homes on compute and login nodes; homes are their users' alone."""
    fleet = boot()
    assert fleet.boot_report(node).ok
    assert _said(fleet, node, "grep -E '^(alice|bob):' etc/passwd").splitlines() == [
        "alice:x:2001:2001::/fsx/home/alice:/bin/bash",
        "bob:x:2002:2002::/fsx/home/bob:/bin/bash",
    ]
    assert _said(fleet, node, "stat -c '%a %n' fsx/home/*").splitlines() == [
        "700 fsx/home/alice",
        "700 fsx/home/bob",
    ]
    assert _said(fleet, node, "ls -A fsx/home/alice").split() == [".bashrc"]


def test_a_running_node_follows_the_list(boot: Callable[[], Fleet], bucket: Bucket) -> None:
    """By the command that State Manager sends: bob is locked, carol made, alice untouched."""
    fleet = boot()
    assert fleet.boot_report(node_id(0)).ok
    bucket.listed = UserList("/fsx/home", (ALICE, ListedUser("carol", 2003))).to_json().encode()
    done = fleet.run_shell(node_id(0), AGAIN, 30)
    assert (done.rc, done.stdout) == (0, "2 users, 3 changes\n")
    rows = _said(fleet, node_id(0), "grep -E ':200[0-9]:' etc/passwd").splitlines()
    assert [(row.split(":")[0], row.rsplit("/", 1)[1]) for row in rows] == [
        ("alice", "bash"),
        ("bob", "nologin"),
        ("carol", "bash"),
    ]
    assert "bob" in _said(fleet, node_id(0), "ls fsx/home")
    assert fleet.run_shell(node_id(0), AGAIN, 30).stdout == "2 users, 0 changes\n"


def test_a_node_that_cannot_have_its_users_takes_no_jobs(boot: Callable[[], Fleet], bucket: Bucket) -> None:
    """Its report says why: the image has a user of that name."""
    bucket.listed = UserList("/fsx/home", (ListedUser("ubuntu", 2001),)).to_json().encode()
    fleet = boot()
    assert not fleet.boot_report(node_id(0)).ok
    assert "State=DOWN" in fleet.run_shell(LOGIN, "scontrol show node gpu-1 -o", 10).stdout
    (report,) = [body for key, body in bucket.reports.items() if node_id(0) in key]
    failed = [step for step in json.loads(report)["record"]["steps"] if step["outcome"] == "failed"]
    assert [step["name"] for step in failed] == ["make_users"]
    assert "there is a user ubuntu (uid 1000) that Bedplate did not make" in failed[0]["reason"]


def test_a_command_that_finds_no_settings_says_so(make_fleet: MakeFleet, bucket: Bucket) -> None:
    """State Manager may come before the node is set up; it comes again."""
    fleet = make_fleet(nodes=1, fetch=bucket.fetch)
    place = '"$BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz"'
    done = fleet.run_shell(node_id(0), f"aws s3 cp s3://assets/node.pyz {place} >/dev/null; {AGAIN}", 30)
    assert done.rc == 1
    assert "bedplate-node: make-users: " in done.stderr
    assert "settings.json" in done.stderr
