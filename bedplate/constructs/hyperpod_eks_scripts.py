"""The life-cycle script of a HyperPod cluster under EKS."""

from __future__ import annotations

from pathlib import Path

from constructs import Construct

from bedplate.constructs.hyperpod_folder import HyperPodFolder

SCRIPTS = Path(__file__).parent / "hyperpod_eks_life_cycle"
ON_CREATE = "on_create.sh"


class HyperPodEksScripts(HyperPodFolder):
    """A folder with one script, which sets nothing up and says so in the node's log.

    HyperPod asks for a script in each group; what nodes need under EKS comes with its image and with pods.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
    ) -> None:
        super().__init__(scope, id, name=name, scripts=[SCRIPTS / ON_CREATE], files={}, copies={})
        self.on_create: str = ON_CREATE
        """The file in it that HyperPod runs."""
