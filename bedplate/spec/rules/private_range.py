"""NET-004: the VPC's range is a private IPv4 network of a size that AWS takes."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

LARGEST_PREFIX, SMALLEST_PREFIX = 16, 25
"""A VPC is a /16 at most (VPC User Guide); below a /25 its subnets would be less than a /28."""
_PRIVATE = tuple(IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_ALLOWED = f"/{LARGEST_PREFIX} to /{SMALLEST_PREFIX} within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse what is no network, too large, too small, or not private."""
    cidr = draft.network.cidr if draft.network else None
    if cidr is None:
        return
    wrong = _wrong_with(cidr)
    if wrong is not None:
        message, remedy = wrong
        yield Violation(path=("network", "cidr"), message=message, allowed=_ALLOWED, remedy=remedy)


def _wrong_with(cidr: str) -> tuple[str, str] | None:
    example = "Give a range such as 10.40.0.0/16."
    if "/" not in cidr:
        return f"'{cidr}' has no prefix length", example
    try:
        network = IPv4Network(cidr, strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        return f"'{cidr}' is no IPv4 range", example
    if cidr != str(network):
        return f"'{cidr}' is not where a range of its size begins", f"Write {network}."
    if not LARGEST_PREFIX <= network.prefixlen <= SMALLEST_PREFIX:
        size = "large" if network.prefixlen < LARGEST_PREFIX else "small"
        return f"{cidr} is too {size} for a VPC", example
    if not any(network.subnet_of(private) for private in _PRIVATE):
        return f"{cidr} is not a private range", example
    return None


RULE = Rule(
    row=CheckRow(
        id="NET-004",
        title="the VPC's range is private and of a fitting size",
        what=("`network.cidr` is an IPv4 network, /16 to /25, within the private ranges of RFC 1918."),
        why=(
            "AWS refuses a VPC larger than a /16. Below a /25 the subnets cut from it would be "
            "smaller than a /28, the least that AWS takes. Public addresses in a VPC hide the "
            "real ones from the nodes."
        ),
        fix="Give a private range that no network you connect to uses, such as 10.40.0.0/16.",
        by_hand=(
            "`python3 -c 'import ipaddress; print(ipaddress.ip_network(\"10.40.0.0/16\"))'` parses a range."
        ),
    ),
    check=check,
)
