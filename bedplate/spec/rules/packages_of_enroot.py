"""ORC-031: the packages of containers can be installed together, and Enroot is among them."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator import ContainersOfPackages
from bedplate.spec.rules.rule import Rule, Violation

ENDINGS = (".deb", ".rpm")
_ENROOT = ("enroot_", "enroot-")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse what is no package, packages of two kinds, a file twice, and packages without Enroot's own."""
    told = draft.containers
    if not isinstance(told, ContainersOfPackages):
        return
    place = ("orchestrator", "containers", "packages")
    first = next((end for each in told.packages if (end := each.name[-4:]) in ENDINGS), ENDINGS[0])
    seen: set[str] = set()
    for index, each in enumerate(told.packages):
        if each.name[-4:] != first:
            yield Violation(
                path=(*place, index, "uri"),
                message=f"{each.name} is no {first} as the others are",
                allowed=f"a file that ends in {first}",
                remedy="Give packages for one distribution: .deb for Ubuntu, .rpm for Amazon Linux.",
            )
        elif each.name in seen:
            yield Violation(
                path=(*place, index, "uri"),
                message=f"a file {each.name} is in the list already",
                allowed="each file once",
                remedy="Take one of them out.",
            )
        seen.add(each.name)
    if not any(each.name.startswith(_ENROOT) for each in told.packages):
        yield Violation(
            path=(*place, 0, "uri"),
            message="none of the packages is Enroot's own",
            allowed="a file whose name begins with enroot_ or enroot-",
            remedy="Add Enroot's package, such as enroot_4.1.2-1_amd64.deb.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-031",
        title="Enroot's packages go together",
        what=(
            "`orchestrator.containers.packages` are all .deb or all .rpm, no file name is there twice, and "
            "one is Enroot's (`enroot_…` or `enroot-…`)."
        ),
        why=(
            "A node gives them to apt or to dnf at once. What they refuse ends the boot of every node, after "
            "network and file systems have been made."
        ),
        fix="Give the packages of one distribution, Enroot's own among them.",
        by_hand="`aws s3 ls` on the bucket's folder.",
    ),
    check=check,
)
