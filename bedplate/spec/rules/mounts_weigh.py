"""STO-021: what nodes are told about file systems, containers and metrics fits into their user data."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.collection import CollectionOfPackages
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs
from bedplate.spec.orchestrator import ContainersOfPackages
from bedplate.spec.rules.file_systems import existing_ones, place_of
from bedplate.spec.rules.rule import Rule, Violation

MOST_CHARACTERS = 4000
"""What all options, paths and objects of containers may come to, so that user data with 16 mounts stays under
12 of EC2's 16 KiB: PCS adds a part of its own.
"""
EACH_OPTION = 3
"""Characters that an option takes beside its own: quotes and a comma."""
EACH_OBJECT = 87
"""Characters that an object takes beside its URI: the digest, and two names with their signs."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the file system with which options and paths come to more than user data holds."""
    told = draft.containers
    weight = 0
    if isinstance(told, ContainersOfPackages):
        weight = sum(EACH_OBJECT + len(each.uri) for each in told.objects)
    if isinstance(draft.collection, CollectionOfPackages):
        weight += sum(EACH_OBJECT + len(each.uri) for each in draft.collection.packages)
    for index, each in existing_ones(draft):
        weight += _weight(each)
        if weight > MOST_CHARACTERS:
            yield Violation(
                path=place_of(index),
                message=f"up to here, mount options and paths come to {weight} characters, {EACH_OPTION} for "
                "each option and the objects of containers and collection counted in",
                given=f"{_weight(each)} characters here",
                allowed=f"up to {MOST_CHARACTERS} characters in all",
                remedy="Give fewer or shorter options, or fewer packages of containers and collection.",
            )
            return


def _weight(each: ExistingLustre | ExistingOpenZfs | ExistingEfs) -> int:
    options = sum(EACH_OPTION + len(option) for option in each.options)
    return options + (len(each.path) if isinstance(each, ExistingOpenZfs) else 0)


RULE = Rule(
    row=CheckRow(
        id="STO-021",
        title="mount options and containers fit into the nodes' user data",
        what=(
            "`options` of all existing file systems, with 3 characters more for each option, and `path` of "
            "those on OpenZFS come to at most 4000 characters, with the URIs of `orchestrator.containers` "
            "and `observability.collection` and 87 more for each of them."
        ),
        why=(
            "What a node mounts and installs stands in its user data, of which EC2 takes 16 KiB, the part of "
            "PCS included (EC2 User Guide, user data)."
        ),
        fix="Give fewer or shorter options, mount fewer file systems, or have an image with more in it.",
        by_hand="Count the characters of `options` in environments/NAME.yaml.",
    ),
    check=check,
)
