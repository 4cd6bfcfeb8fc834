"""The general rule for interfaces, and cards in a row (EC2 User Guide, efa-acc-inst-types).

Card 0, device 0 is always an ENA interface. If card 0 can do EFA, an ``efa-only`` stands on its device 1.
Every other card carries an ``efa-only`` on device 0. There is one EFA a card at most.
"""

from __future__ import annotations

from collections.abc import Iterable

from bedplate.hardware.network import (
    EFA_ONLY,
    INTERFACE,
    MORE_ADDRESS_BANDWIDTH,
    Interface,
    InterfaceLayout,
    NetworkCard,
)

EVERY_EC2_SOURCE = (
    "on-demand",
    "open-reservation",
    "targeted-reservation",
    "interruptible-reservation",
    "capacity-block",
    "training-plan",
    "spot",
)
"""What an instance type that is also sold on demand can be bought by; reservations follow from on-demand."""


def like_cards(*, count: int, max_interfaces: int, gbps: float | None) -> tuple[NetworkCard, ...]:
    """Return ``count`` cards of one kind, each of which can do EFA."""
    return tuple(NetworkCard(index, max_interfaces, True, gbps) for index in range(count))


def saving_addresses(
    cards: tuple[NetworkCard, ...], *, efa_cards: Iterable[int] | None = None
) -> tuple[Interface, ...]:
    """Return the layout with one address and an EFA on every card that has one.

    ``efa_cards`` limits the EFAs to these cards, for types on which more of them add no bandwidth.
    """
    wanted = {card.index for card in cards if card.efa} if efa_cards is None else set(efa_cards)
    primary = [Interface(card=0, device=0, kind=INTERFACE)]
    efas = [
        Interface(card=card.index, device=1 if card.index == 0 else 0, kind=EFA_ONLY)
        for card in cards
        if card.index in wanted
    ]
    return tuple(primary + efas)


def more_addresses(
    saving: tuple[Interface, ...], *, ena_cards: Iterable[int], efa_gbps_each: int
) -> InterfaceLayout:
    """Return the layout ``saving`` with a further ENA interface on device 1 of each of ``ena_cards``."""
    further = [Interface(card=card, device=1, kind=INTERFACE) for card in ena_cards]
    return InterfaceLayout(
        choice=MORE_ADDRESS_BANDWIDTH,
        interfaces=tuple(sorted([*saving, *further], key=lambda each: (each.card, each.device))),
        efa_gbps_each=efa_gbps_each,
    )
