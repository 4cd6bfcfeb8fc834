"""What an environment promised of the nodes of a pool, as its manifest tells it."""

from __future__ import annotations

from bedplate.diagnosis.expected import ExpectedAssociation, ExpectedMount, NodeExpectation, XidPolicy
from bedplate.manifest import ClusterManifest, FileSystemManifest, PoolManifest
from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.plan import STEPS
from bedplate.node.bootstrap.settings import Mount, NodeSettings


def node_expectation(*, manifest: ClusterManifest, pool: PoolManifest) -> NodeExpectation:
    """The promises to one pool's nodes."""
    wanted = manifest.validation
    return NodeExpectation(
        bootstrap_steps=_bootstrap_steps(manifest, pool),
        mounts=tuple(_mount(manifest, each) for each in manifest.file_systems),
        lnet_efas=_lnet_efas(manifest, pool),
        local_nvme=manifest.local_nvme,
        dcgm_level=wanted.dcgm_level,
        throughput=wanted.throughput,
        xid_policies=tuple(XidPolicy(each.xid, each.policy, each.reason) for each in wanted.xid_policies),
    )


def _mount(manifest: ClusterManifest, each: FileSystemManifest) -> ExpectedMount:
    """One file system, with the share of its throughput that every node has left where all use it at once."""
    nodes = sum(pool.node_count_max for pool in manifest.pools)
    known = each.kind == "lustre" and each.throughput_mb_per_s is not None and nodes > 0
    return ExpectedMount(
        kind=each.kind,
        source=each.mount_source,
        path=each.mount_path,
        efa=each.efa,
        share_gb_per_s=(each.throughput_mb_per_s or 0) / 1000 / nodes if known else None,
        associations=tuple(
            ExpectedAssociation(one.path, one.data_repository, tuple(one.imports), tuple(one.exports))
            for one in each.associations
        ),
    )


def _lnet_efas(manifest: ClusterManifest, pool: PoolManifest) -> int:
    return pool.hardware.lnet_efa_count if any(each.efa for each in manifest.file_systems) else 0


def _bootstrap_steps(manifest: ClusterManifest, pool: PoolManifest) -> tuple[str, ...]:
    """The steps that a node's bootstrap must have done: those that the node program itself would not skip."""
    hardware = pool.hardware
    settings = NodeSettings(
        environment=manifest.environment,
        pool="",
        role="compute",
        result_bucket=manifest.validation.result_bucket,
        gpus=hardware.gpus,
        nvme_count=hardware.nvme_count,
        nvme_gb_each=hardware.nvme_gb_each,
        local_nvme=manifest.local_nvme,
        efa_count=hardware.efa_count,
        lnet_efa_count=_lnet_efas(manifest, pool),
        instance_type=hardware.name,
        users_key=manifest.users_key or "",
        # How often they look is no matter; that they do by themselves is: nothing else has them.
        list_minutes=1 if manifest.orchestrator.kind == "slurm-hyperpod" else 0,
        # Which Slurm they are for is the node's to know.
        containers=Containers("/") if manifest.containers else None,
        # Where they send it to is the node's to know.
        collection=Collection("-", "-", "-", "-") if manifest.collection else None,
        mounts=tuple(
            Mount(each.kind, each.mount_source, each.mount_path, efa=each.efa)
            for each in manifest.file_systems
        ),
    )
    return tuple(step.name for step in STEPS if not step.why_not(settings))
