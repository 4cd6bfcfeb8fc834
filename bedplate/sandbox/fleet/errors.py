"""What can go wrong with the simulated fleet itself, as opposed to what is simulated."""

from __future__ import annotations

from bedplate.errors import BedplateError


class FleetError(BedplateError):
    """The fleet was asked for something that makes no sense; ids ``SBX-1xx``."""


class UnknownNode(FleetError):
    """No node of this instance id runs."""

    def __init__(self, instance_id: str) -> None:
        super().__init__(
            f"no simulated node {instance_id!r} runs",
            error_id="SBX-101",
            remedy="Ask for an instance that the sandbox has launched and not terminated.",
        )


class NodeUnreachable(FleetError):
    """The node runs but answers no command: its agent never registered, or a fault took it away."""

    def __init__(self, instance_id: str, reason: str) -> None:
        super().__init__(
            f"simulated node {instance_id} does not answer: {reason}",
            error_id="SBX-102",
            remedy="Read the node's boot.log below the sandbox's state folder.",
        )
        self.instance_id = instance_id


class FaultsRefused(FleetError):
    """A faults file that cannot be injected as it is."""

    def __init__(self, message: str, remedy: str = "Mend the faults file, or draw one from a seed.") -> None:
        super().__init__(message, error_id="SBX-103", remedy=remedy)
