"""What mounts and containers may come to together, so that both fit into user data (STO-021)."""

from __future__ import annotations

import pytest

from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingLustre
from bedplate.spec.orchestrator import ContainersOfPackages
from bedplate.spec.rules.mounts_weigh import EACH_OBJECT, EACH_OPTION, MOST_CHARACTERS, RULE

CONTAINERS = ContainersOfPackages.model_validate(
    {
        "kind": "packages",
        "packages": [{"uri": "s3://acme-mirror/enroot_4.1.2-1_amd64.deb", "sha256": "a" * 64}],
        "pyxis": {"uri": "s3://acme-mirror/pyxis-0.24.0.tar.gz", "sha256": "b" * 64},
    }
)
WEIGHT = sum(EACH_OBJECT + len(each.uri) for each in CONTAINERS.objects)


def _lustre(characters: int) -> ExistingLustre:
    """One whose options come to so many characters."""
    lengths = [100] * (characters // 103)
    lengths.append(characters - 103 * len(lengths) - EACH_OPTION)
    return ExistingLustre.model_construct(
        kind="existing-lustre",
        mount="/fsx",
        id="fs-0123456789abcdef0",
        mount_name="fsx",
        options=tuple("x" * length for length in lengths),
    )


@pytest.mark.parametrize(
    ("room", "containers", "refused"),
    [
        (MOST_CHARACTERS, None, False),
        (MOST_CHARACTERS + 1, None, True),
        (MOST_CHARACTERS - WEIGHT, CONTAINERS, False),
        (MOST_CHARACTERS - WEIGHT + 1, CONTAINERS, True),
    ],
)
def test_mounts_and_containers_share_the_room(
    room: int, containers: ContainersOfPackages | None, refused: bool
) -> None:
    """What objects of containers take is no longer there for options, to the character."""
    draft = Draft(file_systems={0: _lustre(room)}, containers=containers)
    found = list(RULE.check(draft))
    assert bool(found) is refused
    assert all("the objects of containers and collection counted in" in each.message for each in found)
