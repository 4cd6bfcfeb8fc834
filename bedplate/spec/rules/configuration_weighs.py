"""ORC-023: ParallelCluster's configuration fits into the request of a custom resource."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import CREATE, TargetedReservation
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingOpenZfs
from bedplate.spec.orchestrator import Partition
from bedplate.spec.rules.file_systems import existing_ones
from bedplate.spec.rules.rule import Rule, Violation

MOST_BYTES = 480_000
"""What the configuration may come to. CloudFormation sends a custom resource to its function as an event (an
asynchronous invocation), which Lambda takes up to 1 MB of, and an update's event holds the old configuration
beside the new one.
"""
MOST_TEMPLATE_BYTES = 1_000_000
"""CloudFormation User Guide, "Understand CloudFormation quotas": a template's body by S3."""
_FRAME, _QUEUE, _RESOURCE, _SETTINGS, _MOUNT, _EACH = 3000, 1500, 500, 480, 165, 5
"""Bytes of what stands once; for each partition; for each pool; of a node's settings without mounts; of a
mount without its path and options; and of the quotes around each word. Upper bounds, held by a test.
"""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse so many pools, partitions and mounts that the configuration cannot be handed over."""
    if draft.orchestrator_kind != "slurm-parallelcluster":
        return
    for what, weight, most in (
        ("configuration", configuration_bytes(draft), MOST_BYTES),
        ("template", _template_bytes(draft), MOST_TEMPLATE_BYTES),
    ):
        if weight > most:
            yield Violation(
                path=("pools",),
                at_key=True,
                message=f"the {what} of ParallelCluster's cluster comes to about {weight // 1000} kB: each "
                "pool repeats what its nodes mount",
                given=f"{len(draft.pools)} pools, {len(draft.file_systems)} file systems",
                allowed=f"up to {most // 1000} kB",
                remedy="Join pools of one type and one source, mount fewer file systems or with shorter "
                "options, or split the file over two environments.",
            )
            return


def configuration_bytes(draft: Draft) -> int:
    """An upper bound of the configuration as JSON."""
    settings = settings_bytes(draft)
    by_name = {pool.name: pool for pool in draft.pools.values()}
    queues = sum(
        _QUEUE
        + _words(each)
        + sum(
            # The script gets the settings at both of ParallelCluster's moments.
            _RESOURCE + 2 * (settings + len(name)) + 2 * len(name)
            for name in each.pools
            if name in by_name
        )
        for each in draft.partitions.values()
    )
    tags = sum(30 + len(key) + len(value) for key, value in draft.tags.items())
    own = sum(_EACH + len(name) + len(value) for name, value in draft.slurm_settings.items())
    beside_pools = 2 * 2 * settings  # the head node's and the login nodes', at both moments
    folders = sum(_MOUNT + len(each.mount) for each in draft.file_systems.values())
    return _FRAME + beside_pools + folders + queues + tags + own


def _template_bytes(draft: Draft) -> int:
    """The configuration with indentation and the references in it, and the reservations that are made, each
    in a group of its own; both carry all tags.
    """
    sources = [pool.capacity for pool in draft.pools.values()]
    made = sum(isinstance(each, TargetedReservation) and each.reservation == CREATE for each in sources)
    tags = sum(90 + len(key) + len(value) for key, value in draft.tags.items())
    bytes_made: int = made * 2 * (1000 + tags)
    return configuration_bytes(draft) * 9 // 5 + bytes_made


def settings_bytes(draft: Draft) -> int:
    """What a node is told: JSON within JSON, in which a quote takes two bytes."""
    options = sum(_EACH + len(option) for _, each in existing_ones(draft) for option in each.options)
    mounts = sum(_MOUNT + len(each.mount) for each in draft.file_systems.values())
    paths = sum(len(each.path) for _, each in existing_ones(draft) if isinstance(each, ExistingOpenZfs))
    return _SETTINGS + mounts + paths + options


def _words(partition: Partition) -> int:
    """A partition's Slurm parameters, and the teams that may use it."""
    own = sum(_EACH + len(name) + len(value) for name, value in partition.settings.items())
    return own + sum(1 + len(team) for team in partition.teams)


RULE = Rule(
    row=CheckRow(
        id="ORC-023",
        title="ParallelCluster's configuration fits into a request",
        what="Under `slurm-parallelcluster` the configuration made of pools, partitions, mounts, options and "
        "Slurm parameters comes to at most 480 kB, estimated from above: for each pool twice what its nodes "
        "mount; and the template with it to at most 1000 kB.",
        why=(
            "The configuration is handed to ParallelCluster's function as a custom resource. CloudFormation "
            "invokes it asynchronously, which Lambda takes 1 MB for (Lambda API, Invoke), and an update's "
            "request holds the old configuration beside the new. What is over fails in the middle of the "
            "deploy (`payload is too large for the Event invocation type`). That CloudFormation uses the "
            "whole of the 1 MB, which was 256 KB before, is unverified. The template itself may have 1 MB, "
            "with the reservations that are made and their tags."
        ),
        fix="Join pools of one type and one source, mount fewer file systems or with shorter options, or "
        "split the file over two environments.",
        by_hand="`wc -c cdk.out/*-orchestration.template.json`: the configuration is most of it.",
    ),
    check=check,
)
