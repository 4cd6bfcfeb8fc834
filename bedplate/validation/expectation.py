"""What an environment promised of the nodes of a pool, as its manifest tells it."""

from __future__ import annotations

from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.manifest import ClusterManifest, PoolManifest
from bedplate.node.bootstrap.plan import STEPS
from bedplate.node.bootstrap.settings import Mount, NodeSettings


def node_expectation(*, manifest: ClusterManifest, pool: PoolManifest) -> NodeExpectation:
    """The promises to one pool's nodes."""
    wanted = manifest.validation
    return NodeExpectation(
        bootstrap_steps=_bootstrap_steps(manifest, pool),
        mounts=tuple(
            ExpectedMount(each.kind, each.mount_source, each.mount_path, each.efa)
            for each in manifest.file_systems
        ),
        lnet_efas=_lnet_efas(manifest, pool),
        local_nvme=manifest.local_nvme,
        dcgm_level=wanted.dcgm_level,
        throughput=wanted.throughput,
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
        mounts=tuple(
            Mount(each.kind, each.mount_source, each.mount_path, efa=each.efa)
            for each in manifest.file_systems
        ),
    )
    return tuple(step.name for step in STEPS if not step.why_not(settings))
