"""Lists of interfaces, random ones: what is accepted keeps every rule, and one disturbance breaks one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.hardware import EFA_ONLY, INSTANCE_TYPES, INTERFACE, InstanceType, Interface, layout_problems

ROWS = st.sampled_from(sorted(INSTANCE_TYPES)).map(INSTANCE_TYPES.__getitem__)
ANYTHING = st.builds(
    Interface,
    st.integers(-1, 33),
    st.integers(-1, 16),
    st.sampled_from([INTERFACE, EFA_ONLY, "efa", "trunk"]),
)


def _keeps_every_rule(row: InstanceType, interfaces: list[Interface]) -> bool:
    """The rules once more, by sets instead of one after another."""
    limits = {card.index: card for card in row.network_cards}
    places = [(each.card, each.device) for each in interfaces]
    efas = [each.card for each in interfaces if each.kind == EFA_ONLY]
    return (
        {each.kind for each in interfaces} <= {INTERFACE, EFA_ONLY}
        and Interface(0, 0, INTERFACE) in interfaces
        and len(set(places)) == len(places)
        and all(card in limits and device in range(limits[card].max_interfaces) for card, device in places)
        and all(limits[card].efa for card in efas)
        and max(Counter(efas).values(), default=0) <= 1
        and len(efas) <= row.efa_max
    )


@settings(max_examples=300, deadline=None)
@given(row=ROWS, interfaces=st.lists(ANYTHING, max_size=6))
def test_any_list_is_judged_by_every_rule(row: InstanceType, interfaces: list[Interface]) -> None:
    """A list without a problem keeps every rule, and one with a problem breaks some; nothing crashes."""
    with_primary = [Interface(0, 0, INTERFACE), *interfaces]
    for tried in (interfaces, with_primary):
        assert (layout_problems(tried, instance_type=row) == ()) == _keeps_every_rule(row, tried)


@settings(max_examples=200, deadline=None)
@given(row=ROWS, choice=st.integers(0, 3), data=st.data())
def test_one_disturbance_of_a_published_layout_is_found(
    row: InstanceType, choice: int, data: st.DataObject
) -> None:
    """An interface more on a card that is full, or on a place that is taken, is never let through."""
    layout = row.layouts[choice % len(row.layouts)]
    victim = data.draw(st.sampled_from(layout.interfaces))
    cards = {card.index: card for card in row.network_cards}
    extra = data.draw(
        st.sampled_from(
            [
                victim,
                Interface(victim.card, cards[victim.card].max_interfaces, INTERFACE),
                Interface(max(cards) + 1, 0, INTERFACE),
            ]
        )
    )
    assert layout_problems([*layout.interfaces, extra], instance_type=row)


@pytest.mark.parametrize("row", INSTANCE_TYPES.values(), ids=list(INSTANCE_TYPES))
def test_no_efa_can_be_added_to_a_full_layout(row: InstanceType) -> None:
    """Where every card that can has its EFA, one more is refused on each of them."""
    layout = max(row.layouts, key=lambda each: each.efa_count)
    taken = {each.card for each in layout.interfaces if each.kind == EFA_ONLY}
    for card in taken:
        extra = Interface(card, 1, EFA_ONLY)
        assert layout_problems([*layout.interfaces, extra], instance_type=row)
