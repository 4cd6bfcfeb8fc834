"""Capacity Blocks in EC2: what they are of, and how well the part that is delivered is.

A reservation of the option ``capacity_reservations`` that has a ``CapacityBlockId`` is in a block. The option
``capacity_blocks`` (block id → members as EC2 names them) adds what no reservation says: ``UltraserverType``,
``InterconnectStatus`` (``ok`` unless given), ``TotalUnavailableCapacity`` (0 unless given).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.reservations import known_reservations
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call


class CapacityBlocks:
    """Answers DescribeCapacityBlocks and DescribeCapacityBlockStatus."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def blocks(self, call: Call) -> Mapping[str, Any]:
        """The blocks that were asked for, or all."""
        return {"CapacityBlocks": [self._block(block, rows) for block, rows in self._wanted(call)]}

    def status(self, call: Call) -> Mapping[str, Any]:
        """The state of their interconnect and capacity."""
        return {"CapacityBlockStatuses": [self._status(block, rows) for block, rows in self._wanted(call)]}

    def _wanted(self, call: Call) -> list[tuple[str, dict[str, Mapping[str, Any]]]]:
        if call.get("Filters"):
            raise ApiError("InvalidParameterValue", "SBX-018: the sandbox knows no filter of Capacity Blocks")
        known: dict[str, dict[str, Mapping[str, Any]]] = {}
        for reservation, row in known_reservations(self._sandbox).items():
            if row.get("CapacityBlockId"):
                known.setdefault(str(row["CapacityBlockId"]), {})[reservation] = row
        wanted = call.get("CapacityBlockIds") or list(known)
        missing = [block for block in wanted if block not in known]
        if missing:
            raise ApiError(
                "InvalidCapacityBlockId.NotFound", f"The Capacity Block ID '{missing[0]}' does not exist"
            )
        return [(block, known[block]) for block in wanted]

    def _block(self, block: str, rows: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        first = next(iter(rows.values()))
        copied = ("AvailabilityZone", "AvailabilityZoneId", "StartDate", "EndDate", "State")
        return {
            "CapacityBlockId": block,
            "CapacityReservationIds": list(rows),
            **{name: first[name] for name in copied if name in first},
            **{name: value for name, value in self._more(block).items() if name == "UltraserverType"},
        }

    def _status(self, block: str, rows: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        more = self._more(block)
        total = sum(int(row.get("TotalInstanceCount", 0)) for row in rows.values())
        unavailable = int(more.get("TotalUnavailableCapacity", 0))
        return {
            "CapacityBlockId": block,
            "InterconnectStatus": more.get("InterconnectStatus", "ok"),
            "TotalCapacity": total,
            "TotalAvailableCapacity": total - unavailable,
            "TotalUnavailableCapacity": unavailable,
        }

    def _more(self, block: str) -> Mapping[str, Any]:
        found: Mapping[str, Mapping[str, Any]] = self._sandbox.options.section("capacity_blocks", {})
        return found.get(block, {})
