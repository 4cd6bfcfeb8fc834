"""Invariants of every row of the instance table."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

import pytest

from bedplate.hardware import (
    EFA_ONLY,
    INSTANCE_TYPES,
    INTERFACE,
    MORE_ADDRESS_BANDWIDTH,
    InstanceType,
    Interface,
    NoSuchLayout,
    instance_type,
    layout_problems,
)

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

MORE_ADDRESSES = {
    "p5.48xlarge": [*LAYOUTS["p5.48xlarge"], *[(c, 1, "interface") for c in (4, 8, 12, 16, 20, 24, 28)]],
    "p5e.48xlarge": [*LAYOUTS["p5e.48xlarge"], *[(c, 1, "interface") for c in (4, 8, 12, 16, 20, 24, 28)]],
    "p6-b200.48xlarge": [*LAYOUTS["p6-b200.48xlarge"], *[(c, 1, "interface") for c in range(1, 8)]],
    "p6-b300.48xlarge": [*LAYOUTS["p6-b300.48xlarge"], *[(c, 1, "interface") for c in range(1, 17)]],
}
MORE_ADDRESSES_COUNT = {
    "p5.48xlarge": 8,
    "p5e.48xlarge": 8,
    "p6-b200.48xlarge": 8,
    "p6-b300.48xlarge": 17,
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


@pytest.mark.parametrize("name", sorted(MORE_ADDRESSES))
def test_more_address_bandwidth_is_the_published_layout(name: str) -> None:
    """Further ENA interfaces stand on the cards that the EC2 User Guide names, and no EFA is lost."""
    row = instance_type(name).laid_out(choice=MORE_ADDRESS_BANDWIDTH)
    found = [(each.card, each.device, each.kind) for each in row.interfaces]
    assert sorted(found) == sorted(MORE_ADDRESSES[name])
    assert row.addresses == MORE_ADDRESSES_COUNT[name]
    assert row.efa_count == instance_type(name).efa_count


@pytest.mark.parametrize("name", sorted(set(LAYOUTS) - set(MORE_ADDRESSES)))
def test_what_is_not_published_is_not_offered(name: str) -> None:
    """Types without such a layout say why, and choosing it is an error that says so."""
    reason = instance_type(name).no_more_addresses
    assert reason
    with pytest.raises(NoSuchLayout, match=re.escape(reason)):
        instance_type(name).laid_out(choice=MORE_ADDRESS_BANDWIDTH)


def test_gb200_has_four_or_eight_efas() -> None:
    """One EFA of 400 Gbps for each GPU, or one of 200 on each of the two cards that a GPU reaches."""
    row = instance_type("p6e-gb200.36xlarge")
    eight = row.laid_out(efas=8)
    found = [(each.card, each.device, each.kind) for each in eight.interfaces]
    assert found == [(0, 0, "interface"), *[(c, 0, "efa-only") for c in (1, 3, 5, 7, 9, 11, 13, 15)]]
    assert (row.efa_count, row.efa_gbps_each, row.lnet_efa_count) == (4, 400, 4)
    assert (eight.efa_count, eight.efa_gbps_each, eight.lnet_efa_count) == (8, 200, 8)
    assert row.laid_out(efas=4) == row
    with pytest.raises(NoSuchLayout, match="16 EFAs"):
        row.laid_out(efas=16)


@EVERY
def test_every_layout_has_the_same_fabric_and_fits_the_cards(row: InstanceType) -> None:
    """Whatever is chosen, EFA bandwidth is the type's, and no rule of EC2 or of the cards is broken."""
    for layout in row.layouts:
        chosen = row.laid_out(choice=layout.choice, efas=layout.efa_count)
        assert chosen.interfaces == layout.interfaces
        assert chosen.efa_gbps_total == EFA_TOTALS_GBPS[row.name]
        assert layout_problems(layout.interfaces, instance_type=row) == ()


ENA = Interface(0, 0, "interface")


@pytest.mark.parametrize(
    ("name", "interfaces", "words"),
    [
        ("p5en.48xlarge", [Interface(0, 0, "efa-only")], "the primary interface, is efa-only"),
        (
            "p5en.48xlarge",
            [Interface(1, 0, "efa-only")],
            "card 0 device 0, the primary interface, is missing",
        ),
        ("p5en.48xlarge", [ENA, Interface(16, 0, "efa-only")], "has cards 0 to 15"),
        ("p5.48xlarge", [ENA, Interface(1, 2, "interface")], "takes devices 0 to 1"),
        ("p5.48xlarge", [ENA, Interface(1, 0, "efa-only"), Interface(1, 1, "efa-only")], "card 1 has 2 EFAs"),
        ("p6-b300.48xlarge", [ENA, Interface(0, 1, "efa-only")], "the card has no EFA"),
        ("p5en.48xlarge", [ENA, ENA], "card 0 device 0 is taken 2 times"),
        ("p5en.48xlarge", [ENA, Interface(1, 0, "efa")], "of the kind 'efa'"),
        ("p5en.48xlarge", [ENA, Interface(1, -1, "efa-only")], "takes devices 0 to 3"),
    ],
)
def test_interfaces_that_ec2_or_the_cards_refuse(name: str, interfaces: list[Interface], words: str) -> None:
    """Each rule is broken once, and the answer says where and which."""
    (problem,) = layout_problems(interfaces, instance_type=instance_type(name))
    assert words in problem


def test_more_efas_than_the_type_takes() -> None:
    """The total is held too, for types that take fewer EFAs than they have cards that could carry one."""
    row = dataclasses.replace(instance_type("p5en.48xlarge"), efa_max=2)
    interfaces = [ENA, *[Interface(card, 0, "efa-only") for card in (1, 2, 3)]]
    assert layout_problems(interfaces, instance_type=row) == ("there are 3 EFAs; p5en.48xlarge takes 2",)


def test_types_that_are_not_in_the_table_have_the_general_rules() -> None:
    """Cards are not known then, but an EFA can be primary on no type."""
    assert layout_problems([ENA, Interface(40, 3, "efa-only")]) == ()
    assert layout_problems([Interface(0, 0, "efa-only")])


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
