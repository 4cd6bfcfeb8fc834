"""Who waits, who may be a partner, and who is tried with whom."""

from __future__ import annotations

from datetime import datetime

import pytest

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.names import WAITS
from bedplate.node.gate.pairs import AT_ONCE, choose_pairs
from bedplate.node.gate.reservations import Reservation, parse_reservations
from bedplate.node.gate.view import view_of
from tests.node.gate.worlds import held, nodes, slurm_node

HELD = ("MAINTENANCE", "RESERVED")
SHOWN = (
    "ReservationName=bedplate-pair-ip-10-0-0-5-gpu-2 StartTime=2026-02-03T09:00:00 "
    "EndTime=2026-02-03T09:10:00 Duration=00:10:00 Nodes=gpu-[1-2] NodeCnt=2 CoreCnt=192 Features=(null) "
    "PartitionName=(null) Flags=MAINT,SPEC_NODES TRES=cpu=384 Users=root Groups=(null) Accounts=(null) "
    "Licenses=(null) State=ACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)\n"
)


def test_reservations_are_read_as_slurm_prints_them() -> None:
    """As 22.05 prints one; and where there is none it says so in a sentence."""
    (found,) = parse_reservations(SHOWN)
    start = datetime(2026, 2, 3, 9, 0, 0)  # noqa: DTZ001
    assert found == Reservation("bedplate-pair-ip-10-0-0-5-gpu-2", ("gpu-1", "gpu-2"), start, active=True)
    assert parse_reservations("No reservations in the system\n") == ()
    with pytest.raises(ValueError, match="is no reservation"):
        parse_reservations("slurm_load_reservations error: Unable to contact slurm controller\n")


@pytest.mark.parametrize(
    ("node", "waits"),
    [
        (slurm_node("gpu-1", flags=HELD), True),
        (slurm_node("gpu-1", flags=(*HELD, "DRAIN"), reason=f"{WAITS} [root@2026-02-03T09:00:00]"), True),
        (slurm_node("gpu-1", flags=(*HELD, "DRAIN"), reason="bedplate GPU-001 (health check): x"), False),
        (slurm_node("gpu-1", flags=(*HELD, "DRAIN"), reason="swap a cable"), False),
        (slurm_node("gpu-1", flags=(*HELD, "NOT_RESPONDING")), False),
        (slurm_node("gpu-1", state="DOWN", flags=HELD), False),
        (slurm_node("gpu-1", state="MIXED", flags=HELD), False),
    ],
)
def test_who_waits_is_up_without_a_job_and_drained_by_nobody_else(node: SlurmNode, waits: bool) -> None:
    """The gate's own drain is one; a person's, and one for a fault, are not."""
    assert bool(view_of([node], [held("gpu-1")]).waiting) is waits


def test_a_node_that_could_not_make_its_reservation_waits_by_its_drain() -> None:
    """The prolog drained it; since when stands in Slurm's stamp."""
    node = slurm_node("gpu-1", flags=("DRAIN",), reason=f"{WAITS} [root@2026-02-03T09:30:00]")
    waiting = view_of([node], []).waiting["gpu-1"]
    assert waiting.since == datetime(2026, 2, 3, 9, 30, 0)  # noqa: DTZ001


def test_who_is_in_a_pair_is_nobody_to_try() -> None:
    """Neither as the one that waits nor as a partner: another gatekeeper has them."""
    shown = [slurm_node("gpu-1"), slurm_node("gpu-2", flags=HELD), slurm_node("gpu-3")]
    view = view_of(shown, [held("gpu-2"), *parse_reservations(SHOWN)])
    assert not view.waiting
    assert set(view.free) == nodes(3)


def test_partners_are_idle_of_the_same_kind_and_open() -> None:
    """Not at work, not drained, not in another reservation, not of other GPUs or partitions."""
    other = SlurmNode("cpu-1", "10.0.0.9", "cpu-1", "IDLE", (), ("cpu",), "", "", "")
    shown = [
        slurm_node("gpu-9", flags=HELD),
        slurm_node("gpu-1", state="ALLOCATED"),
        slurm_node("gpu-2", flags=("DRAIN",), reason="x"),
        slurm_node("gpu-3", flags=HELD),
        slurm_node("gpu-4"),
        other,
    ]
    view = view_of(shown, [held("gpu-9")])
    assert choose_pairs(view, tried={}) == [("gpu-9", "gpu-4")]
    assert set(view.kin["gpu-9"]) == nodes(1, 2, 3, 4)
    assert set(view.kin_up["gpu-9"]) == nodes(1, 3, 4)


def test_a_partner_of_the_same_name_goes_before_a_nearer_number() -> None:
    """Pools of one partition have names of their own."""
    shown = [slurm_node("h200-5", flags=HELD), slurm_node("b200-5"), slurm_node("h200-1")]
    assert choose_pairs(view_of(shown, [held("h200-5")]), tried={}) == [("h200-5", "h200-1")]


def test_a_round_is_bounded() -> None:
    """A first boot of 200 nodes goes in several."""
    names = [f"gpu-{number}" for number in range(200)]
    view = view_of([slurm_node(name, flags=HELD) for name in names], [held(name) for name in names])
    assert len(choose_pairs(view, tried={})) == AT_ONCE
