"""EC2 DescribeInstanceTopology, from the places of the simulated nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.fleet.leaves import network_nodes
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call

_IDS_AT_ONCE = 100


class InstanceTopology:
    """Where instances stand. What is no compute node has no network nodes, as EC2 has none for types that it
    does not support.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def describe(self, call: Call) -> Mapping[str, Any]:
        """One page, of instances named by id; EC2's other ways to ask are not played."""
        wanted = call.get("InstanceIds")
        if not wanted:
            raise ApiError(
                "InvalidParameterValue", "SBX-018: the sandbox tells a topology by InstanceIds only"
            )
        if call.get("MaxResults"):
            raise ApiError("InvalidParameterCombination", "MaxResults and InstanceIds exclude each other")
        if len(wanted) > _IDS_AT_ONCE:
            raise ApiError("InvalidParameterValue", f"{len(wanted)} instance ids; at most 100 are allowed")
        places = {one: place for place, one in enumerate(self._sandbox.fleet.compute_nodes())}
        return {
            "Instances": [
                {"InstanceId": one, "NetworkNodes": list(network_nodes(places[one])) if one in places else []}
                for one in wanted
            ]
        }
