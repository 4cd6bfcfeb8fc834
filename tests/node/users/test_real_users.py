"""The real groupadd, useradd and usermod, on the files of a folder; the machine's own are not touched."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from bedplate.node.bootstrap.boot_log import BootLog
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.runner import Ran
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.steps import make_users
from bedplate.node.users.found import Found
from bedplate.node.users.listed import ListedUser, UserList
from bedplate.node.users.plan import plan_of
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.tools.user_files import change_users, write_first_files

pytestmark = [pytest.mark.real("useradd"), pytest.mark.real("root")]

SETTINGS = NodeSettings(
    environment="prod", pool="login", role="login", result_bucket="results", users_key="users/prod.json"
)
ALICE, BOB = ListedUser("alice", 2001), ListedUser("bob_2", 2002)
LISTS = (
    UserList("/home", (ALICE, BOB)),
    UserList("/home", (ALICE,)),
    UserList("/fsx/home", (ALICE, BOB)),
    UserList("/fsx/home", ()),
)


def _run(root: Path, argv: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [argv[0], "--prefix", str(root), *argv[1:]], capture_output=True, text=True, timeout=60, check=False
    )


class Real:
    """Programs that change users are the real ones, kept to a folder; nothing else is run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.wanted = UserList("/home", ())

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Run it, or play what fetches the list."""
        if argv[0] == "aws":
            Path(argv[-1]).write_text(self.wanted.to_json())
        if argv[0] not in ("groupadd", "useradd", "usermod"):
            return Ran(tuple(argv), 0)
        done = _run(self.root, argv)
        return Ran(tuple(argv), done.returncode, done.stdout, done.stderr)

    def has(self, program: str) -> bool:
        """Everything is there."""
        return True


def _node(root: Path) -> tuple[Real, Host]:
    write_first_files(root)
    (root / "etc/gshadow").write_text("root:*::\nubuntu:!::\n")
    runner = Real(root)
    return runner, Host(root=str(root), runner=runner, log=BootLog(root / "log"), instance_id="i-1")


def _found(root: Path) -> Found:
    passwd, group, shadow = ((root / "etc" / name).read_text() for name in ("passwd", "group", "shadow"))
    return Found.from_texts(passwd=passwd, group=group, shadow=shadow)


def test_a_node_follows_the_list(tmp_path: Path) -> None:
    """Made, locked, moved, unlocked and locked again: after each list nothing is left to do."""
    runner, host = _node(tmp_path)
    for wanted in LISTS:
        runner.wanted = wanted
        assert "changes" in make_users.STEP.run(host, SETTINGS)
        assert plan_of(wanted=wanted, found=_found(tmp_path)).changes == ()
    users = _found(tmp_path).users
    assert [(users[name].uid, users[name].shell, users[name].expires) for name in ("alice", "bob_2")] == [
        (2001, "/usr/sbin/nologin", "1"),
        (2002, "/usr/sbin/nologin", "1"),
    ]
    assert "alice" not in Path("/etc/passwd").read_text()


def test_stand_ins_leave_what_the_real_programs_leave(tmp_path: Path) -> None:
    """The simulated nodes' own programs come to the same users and groups, list by list."""
    real, played = tmp_path / "real", tmp_path / "played"
    runner, host = _node(real)
    write_first_files(played)
    make_users._keep_ids_free(host)
    for wanted in LISTS:
        runner.wanted = wanted
        make_users.STEP.run(host, SETTINGS)
        for program, *words in plan_of(wanted=wanted, found=_found(played)).changes:
            change_users(played, program, words)
        assert _found(played) == _found(real)


@pytest.mark.parametrize(
    "command",
    [
        "groupadd --system ubuntu",
        "groupadd --gid 1000 carol",
        "useradd --uid 2005 --gid 1000 --groups ubuntu --home-dir /h --shell /bin/sh ubuntu",
        "useradd --uid 1000 --gid 1000 --groups ubuntu --home-dir /h --shell /bin/sh carol",
        "useradd --uid 2005 --gid 2005 --groups ubuntu --home-dir /h --shell /bin/sh carol",
        "useradd --uid 2005 --gid 1000 --groups nogroup --home-dir /h --shell /bin/sh carol",
        "usermod --shell /bin/sh carol",
    ],
)
def test_stand_ins_refuse_in_the_real_words(tmp_path: Path, command: str) -> None:
    """The same exit status and the same words on standard error."""
    _node(tmp_path)
    program, *words = command.split()
    done = _run(tmp_path, (program, *words))
    with pytest.raises(ToolRefused) as refused:
        change_users(tmp_path, program, words)
    assert (refused.value.rc, refused.value.text) == (done.returncode, done.stderr.strip())


@pytest.mark.parametrize(("kept_free", "uid"), [(True, 1001), (False, 2002)])
def test_a_user_without_an_id_gets_one_below_ours(tmp_path: Path, kept_free: bool, uid: int) -> None:
    """As the SSM agent makes its own at a node's first session; without our line it takes the list's next."""
    runner, host = _node(tmp_path)
    runner.wanted = UserList("/home", (ALICE,))
    make_users.STEP.run(host, SETTINGS)
    if not kept_free:
        write_defaults = (tmp_path / "etc/login.defs").read_text().replace("1999", "60000")
        (tmp_path / "etc/login.defs").write_text(write_defaults)
    assert _run(tmp_path, ("useradd", "--no-create-home", "ssm-user")).returncode == 0
    assert _found(tmp_path).users["ssm-user"].uid == uid
