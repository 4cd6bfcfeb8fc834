"""ORC-016: users have names and ids of their own."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_SYSTEM = """
root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody adm tty
disk kmem dialout fax voice cdrom floppy tape sudo wheel audio dip operator src shadow utmp video sasl
plugdev staff users nogroup input render kvm sgx lock ftp halt shutdown messagebus dbus syslog uuidd
tcpdump sshd polkitd landscape systemd-network systemd-resolve systemd-timesync chrony rpc rpcuser
nfsnobody ec2-user ubuntu admin rocky centos ec2-instance-connect ssm-user ssm-agent slurm slurmrestd
munge mysql docker lxd nvidia-persistenced pcs-agent bedplate-users pcs
"""
"""Users and groups of the images and of the services on them, and the group that ours are in: each user has a
group of the same name too."""
RESERVED = frozenset(_SYSTEM.split())


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second of a name or an id, and the image's own names."""
    names: dict[str, int] = {}
    uids: dict[int, str] = {}
    for index, name in draft.user_names.items():
        if name in RESERVED:
            yield Violation(
                path=("orchestrator", "users", index, "name"),
                message=f"'{name}' is a user or group that nodes have already",
                allowed="any other name",
                remedy="Choose another name; that one is not made, and need not be listed.",
            )
        elif names.setdefault(name, index) != index:
            yield Violation(
                path=("orchestrator", "users", index, "name"),
                message=f"user {names[name] + 1} is called '{name}' already",
                allowed="names that no other user has",
                remedy="Choose another name, or take one of the two out.",
            )
    highest = max((user.uid for user in draft.users.values()), default=0)
    for index, user in draft.users.items():
        if user.uid in uids:
            yield Violation(
                path=("orchestrator", "users", index, "uid"),
                message=f"uid {user.uid} is {uids[user.uid]}'s already",
                allowed="ids that no other user has",
                remedy=f"Give another number; the highest in use is {highest}.",
            )
        uids.setdefault(user.uid, user.name)


RULE = Rule(
    row=CheckRow(
        id="ORC-016",
        title="users are told apart",
        what=(
            "No two of `orchestrator.users` have one `name` or one `uid`, and none is called as a user or "
            "group that nodes have already."
        ),
        why=(
            "Files belong to numbers: two people of one uid read and delete each other's work. A name that "
            "the image has cannot be made a second time, and no node would come up."
        ),
        fix="Give each their own name and number.",
        by_hand="`getent passwd` and `getent group` on a node list names and ids.",
    ),
    check=check,
)
