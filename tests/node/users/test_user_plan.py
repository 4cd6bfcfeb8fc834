"""What is to be changed on a node, from its own files and the list."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.users.found import Found, FoundGroup, FoundUser
from bedplate.node.users.listed import ListedUser, UserList
from bedplate.node.users.plan import MARK, NO_SHELL, SHELL, Change, plan_of

ALICE, BOB = ListedUser("alice", 2001), ListedUser("bob", 2002)
ROOT = "root:x:0:0:root:/root:/bin/bash\n"
UBUNTU = "ubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash\n"
MAKES_ALICE = (
    "useradd --no-create-home --uid 2001 --gid 2001 --groups bedplate-users --home-dir /home/alice"
    " --shell /bin/bash alice"
)


def _found(*passwd: str, group: str = "", shadow: str = "") -> Found:
    return Found.from_texts(
        passwd=ROOT + UBUNTU + "".join(f"{row}\n" for row in passwd),
        group="root:x:0:\nubuntu:x:1000:\n" + group,
        shadow="root:*:19000:0:99999:7:::\n" + shadow,
    )


def _wanted(*users: ListedUser) -> UserList:
    return UserList("/home", users)


HAS_ALICE = "alice:x:2001:2001::/home/alice:/bin/bash"
OURS = "bedplate-users:x:998:alice\nalice:x:2001:\n"
LOCKED = "alice:!:19000:0:99999:7::1:\n"


@pytest.mark.parametrize(
    ("found", "wanted", "changes"),
    [
        (
            _found(),
            _wanted(ALICE),
            ["groupadd --system bedplate-users", "groupadd --gid 2001 alice", MAKES_ALICE],
        ),
        (_found(), _wanted(), []),
        (_found(group="bedplate-users:x:998:\nalice:x:2001:\n"), _wanted(ALICE), [MAKES_ALICE]),
        (_found(HAS_ALICE, group=OURS, shadow="alice:!:19000:0:99999:7:::\n"), _wanted(ALICE), []),
        (
            _found(HAS_ALICE, group=OURS),
            UserList("/fsx/home", (ALICE,)),
            ["usermod --home /fsx/home/alice alice"],
        ),
        (
            _found(HAS_ALICE, group=OURS),
            _wanted(),
            ["usermod --expiredate 1 --shell /usr/sbin/nologin alice"],
        ),
        (_found(HAS_ALICE, group=OURS, shadow=LOCKED), _wanted(), []),
        (
            _found("alice:x:2001:2001::/home/alice:/usr/sbin/nologin", group=OURS, shadow=LOCKED),
            _wanted(ALICE),
            ["usermod --expiredate  --shell /bin/bash alice"],
        ),
        (
            _found("alice:x:2001:2001::/home/alice:/bin/zsh", group=OURS, shadow=LOCKED),
            _wanted(ALICE),
            ["usermod --expiredate  alice"],
        ),
        # Somebody else set a date, or the user chose a shell: both are left.
        (
            _found(
                "alice:x:2001:2001::/home/alice:/bin/zsh",
                group=OURS,
                shadow="alice:!:19000:0:99999:7::20000:\n",
            ),
            _wanted(ALICE),
            [],
        ),
        # The mark alone, of a user that somebody deleted by hand.
        (_found(group="bedplate-users:x:998:gone\n"), _wanted(), []),
    ],
)
def test_only_what_differs_is_changed(found: Found, wanted: UserList, changes: list[str]) -> None:
    """Who is missing is made, who is back unlocked, who was taken off locked; nothing else."""
    plan = plan_of(wanted=wanted, found=found)
    assert ([" ".join(change) for change in plan.changes], plan.problems) == (changes, ())


@pytest.mark.parametrize(
    ("found", "wanted", "problem"),
    [
        (_found("carol:x:2001:2001::/home/carol:/bin/bash"), _wanted(ALICE), "uid 2001 is carol's here"),
        (_found(group="video:x:2001:\n"), _wanted(ALICE), "clash with video (2001)"),
        (_found(group="alice:x:44:\n"), _wanted(ALICE), "clash with alice (44)"),
        (_found(HAS_ALICE), _wanted(ALICE), "that Bedplate did not make"),
        (_found(), _wanted(ListedUser("ubuntu", 2001)), "that Bedplate did not make"),
        (
            _found("alice:x:2005:2005::/home/alice:/bin/bash", group=OURS),
            _wanted(ALICE),
            "alice has uid 2005 here and 2001 in the list",
        ),
    ],
)
def test_what_a_person_must_settle_is_said_and_nothing_done(
    found: Found, wanted: UserList, problem: str
) -> None:
    """A taken id, a foreign user and a changed id stop that user, and no other."""
    plan = plan_of(wanted=wanted, found=found)
    (told,) = plan.problems
    assert problem in told
    (user,) = wanted.users
    assert plan.refused == (user.name,)
    assert not [change for change in plan.changes if change[-1] == user.name]
    beside = plan_of(wanted=UserList("/home", (*wanted.users, BOB)), found=found)
    assert [change[0] for change in beside.changes if change[-1] == "bob"] == ["groupadd", "useradd"]


def test_rows_that_are_none_are_passed_over() -> None:
    """NIS's plus signs, comments and torn lines say nothing about users."""
    found = Found.from_texts(
        passwd="+::::::\n# x:x:1:1:::\nshort:x:1\nbad:x:one:1::/:/bin/sh\n" + ROOT,
        group="+:::\nwheel:x:10:root,\n",
        shadow="",
    )
    assert list(found.users) == ["root"]
    assert found.groups == {"wheel": FoundGroup("wheel", 10, frozenset({"root"}))}


# A node that obeys: what groupadd, useradd and usermod do to what is there.
def _obey(found: Found, changes: tuple[Change, ...]) -> Found:
    users, groups = dict(found.users), dict(found.groups)
    for program, *words in changes:
        name = words[-1]
        options = dict(pairwise(words[:-1]))
        if program == "groupadd":
            groups[name] = FoundGroup(name, int(options.get("--gid", "998")))
        elif program == "useradd":
            users[name] = FoundUser(name, int(options["--uid"]), options["--home-dir"], options["--shell"])
            mark = groups[options["--groups"]]
            groups[mark.name] = FoundGroup(mark.name, mark.gid, mark.members | {name})
        else:
            row = users[name]
            users[name] = FoundUser(
                name,
                row.uid,
                options.get("--home", row.home),
                options.get("--shell", row.shell),
                options.get("--expiredate", row.expires),
            )
    return Found(users, groups)


PEOPLE = st.lists(
    st.builds(ListedUser, st.sampled_from("abcdef"), st.integers(2000, 2009)),
    max_size=6,
    unique_by=(lambda user: user.name, lambda user: user.uid),
)
LISTS = st.builds(UserList, st.sampled_from(["/home", "/fsx/home"]), PEOPLE.map(tuple))


@given(st.lists(LISTS, min_size=1, max_size=5))
def test_any_lists_one_after_another_leave_a_settled_node(lists: list[UserList]) -> None:
    """After each list nothing is left to change; its users are there with their ids or told of; the others
    are locked; and no user of the image, nor any id, was ever touched.
    """
    found = _found("f:x:1001:1001::/home/f:/bin/sh")
    for wanted in lists:
        before = found
        plan = plan_of(wanted=wanted, found=found)
        found = _obey(found, plan.changes)
        assert plan_of(wanted=wanted, found=found).changes == ()
        for user in wanted.users:
            row = found.users.get(user.name)
            if user.name in plan.refused:
                assert found.users.get(user.name) == before.users.get(user.name)
            else:
                assert row == FoundUser(user.name, user.uid, wanted.home_of(user), SHELL)
        ours = found.groups[MARK].members if MARK in found.groups else frozenset()
        listed = {user.name for user in wanted.users}
        assert all(found.users[name].shell == NO_SHELL for name in ours - listed)
        for name, row in before.users.items():
            assert found.users[name].uid == row.uid
        for name in ("root", "ubuntu", "f"):
            assert found.users[name] == before.users[name]
        uids = [row.uid for row in found.users.values()]
        assert len(set(uids)) == len(uids)
