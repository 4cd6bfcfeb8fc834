"""The life-cycle scripts of a HyperPod cluster, in the bucket that HyperPod downloads them from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from constructs import Construct

from bedplate.constructs.hyperpod_folder import HyperPodFolder
from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.settings import NodeSettings

SCRIPTS = Path(__file__).parent / "hyperpod_life_cycle"
ON_CREATE = "on_create.sh"
STATIC = (ON_CREATE, "place.py", "keep_partitions.sh")

SlurmNodeType = Literal["Controller", "Login", "Compute"]


class HyperPodScripts(HyperPodFolder):
    """A bucket with one folder: ``on_create.sh``, the node program, and what each group is set up by.

    ``groups`` says each group's type of Slurm node, ``settings`` what its nodes are set up by, and
    ``slurm_settings`` is the text that the controller includes in slurm.conf, and ``partitions`` a line for
    each partition that it keeps as the line says. Groups whose nodes take jobs name ``on_create`` as
    ``OnCreate``, the controller's and the login nodes' as ``OnInitComplete``.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        groups: Mapping[str, SlurmNodeType],
        settings: Mapping[str, NodeSettings],
        slurm_settings: str,
        partitions: str = "",
        program_bucket: str,
        program_key: str,
        program_sha256: str,
    ) -> None:
        if set(groups) != set(settings):
            raise ValueError(f"groups {sorted(groups)} and settings {sorted(settings)} are not the same")
        if list(groups.values()).count("Controller") != 1:
            raise ValueError("groups: exactly one is the Controller")
        super().__init__(
            scope,
            id,
            name=name,
            scripts=[SCRIPTS / each for each in STATIC],
            files={
                "groups": "".join(f"{group} {kind}\n" for group, kind in groups.items()),
                "slurm-settings.conf": slurm_settings,
                "partitions": partitions,
                "slurmd-gate.conf": gate.DROP_IN,
                "bedplate-node.sha256": f"{program_sha256}\n",
                **{f"settings-{group}.json": f"{each.to_json()}\n" for group, each in settings.items()},
            },
            copies={"bedplate-node.pyz": (program_bucket, program_key)},
        )
        self.on_create: str = ON_CREATE
        """The file in it that HyperPod runs."""
