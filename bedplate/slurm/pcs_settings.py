"""The Slurm settings of a GPU training cluster on PCS."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.slurm.pcs_allow_list import checked

SCALE_DOWN_IDLE_SECONDS = 1800
"""An elastic node is kept half an hour after its last job: a GPU node takes many minutes to boot."""


def cluster_settings(*, accounting: bool) -> Mapping[str, str]:
    """slurm.conf parameters of the whole cluster."""
    settings = {
        # A step whose processes hang in the driver or in Lustre needs longer than Slurm's minute before the
        # node is taken out: NCCL's own abort and a Lustre reconnect both end within three.
        "UnkillableStepTimeout": "180",
        # A job that asks for more than a partition can ever give is refused at submission, not left pending
        # for ever.
        "EnforcePartLimits": "ALL",
    }
    if accounting:
        settings["AccountingStorageTRES"] = "gres/gpu"
    return checked(settings, scope="cluster")


def queue_settings(*, default: bool) -> Mapping[str, str]:
    """Parameters of one partition."""
    settings = {"Default": "YES"} if default else {}
    return checked(settings, scope="queue")
