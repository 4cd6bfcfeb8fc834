"""The user data that a deploy gives a node, made from the hardware table as the stacks make it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from bedplate.constructs.node_bootstrap import NodeBootstrap
from bedplate.hardware import InstanceType
from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.settings import Mount, NodeSettings

PROGRAM_BUCKET, PROGRAM_KEY = "assets", "node.pyz"


def node_user_data(
    program: bytes,
    *,
    hardware: InstanceType | None,
    mounts: tuple[Mount, ...],
    environment: str = "test",
    local_nvme: str = "raid0",
    users_key: str = "",
    containers: Containers | None = None,
    collection: Collection | None = None,
) -> str:
    """Of a compute node of this type, or of a login node where there is none. Boot reports go to ``results``,
    ``program`` (the archive's bytes) is fetched from ``assets/node.pyz``.
    """
    settings = NodeSettings(
        environment=environment,
        pool="gpu",
        role="login",
        result_bucket="results",
        mounts=mounts,
        users_key=users_key,
        containers=containers,
        collection=collection,
    )
    if hardware is not None:
        settings = replace(
            settings,
            role="compute",
            gpus=hardware.gpus,
            nvme_count=hardware.nvme_count,
            nvme_gb_each=hardware.nvme_gb_each or 0,
            local_nvme=local_nvme,
            efa_count=hardware.efa_count,
            lnet_efa_count=hardware.lnet_efa_count,
            instance_type=hardware.name,
            imex=hardware.needs_imex,
        )
    return NodeBootstrap(
        settings=settings,
        program_bucket=PROGRAM_BUCKET,
        program_key=PROGRAM_KEY,
        program_sha256=hashlib.sha256(program).hexdigest(),
    ).user_data()
