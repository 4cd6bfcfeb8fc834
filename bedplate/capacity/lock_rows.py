"""What ``bedplate explain`` says about lock files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="LCK-001",
        title="the lock file can be read",
        what="NAME.lock.json beside the environment file is a lock file of this version, each of its keys "
        "given once.",
        why="`bedplate lock` writes it. What is broken in it was edited or merged by hand.",
        fix="Write it anew with `bedplate lock -e NAME` and review what changes.",
        by_hand="`python3 -m json.tool environments/NAME.lock.json`",
    ),
    CheckRow(
        id="LCK-002",
        title="a block is in the lock file",
        what="An environment with a pool on a Capacity Block or an UltraServer block has a lock file.",
        why="EC2 takes a block's instances before its end. Synthesis asks AWS nothing and knows that end "
        "from the lock file alone; without it nobody would be told in time.",
        fix="Write it with `bedplate lock -e NAME`, and commit it.",
        by_hand="`ls environments/NAME.lock.json`",
    ),
    CheckRow(
        id="LCK-003",
        title="the lock file is of this environment",
        what="Environment, account and Region in the lock file are those of the environment file.",
        why="A copied file would bring another account's reservations and images.",
        fix="Write it anew with `bedplate lock -e NAME`.",
        by_hand="`head -5 environments/NAME.lock.json`",
    ),
    CheckRow(
        id="LCK-004",
        title="the lock file knows every reservation of the pools",
        what="Each reservation that a pool names is in the lock file, where there is one.",
        why="The file was written before the pool changed; zone, size and end of the new one are not known.",
        fix="Write it anew with `bedplate lock -e NAME`, and review it.",
        by_hand="Look for the id under `reservations`.",
    ),
    CheckRow(
        id="LCK-005",
        title="a reservation is what its pool wants",
        what="Kind, instance type and zone id of the locked reservation, against the pool.",
        why="Instances of another type or in another zone are never launched into it, and it is paid for.",
        fix="Name the reservation that fits, or change the pool or `network.zone`.",
        by_hand="`aws ec2 describe-capacity-reservations --capacity-reservation-ids ID`",
    ),
    CheckRow(
        id="LCK-006",
        title="a block is large enough for its pools",
        what="Nodes at most of all pools on a block, against the block's instances.",
        why="PCS refuses a node group that may become larger than its block (PCS User Guide).",
        fix="Lower `nodes` of the pool to what the block has.",
        by_hand="`aws ec2 describe-capacity-reservations --capacity-reservation-ids ID`",
    ),
    CheckRow(
        id="LCK-007",
        title="`bedplate lock` asks the environment's account",
        what="The credentials belong to the account in the environment file.",
        why="Another account's reservations are not those that the deploy will use.",
        fix="Sign in to the environment's account, or set AWS_PROFILE.",
        by_hand="`aws sts get-caller-identity`",
    ),
    CheckRow(
        id="LCK-008",
        title="every reservation is there",
        what="EC2 knows each reservation that a pool names, in the environment's account and Region.",
        why="What is not there has no zone, size or end to lock, and no node would be launched from it.",
        fix="Correct `capacity.reservation`, or take the pool out when its block has ended.",
        by_hand="`aws ec2 describe-capacity-reservations`",
    ),
    CheckRow(
        id="LCK-009",
        title="the zone offers the pools' types",
        what="`network.zone` is among the zones that the lock file has for the pool's instance type. A pool "
        "on a reservation or a block is not asked: the reservation's own zone is held against it (LCK-005).",
        why="GPU types are in a few zones of a Region only. In another one every launch fails, after the "
        "network and the file systems have been made and paid for.",
        fix="Use a zone that offers the type, or another type; `bedplate lock -e NAME` asks again.",
        by_hand="`aws ec2 describe-instance-type-offerings --location-type availability-zone-id --filters "
        "Name=instance-type,Values=TYPE`",
    ),
    CheckRow(
        id="LCK-010",
        title="a block is as long as EC2 sells them",
        what="Each block in the lock file lasts 182 days at most (and the part of a day that one has more "
        "which begins at once), and long enough for EC2 to warn of its end after its start.",
        why="EC2 sells days up to 14, then weeks up to 182 days, with all extensions. Other times were not "
        "told by EC2; reminders and the scaler would go by them.",
        fix="Write the file anew with `bedplate lock -e NAME`.",
        by_hand="`aws ec2 describe-capacity-reservations --capacity-reservation-ids cr-…`",
    ),
)

ROWS: Mapping[str, CheckRow] = MappingProxyType({row.id: row for row in _ROWS})
