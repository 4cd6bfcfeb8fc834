"""What EC2 asks of a list of network interfaces, and what an instance type's cards take.

Rules: EC2 User Guide, efa-acc-inst-types and efa ("EFA limitations"); the limits of each card are the
hardware table's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bedplate.hardware.instance import InstanceType
from bedplate.hardware.network import EFA_ONLY, INTERFACE, Interface


def layout_problems(
    interfaces: Sequence[Interface], *, instance_type: InstanceType | None = None
) -> tuple[str, ...]:
    """Return what is wrong with the interfaces of a launch, in words; nothing where all is well.

    Without ``instance_type`` (a type that the table does not have) only what holds for every type is asked.
    """
    problems = _for_any_type(interfaces)
    if instance_type is not None:
        problems += _for_the_type(interfaces, instance_type)
    return tuple(problems)


def _for_any_type(interfaces: Sequence[Interface]) -> list[str]:
    problems = [
        f"{_place(each)} is of the kind {each.kind!r}; {INTERFACE} and {EFA_ONLY} are allowed"
        for each in interfaces
        if each.kind not in (INTERFACE, EFA_ONLY)
    ]
    primary = [each for each in interfaces if (each.card, each.device) == (0, 0)]
    if not primary:
        problems.append(f"card 0 device 0, the primary interface, is missing; it has to be an {INTERFACE}")
    elif primary[0].kind != INTERFACE:
        problems.append(f"{_place(primary[0])}, the primary interface, is {primary[0].kind}")
    places = Counter((each.card, each.device) for each in interfaces)
    problems += [
        f"card {card} device {device} is taken {count} times"
        for (card, device), count in sorted(places.items())
        if count > 1
    ]
    efas = Counter(each.card for each in interfaces if each.kind != INTERFACE)
    problems += [
        f"card {card} has {count} EFAs; a card takes one" for card, count in sorted(efas.items()) if count > 1
    ]
    return problems


def _for_the_type(interfaces: Sequence[Interface], row: InstanceType) -> list[str]:
    problems = []
    cards = {card.index: card for card in row.network_cards}
    for each in interfaces:
        card = cards.get(each.card)
        if card is None:
            problems.append(f"{_place(each)}: {row.name} has cards 0 to {max(cards)}")
            continue
        if not 0 <= each.device < card.max_interfaces:
            problems.append(f"{_place(each)}: the card takes devices 0 to {card.max_interfaces - 1}")
        if each.kind != INTERFACE and not card.efa:
            problems.append(f"{_place(each)}: the card has no EFA")
    efas = sum(1 for each in interfaces if each.kind != INTERFACE)
    if efas > row.efa_max:
        problems.append(f"there are {efas} EFAs; {row.name} takes {row.efa_max}")
    return problems


def _place(interface: Interface) -> str:
    return f"card {interface.card} device {interface.device}"
