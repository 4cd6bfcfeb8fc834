"""ORC-043: the life-cycle files of HyperPod's nodes fit into the request of a custom resource."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.collection import CollectionOfPackages, NoCollection
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator import ContainersOfPackages
from bedplate.spec.rules.configuration_weighs import MOST_BYTES, MOST_TEMPLATE_BYTES, settings_bytes
from bedplate.spec.rules.rule import Rule, Violation

_FRAME, _SETTINGS, _MOUNT, _OBJECT, _PARTITION, _EACH = 4000, 140, 15, 115, 80, 5
"""Bytes of what stands once; of a group's file beside what ParallelCluster's nodes are told; of a mount and
of an object of containers beside that; of a partition's line without its parameters and teams; and of the
signs around each word. Upper bounds, held by a test.
"""
_COLLECTION = 500
"""Bytes of what a group is told of its metrics beside their objects: names, region and end point."""
_TEMPLATE, _GROUP, _REFERENCES = 60_000, 1400, 215
"""Bytes of a template without the groups; of an instance group; of the references in a mount."""
_GROUPS_BESIDE_POOLS = 2


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse so many pools with so much to mount that the files cannot be handed over."""
    if draft.orchestrator_kind != "slurm-hyperpod":
        return
    for what, weight, most in (
        ("life-cycle files of HyperPod's nodes come", folder_bytes(draft), MOST_BYTES),
        ("template of HyperPod's cluster comes", template_bytes(draft), MOST_TEMPLATE_BYTES),
    ):
        if weight > most:
            yield Violation(
                path=("pools",),
                at_key=True,
                message=f"the {what} to about {weight // 1000} kB: each pool repeats what its nodes mount "
                "and install",
                given=f"{len(draft.pools)} pools, {len(draft.file_systems)} file systems",
                allowed=f"up to {most // 1000} kB",
                remedy="Join pools of one type and one source, mount fewer file systems or with shorter "
                "options, or split the file over two environments.",
            )
            return


def folder_bytes(draft: Draft) -> int:
    """An upper bound of the files as they stand in the resource's properties, JSON within JSON."""
    told = draft.containers
    objects = told.objects if isinstance(told, ContainersOfPackages) else ()
    if isinstance(draft.collection, CollectionOfPackages):
        objects = (*objects, *draft.collection.packages)
    each = (
        settings_bytes(draft)
        + _SETTINGS
        + (0 if isinstance(draft.collection, NoCollection) else _COLLECTION)
        + _MOUNT * len(draft.file_systems)
        + sum(_OBJECT + len(one.uri) for one in objects)
    )
    groups = len(draft.pools) + _GROUPS_BESIDE_POOLS
    names = sum(3 * len(pool.name) + 40 for pool in draft.pools.values())
    own = sum(_EACH + len(name) + len(value) for name, value in draft.slurm_settings.items())
    partitions = sum(
        _PARTITION
        + sum(_EACH + len(name) + len(value) for name, value in one.settings.items())
        + sum(1 + len(team) for team in one.teams)
        for one in draft.partitions.values()
    )
    return _FRAME + groups * each + names + own + partitions


def template_bytes(draft: Draft) -> int:
    """The files with the references in them, and the cluster's groups."""
    groups = len(draft.pools) + _GROUPS_BESIDE_POOLS
    return folder_bytes(draft) + _TEMPLATE + groups * (_GROUP + _REFERENCES * len(draft.file_systems))


RULE = Rule(
    row=CheckRow(
        id="ORC-043",
        title="the life-cycle files of HyperPod's nodes fit into a request",
        what="Under `slurm-hyperpod` the files that nodes are set up by come to at most 480 kB, estimated "
        "from above: for each pool what its nodes mount and install; and the template with them to at most "
        "1000 kB.",
        why=(
            "The files are handed to the function that writes them as a custom resource, whose event may "
            "have 1 MB and holds the old files beside the new (ORC-023 says more). What is over fails in the "
            "middle of the deploy. 98 pools fit with a few file systems, not with sixteen."
        ),
        fix="Join pools of one type and one source, mount fewer file systems or with shorter options, or "
        "split the file over two environments.",
        by_hand="`wc -c cdk.out/*-orchestration.template.json`: the files are most of it.",
    ),
    check=check,
)
