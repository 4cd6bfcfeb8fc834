"""The Xid catalogue as one table, and the look-up by code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.hardware.xids.entry import XidEntry
from bedplate.hardware.xids.policies import EC2_REPLACES, POLICIES_BY_XID
from bedplate.hardware.xids.policy import MONITOR, REPLACE
from bedplate.hardware.xids.rows import ENGINE_ROWS, ROWS, Row

_NVIDIA = (
    "NVIDIA Xid catalogue (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html), "
    "as mirrored by leptonai/gpud: components/accelerator/nvidia/xid/catalog_generated.go"
)
_EC2 = "aws/eks-node-monitoring-agent: monitors/nvidia/dcgm/dcgm_policies.go"


def _entry(row: Row) -> XidEntry:
    code, name, meaning, action, follow_up = row
    policy, note = POLICIES_BY_XID[code]
    return XidEntry(
        code=code,
        name=name,
        meaning=meaning,
        nvidia_action=action,
        nvidia_follow_up=follow_up,
        policy=policy,
        ec2_policy=REPLACE if code in EC2_REPLACES else MONITOR,
        note=note,
        sources=(_NVIDIA, _EC2),
    )


XIDS: Mapping[int, XidEntry] = MappingProxyType({row[0]: _entry(row) for row in sorted(ROWS + ENGINE_ROWS)})
"""Xid by code, in rising order; read only."""


def xid(code: int) -> XidEntry | None:
    """Return the row of this Xid, or ``None`` if NVIDIA does not document it or lists it as unused."""
    return XIDS.get(code)
