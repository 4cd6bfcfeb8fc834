"""Xids."""

from __future__ import annotations

from bedplate.hardware.xids.catalogue import XIDS
from bedplate.telemetry.alerts.xids import codes
from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import GPU, Series, gpu, node

_ON = "train-1 (i-0a1), GPU at 00000000:53:00.0"
_BUS = {"pci_bus_id": GPU["pci_bus_id"]}


def _log(xid: int | str, policy: str = "") -> Series:
    """A line in the kernel log: the counter's series begins with it."""
    known = XIDS[xid].policy if isinstance(xid, int) else "replace"
    return node("bedplate_xid_total", "_", 1, **_BUS, xid=str(xid), policy=policy or known)


def _dcgm(xid: int) -> Series:
    return gpu("DCGM_EXP_XID_ERRORS_COUNT", "_", 1, xid=str(xid), window_size_in_ms="300000")


def _by_class(alert: str, *of: int) -> tuple[Case, ...]:
    return tuple(
        Case(
            alert=alert,
            faulty=(source,),
            after_minutes=0,
            summary=f"{_ON}, reports Xid {code}: {XIDS[code].meaning}.",
            labels={**_BUS, "xid": str(code)},
        )
        for code in of
        for source in (_log(code), _dcgm(code))
    )


_OF_PROGRAMS = {f"Xid {code} is a program's": (_log(code), _dcgm(code)) for code in (13, 31, 43, 45)}
_IGNORED = {f"Xid {code} is ignored": (_log(code), _dcgm(code)) for code in (147, 148, 157)}
_NO_PAGE = {f"Xid {code} wakes nobody": (_log(code), _dcgm(code)) for code in (63, 94)}

CASES = (
    *_by_class("GpuXidReplace", 54, 64, 79),
    Case(
        alert="GpuXidReplace",
        faulty=(_log("off-bus"),),
        after_minutes=0,
        summary=f"{_ON}, reports Xid off-bus: GPU is gone from the bus.",
        labels={**_BUS, "xid": "off-bus"},
        silent={**_OF_PROGRAMS, **_IGNORED, **_NO_PAGE},
    ),
    *_by_class("GpuXidReboot", 151, 167, 168),
    *_by_class("GpuXidReset", *(code for code in codes("page") if XIDS[code].policy == "reset")),
    Case(
        alert="GpuXidReset",
        faulty=(_log(48), _dcgm(48)),
        after_minutes=0,
        summary=f"{_ON}, reports Xid 48: {XIDS[48].meaning}.",
        labels={**_BUS, "xid": "48"},
        silent={**_OF_PROGRAMS, **_IGNORED, **_NO_PAGE},
    ),
    *_by_class("GpuXidNoted", 63, 94, 92),
    Case(
        alert="GpuXidNoted",
        faulty=(_log(63),),
        after_minutes=0,
        summary=f"{_ON}, reports Xid 63: {XIDS[63].meaning}.",
        labels={**_BUS, "xid": "63"},
        silent={**_OF_PROGRAMS, **_IGNORED},
    ),
    Case(
        alert="GpuNvlinkXid",
        faulty=(_log(149, "reset"),),
        after_minutes=0,
        summary=f"{_ON}, reports Xid 149 of NVLink, whose sub-code asks for a reset.",
        labels={**_BUS, "xid": "149"},
        silent={
            "a sub-code that is worth a look": (_log(149, "monitor"),),
            "a sub-code that is to be ignored": (_log(144, "ignore"),),
            **_IGNORED,
        },
    ),
    Case(
        alert="GpuNvlinkXid",
        faulty=(_log("sxid-20034", "reset"),),
        after_minutes=0,
        summary=f"{_ON}, reports Xid sxid-20034 of NVLink, whose sub-code asks for a reset.",
        labels={**_BUS, "xid": "sxid-20034"},
    ),
    Case(
        alert="GpuNvlinkXidNoted",
        faulty=(_log(149, "monitor"),),
        after_minutes=0,
        summary=f"{_ON}, reports Xid 149 of NVLink, whose sub-code wants a look.",
        labels={**_BUS, "xid": "149"},
        silent={"a sub-code that is to be ignored": (_log(144, "ignore"),), **_IGNORED},
    ),
    *(
        Case(
            alert="GpuRecoveryAction",
            faulty=(gpu("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", 0, action),),
            after_minutes=0,
            summary=f"{_ON}: NVIDIA's driver wants {wanted}.",
            labels=_BUS,
            silent={"peers to be drained": (gpu("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", 0, 3),)},
        )
        for action, wanted in (
            (1, "a reset of the GPU"),
            (2, "a reboot of the node"),
            (4, "to be drained and reset"),
            (7, "an action of number 7"),
        )
    ),
    Case(
        alert="GpuRecoveryAction",
        faulty=(_log(154, "reset"),),
        after_minutes=0,
        summary=f"{_ON}: NVIDIA's driver wants a reset of the GPU.",
        labels=_BUS,
        silent={
            "a later line has taken it back, as DCGM knows": (
                _log(154, "reset"),
                gpu("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", 0, 0),
            ),
            "nothing is wanted": (_log(154, "ignore"),),
        },
    ),
    Case(
        alert="GpuDrainPeers",
        faulty=(gpu("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", 0, 3),),
        after_minutes=0,
        summary=f"{_ON}: NVIDIA's driver wants traffic between peers drained.",
        labels=_BUS,
    ),
    Case(
        alert="GpuXidUnknown",
        faulty=(_log("777", "unknown"),),
        after_minutes=0,
        summary=f"{_ON}, reports Xid 777, which no table here knows.",
        labels={**_BUS, "xid": "777"},
    ),
)
