"""The step that makes users, on a machine whose programs obey and on one whose programs do not."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.runner import Ran
from bedplate.node.bootstrap.step import DONE, FAILED, SKIPPED, StepResult
from bedplate.node.users.listed import ListedUser, UserList
from tests.node.bootstrap.fake_machine import SETTINGS, USERS, FakeMachine

LOGIN = replace(SETTINGS, role="login")


@pytest.fixture
def machine(tmp_path: Path) -> FakeMachine:
    """A node that has never booted."""
    return FakeMachine(tmp_path / "root")


def _boot(machine: FakeMachine, *users: ListedUser, homes: str = "/fsx/home") -> StepResult:
    machine.listed = UserList(homes, users).to_json()
    return machine.boot()["make_users"]


def _passwd(machine: FakeMachine) -> dict[str, str]:
    lines = (machine.root / "etc/passwd").read_text().splitlines()
    return {line.partition(":")[0]: line.partition(":")[2] for line in lines}


ALICE, BOB = USERS.users


def test_a_first_boot_makes_everybody_with_their_ids(machine: FakeMachine) -> None:
    """Id, home and shell are in passwd; a home is asked for each; a login node does the same."""
    result = machine.boot(LOGIN)["make_users"]
    assert (result.outcome, result.reason) == (DONE, "2 users, 5 changes")
    assert _passwd(machine)["alice"] == "x:2001:2001::/fsx/home/alice:/bin/bash"
    (call,) = [call for call in machine.calls if "make-homes" in call]
    assert call.endswith("alice:2001 bob:2002")
    assert f"--folder {machine.root}/fsx/home " in call


def test_a_second_boot_changes_nobody(machine: FakeMachine) -> None:
    """Nothing is called that writes users."""
    machine.boot()
    assert machine.boot()["make_users"].reason == "2 users, 0 changes"
    assert not machine.called("user") + machine.called("groupadd")


def test_who_is_taken_off_is_locked_and_unlocked_when_back(machine: FakeMachine) -> None:
    """Nobody is deleted; the id stays theirs."""
    machine.boot()
    assert _boot(machine, ALICE).outcome == DONE
    assert _passwd(machine)["bob"] == "x:2002:2002::/fsx/home/bob:/usr/sbin/nologin"
    assert _boot(machine, ALICE).reason == "1 users, 0 changes"
    assert _boot(machine, ALICE, BOB).reason == "2 users, 1 changes"
    assert _passwd(machine)["bob"].endswith("/bin/bash")


def test_an_id_that_is_somebody_elses_fails_the_step_in_words(machine: FakeMachine) -> None:
    """The others are made, and have their homes; who is refused has none."""
    machine.boot()
    result = _boot(machine, ALICE, ListedUser("carol", 2002), ListedUser("dave", 2004))
    assert result.outcome == FAILED
    assert "carol cannot be made: uid 2002 is bob's here" in result.reason
    assert "carol" not in _passwd(machine)
    (call,) = [call for call in machine.calls if "make-homes" in call]
    assert call.endswith("alice:2001 dave:2004")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"aws s3 cp": Ran((), 1, "", "fatal error: An error occurred (403): Forbidden")}, "403"),
        ({"useradd": Ran((), 1, "", "useradd: cannot lock /etc/passwd; try again later.")}, "no effect"),
        ({"groupadd": Ran((), None, "", "", "could not be started")}, "no effect"),
    ],
)
def test_programs_that_fail_fail_the_step(machine: FakeMachine, broken: dict[str, Ran], words: str) -> None:
    """What counts is who is there afterwards, not what a program answered; nobody else gets a home."""
    machine.broken.update(broken)
    result = machine.boot()["make_users"]
    assert result.outcome == FAILED
    assert words in result.reason
    assert not [call for call in machine.calls if "make-homes" in call]


def test_an_earlier_list_does_not_pass_for_the_one_that_cannot_be_fetched(machine: FakeMachine) -> None:
    """The node fails, and locks nobody."""
    machine.boot()
    machine.broken["aws s3 cp"] = Ran((), 1, "", "Connection reset")
    assert machine.boot()["make_users"].outcome == FAILED
    assert _passwd(machine)["bob"].endswith("/bin/bash")


def test_a_spoilt_list_locks_nobody(machine: FakeMachine) -> None:
    """Text that is no list is refused by name of the object, before anything is changed."""
    machine.boot()
    machine.listed = '{"version": 1, "users": []}'
    result = machine.boot()["make_users"]
    assert "s3://results/users/prod.json: the list is no object" in result.reason
    assert _passwd(machine)["bob"].endswith("/bin/bash")


def test_homes_wait_for_their_file_system(machine: FakeMachine) -> None:
    """State Manager may come before the mount: nobody is made, and no home beneath it."""
    found: list[Ran] = []

    def unmounted(words: Sequence[str]) -> tuple[int, str, str]:
        found.append(Ran(tuple(words), 0))
        (machine.root / "proc/mounts").write_text("/dev/root / ext4 rw 0 0\n")
        return machine._fetch(list(words))

    machine._players = lambda: {**FakeMachine._players(machine), "aws": unmounted}  # type: ignore[method-assign]
    result = machine.boot()["make_users"]
    assert len(found) == 1
    assert (result.outcome, result.reason) == (FAILED, "/fsx, where homes are, is not mounted")
    assert not machine.called("useradd")


def test_homes_that_cannot_be_made_are_told_line_by_line(machine: FakeMachine) -> None:
    """Each home that is in the way of its user."""
    python = Ran((), 1, "", "/fsx/home/alice: belongs to uid 7\n/fsx/home/bob: Permission denied\n")
    machine.boot()
    machine.broken[f"{sys.executable} {machine.root}"] = python
    result = machine.boot()["make_users"]
    assert result.reason == "/fsx/home/alice: belongs to uid 7; /fsx/home/bob: Permission denied"


def test_what_chooses_ids_by_itself_chooses_below_ours(machine: FakeMachine) -> None:
    """The SSM agent makes its user at the first session: it must not take the next id of the list."""
    machine.boot()
    text = (machine.root / "etc/login.defs").read_text()
    assert text == "UID_MIN\t\t\t 1000\nUID_MAX 1999\nGID_MIN\t\t\t 1000\nGID_MAX 1999\n"
    machine.boot()
    assert (machine.root / "etc/login.defs").read_text() == text


def test_two_runs_take_turns(machine: FakeMachine) -> None:
    """One that finds the other at work waits five minutes, then says so."""
    lock = machine.root / "run/bedplate-users.lock"
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = machine.boot()["make_users"]
    assert (result.outcome, result.reason) == (FAILED, "another run holds /run/bedplate-users.lock")
    assert machine.boot()["make_users"].outcome == DONE


def test_without_a_list_users_are_left_alone(machine: FakeMachine) -> None:
    """An existing directory, or the image's own users: nothing is called and no file changed."""
    before = (machine.root / "etc/login.defs").read_text()
    result = machine.boot(replace(SETTINGS, users_key=""))["make_users"]
    assert (result.outcome, result.reason) == (SKIPPED, "the environment lists no users")
    assert (machine.root / "etc/login.defs").read_text() == before
    assert not machine.called("aws") + machine.called("user")
