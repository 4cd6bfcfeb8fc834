"""From the environment file to what a node is told about Enroot and Pyxis."""

from __future__ import annotations

from bedplate.node.bootstrap.containers import Containers, Download
from bedplate.spec.orchestrator import ContainersOfPackages, NoContainers, S3Object, SlurmCommon


def node_containers(slurm: SlurmCommon, *, folder: str, plugstack: str) -> Containers | None:
    """For nodes whose Slurm is in ``folder`` and that write Pyxis's line into the file ``plugstack``; None
    where jobs run in no containers.
    """
    told = slurm.containers
    if isinstance(told, NoContainers):
        return None
    if not isinstance(told, ContainersOfPackages):
        return Containers(slurm=folder, plugstack=plugstack)
    return Containers(
        slurm=folder,
        plugstack=plugstack,
        packages=tuple(_download(each) for each in told.packages),
        pyxis=_download(told.pyxis),
    )


def container_objects(slurm: SlurmCommon) -> tuple[tuple[str, str], ...]:
    """Bucket and key of each object that nodes fetch for containers."""
    told = slurm.containers
    if not isinstance(told, ContainersOfPackages):
        return ()
    return tuple((each.bucket, each.key) for each in told.objects)


def _download(each: S3Object) -> Download:
    return Download(each.uri, each.sha256)
