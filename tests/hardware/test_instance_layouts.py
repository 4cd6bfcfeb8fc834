"""Invariants of every row of the instance table."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from bedplate.hardware import EFA_ONLY, INSTANCE_TYPES, INTERFACE, InstanceType, instance_type

EVERY = pytest.mark.parametrize("row", INSTANCE_TYPES.values(), ids=list(INSTANCE_TYPES))

# The layouts of the EC2 User Guide, written out once more and by another road than the table's.
LAYOUTS = {
    "p5.4xlarge": [(0, 0, "interface"), (0, 1, "efa-only")],
    "p5.48xlarge": [(0, 0, "interface"), (0, 1, "efa-only"), *[(c, 0, "efa-only") for c in range(1, 32)]],
    "p5e.48xlarge": [(0, 0, "interface"), (0, 1, "efa-only"), *[(c, 0, "efa-only") for c in range(1, 32)]],
    "p5en.48xlarge": [(0, 0, "interface"), (0, 1, "efa-only"), *[(c, 0, "efa-only") for c in range(1, 16)]],
    "p6-b200.48xlarge": [(0, 0, "interface"), (0, 1, "efa-only"), *[(c, 0, "efa-only") for c in range(1, 8)]],
    "p6-b300.48xlarge": [(0, 0, "interface"), *[(c, 0, "efa-only") for c in range(1, 17)]],
    "p6e-gb200.36xlarge": [(0, 0, "interface"), *[(c, 0, "efa-only") for c in (1, 5, 9, 13)]],
}

EFA_TOTALS_GBPS = {
    "p5.4xlarge": 100,
    "p5.48xlarge": 3200,
    "p5e.48xlarge": 3200,
    "p5en.48xlarge": 3200,
    "p6-b200.48xlarge": 3200,
    "p6-b300.48xlarge": 6400,
    "p6e-gb200.36xlarge": 1600,
}

LNET_EFAS = {
    "p5.4xlarge": 1,
    "p5.48xlarge": 8,
    "p5e.48xlarge": 8,
    "p5en.48xlarge": 8,
    "p6-b200.48xlarge": 8,
    "p6-b300.48xlarge": 16,
    "p6e-gb200.36xlarge": 4,
}


def test_the_table_holds_the_seven_types() -> None:
    """The table has every type that the product supports, under its own name."""
    assert set(INSTANCE_TYPES) == set(LAYOUTS)
    assert all(name == row.name for name, row in INSTANCE_TYPES.items())


@EVERY
def test_the_layout_is_the_published_one(row: InstanceType) -> None:
    """Every type's interfaces are exactly those that the EC2 User Guide recommends to save addresses."""
    assert [(each.card, each.device, each.kind) for each in row.interfaces] == LAYOUTS[row.name]


@EVERY
def test_no_card_takes_more_interfaces_than_it_can(row: InstanceType) -> None:
    """No card carries more interfaces than its limit, and every interface is on a card that exists."""
    limits = {card.index: card.max_interfaces for card in row.network_cards}
    for card, count in Counter(each.card for each in row.interfaces).items():
        assert count <= limits[card]


@EVERY
def test_a_card_carries_one_efa_at_most_and_only_if_it_can(row: InstanceType) -> None:
    """EFAs stand alone on their card, and only on cards that can do EFA."""
    efa_cards = [each.card for each in row.interfaces if each.kind == EFA_ONLY]
    able = {card.index for card in row.network_cards if card.efa}
    assert len(efa_cards) == len(set(efa_cards))
    assert set(efa_cards) <= able


@EVERY
def test_the_primary_interface_is_an_ena_interface(row: InstanceType) -> None:
    """Card 0, device 0 comes first and is a plain interface; it is the only one with an address."""
    first = row.interfaces[0]
    assert (first.card, first.device, first.kind) == (0, 0, INTERFACE)
    assert row.addresses == 1


@EVERY
def test_no_two_interfaces_share_a_place(row: InstanceType) -> None:
    """Each pair of card and device is used once, and devices on a card are numbered from 0 without a gap."""
    places = [(each.card, each.device) for each in row.interfaces]
    assert len(places) == len(set(places))
    for card in {each.card for each in row.interfaces}:
        devices = sorted(device for each, device in places if each == card)
        assert devices == list(range(len(devices)))


@EVERY
def test_cards_are_numbered_from_zero(row: InstanceType) -> None:
    """The cards stand in order, from 0 on."""
    assert [card.index for card in row.network_cards] == list(range(len(row.network_cards)))


@EVERY
def test_the_efa_count_is_that_of_the_layout(row: InstanceType) -> None:
    """The EFA count, and so the total bandwidth, is counted from the layout and within EC2's maximum."""
    assert row.efa_count == sum(1 for _, _, kind in LAYOUTS[row.name] if kind == "efa-only")
    assert row.efa_count <= row.efa_max <= sum(1 for card in row.network_cards if card.efa)
    assert row.efa_gbps_total == EFA_TOTALS_GBPS[row.name]
    assert row.efa_gb_per_s * 8 == row.efa_gbps_total


@EVERY
def test_lnet_never_asks_for_more_efas_than_are_attached(row: InstanceType) -> None:
    """LNet's count is the set-up's, but never more than the layout attaches."""
    assert row.lnet_efa_count == LNET_EFAS[row.name]
    assert row.lnet_efa_count <= row.efa_count


def test_lnet_counts_follow_a_smaller_layout() -> None:
    """With fewer EFAs attached, LNet is asked for no more than those."""
    row = instance_type("p5en.48xlarge")
    smaller = dataclasses.replace(row, interfaces=row.interfaces[:4])
    assert smaller.efa_count == 3
    assert smaller.lnet_efa_count == 3


@EVERY
def test_what_applies_fits_together(row: InstanceType) -> None:
    """NVSwitch needs NVLink, NVLink needs several GPUs, and IMEX is for arm64 UltraServer instances only."""
    assert row.has_nvlink == (row.gpus > 1)
    assert row.has_nvlink or not row.has_nvswitch
    assert row.needs_imex == (row.architecture == "arm64") == ("ultraserver-block" in row.capacity_sources)
    assert row.has_gpudirect_rdma == (row.name != "p5.4xlarge")


def test_ultraserver_instances_are_sold_in_no_other_way() -> None:
    """GB200 instances come by UltraServer block or training plan; all others never by UltraServer block."""
    for row in INSTANCE_TYPES.values():
        if row.name == "p6e-gb200.36xlarge":
            assert row.capacity_sources == ("ultraserver-block", "training-plan")
        else:
            assert "ultraserver-block" not in row.capacity_sources
            assert {"on-demand", "capacity-block"} <= set(row.capacity_sources)


@EVERY
def test_every_row_names_its_sources(row: InstanceType) -> None:
    """Rows and their GPUs say where their facts come from, each source once."""
    assert len(row.sources) >= 3
    assert len(set(row.sources)) == len(row.sources)
    assert row.gpu.sources


def test_rows_cannot_be_changed() -> None:
    """The table is read only, so that no check can bend it."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        instance_type("p5en.48xlarge").vcpus = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        INSTANCE_TYPES["p9.48xlarge"] = instance_type("p5en.48xlarge")  # type: ignore[index]
