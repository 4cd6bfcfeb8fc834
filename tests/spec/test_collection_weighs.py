"""What nodes are told about their metrics counts where there is a bound on what they can be told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bedplate.spec import load_environment
from bedplate.spec.collection import CollectionOfPackages, NoCollection
from bedplate.spec.draft import Draft, draft_of
from bedplate.spec.rules import mounts_weigh
from bedplate.spec.rules.hyperpod_folder_weighs import folder_bytes

ROOT = Path(__file__).parents[2]
PACKAGES = CollectionOfPackages.model_validate(
    {
        "kind": "packages",
        "packages": [
            {"uri": f"s3://acme-mirror/{'x' * 90}{index}.deb", "sha256": "a" * 64} for index in range(10)
        ],
    }
)


def _draft(name: str) -> Draft:
    return draft_of(load_environment(ROOT / name))


def test_objects_of_collection_count_as_those_of_containers_do() -> None:
    """Ten of them take half of what file systems and containers may come to."""
    draft = _draft("tests/stacks/environments/closed-vpc.yaml")
    assert list(mounts_weigh.check(replace(draft, collection=PACKAGES))) == []
    hyperpod = _draft("environments/hyperpod.yaml")
    without = folder_bytes(replace(hyperpod, collection=NoCollection(kind="none")))
    assert folder_bytes(replace(hyperpod, collection=PACKAGES)) - without > 10 * 200
