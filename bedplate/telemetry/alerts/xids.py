"""Alerts of Xids, made from the catalogue: what a code means and what is done about it stands there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bedplate.hardware.xids.catalogue import XIDS
from bedplate.hardware.xids.policy import IGNORE, MONITOR, REBOOT, REPLACE, RESET, RESTART_APP
from bedplate.telemetry.alerts.alert import Alert, Severity
from bedplate.telemetry.alerts.by import CLUSTER, NODE

RECORDED = "recorded"
"""In a series of the job's, for who looks at the job: told to nobody."""
SILENT = "silent"
BY_SUB_CODE = "by sub-code"

_UNLIKE_THEIR_POLICY: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        94: ("ticket", "the program has failed, and the GPU wants a reset when convenient"),
        147: (SILENT, "NVIDIA's table of sub-codes has nothing to be done"),
        148: (SILENT, "NVIDIA's table of sub-codes has nothing to be done"),
        154: (BY_SUB_CODE, "DCGM has what it says as a state"),
        157: (SILENT, "NVIDIA says to ignore it; 156 tells of the retirement itself"),
    }
)
"""Code → what is done with it where its policy alone does not say so, and why."""

_BY_POLICY = {IGNORE: SILENT, MONITOR: "ticket", RESTART_APP: RECORDED}
_CATALOGUE = "NVIDIA Xid catalogue; bedplate.hardware.xids"
_SAME = f"{CLUSTER}, node, xid"
_WHERE = "{{ $labels.node }} ({{ $labels.instance_id }}), GPU at {{ $labels.pci_bus_id }}"
_UNFIT = f"{RESET}|{REBOOT}|{REPLACE}"


def treatment(code: int, policies: Mapping[int, str] = MappingProxyType({})) -> str:
    """``page``, ``ticket``, ``recorded``, ``silent`` ``by sub-code``; an environment's policy goes first."""
    if code in policies:
        return _BY_POLICY.get(policies[code], "page")
    if code in _UNLIKE_THEIR_POLICY:
        return _UNLIKE_THEIR_POLICY[code][0]
    if XIDS[code].decided_by == "nvlink5":
        return BY_SUB_CODE
    return _BY_POLICY.get(XIDS[code].policy, "page")


def why_unlike_policy(code: int) -> str:
    """Why a code is not treated as its policy says, empty where it is."""
    return _UNLIKE_THEIR_POLICY.get(code, ("", ""))[1]


def codes(wanted: str, policies: Mapping[int, str] = MappingProxyType({})) -> tuple[int, ...]:
    """All codes that are treated so."""
    return tuple(code for code in sorted({*XIDS, *policies}) if treatment(code, policies) == wanted)


def meaning(code: int) -> str:
    """What NVIDIA says of a code; an environment may have a policy for one that its catalogue lacks."""
    return XIDS[code].meaning if code in XIDS else "not in NVIDIA's catalogue"


def xid_alerts(policies: Mapping[int, str] = MappingProxyType({})) -> tuple[Alert, ...]:
    """The alerts, under an environment's own policies by code (``validation.xid_policies``)."""
    paging = codes("page", policies)
    of = {each: tuple(code for code in paging if _policy(code, policies) == each) for each in _ACTIONS}
    classes = tuple(_class_alert(policy, each) for policy, each in of.items() if each)
    return (*classes, _noted(codes("ticket", policies)), *_NVLINK5, *_RECOVERY, _UNKNOWN)


def seen(selector: str) -> str:
    """One series for each GPU and Xid, by the kernel log, or by DCGM where the log tells nothing of it.

    The log's counter is not differenced: a series of it begins at 1. It ends with the next boot, and so with
    the repair.
    """
    log = f"max by ({NODE}, pci_bus_id, xid) (bedplate_xid_total{{{selector}}} > 0)"
    dcgm = f"max by ({NODE}, pci_bus_id, xid) (DCGM_EXP_XID_ERRORS_COUNT{{{selector}}} > 0)"
    return f"{log} or ({dcgm} unless on ({_SAME}) bedplate_xid_total)"


def _policy(code: int, policies: Mapping[int, str]) -> str:
    return policies[code] if code in policies else XIDS[code].policy


_ACTIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        REPLACE: ("GpuXidReplace", "Drain the node and have it replaced: its hardware is not to be trusted."),
        REBOOT: ("GpuXidReboot", "Drain the node and reboot it; have it replaced if the Xid comes again."),
        RESET: (
            "GpuXidReset",
            "Drain the node and reset the GPU (on EC2: reboot); have it replaced if the Xid comes again.",
        ),
    }
)


def _class_alert(policy: str, of: tuple[int, ...]) -> Alert:
    name, action = _ACTIONS[policy]
    # Without a number in its line, of a GPU that the driver finds gone.
    also = ("off-bus",) if policy == REPLACE else ()
    return _alert(name, of, "page", action, also=also)


def _noted(of: tuple[int, ...]) -> Alert:
    action = (
        "Let the job go on; reset the GPU when it ends, and have the node replaced if the Xid comes again."
    )
    return _alert("GpuXidNoted", of, "ticket", action)


def _alert(
    name: str, of: tuple[int, ...], severity: Severity, action: str, *, also: Iterable[str] = ()
) -> Alert:
    words = {
        **{str(code): meaning(code) for code in of},
        **dict.fromkeys(also, "GPU is gone from the bus"),
    }
    plain = [each for each in words if each != "45"]
    expression = seen(f'xid=~"{"|".join(plain)}"')
    if "45" in words:
        # A consequence, where the same GPU has another.
        alone = f'unless on ({CLUSTER}, node, pci_bus_id) bedplate_xid_total{{xid!="45"}}'
        follows = seen('xid="45"')
        expression = f"{expression} or (({follows}) {alone})"
    return Alert(
        name=name,
        expression=expression,
        severity=severity,
        scope="gpu",
        summary=f"{_WHERE}, reports Xid {{{{ $labels.xid }}}}: {_choice(words)}.",
        meaning="NVIDIA's meaning of the code is in the summary, those of its class are in the runbook.",
        action=action,
        dashboard="bedplate-gpu",
        source=_CATALOGUE,
    )


def _choice(words: Mapping[str, str]) -> str:
    """A template that puts the meaning in for the code."""
    branches = [f'if eq $labels.xid "{code}" }}}}{text}' for code, text in words.items()]
    return "{{ " + "{{ else ".join(branches) + "{{ end }}"


_SUB_CODES = "|".join(
    str(code) for code in XIDS if XIDS[code].decided_by == "nvlink5" and treatment(code) != SILENT
)
_NVLINK5 = (
    Alert(
        name="GpuNvlinkXid",
        expression=f"max by ({NODE}, pci_bus_id, xid) "
        f'(bedplate_xid_total{{xid=~"{_SUB_CODES}|sxid-.+",policy=~"{_UNFIT}"}}) > 0',
        severity="page",
        scope="gpu",
        summary=f"{_WHERE}, reports Xid {{{{ $labels.xid }}}} of NVLink, whose sub-code asks for a reset.",
        meaning="Xids 144 to 150 are classes of NVLink 5; the sub-code in the line decides. "
        "An SXid comes from an NVSwitch.",
        action="Drain the node and reset its GPUs (on EC2: reboot). The line may blame the other end.",
        dashboard="bedplate-gpu",
        source="NVIDIA Xid catalogue, sheet Xid 144-150 Decode",
    ),
    Alert(
        name="GpuNvlinkXidNoted",
        expression=f"max by ({NODE}, pci_bus_id, xid) "
        f'(bedplate_xid_total{{xid=~"{_SUB_CODES}|sxid-.+",policy="{MONITOR}"}}) > 0',
        severity="ticket",
        scope="gpu",
        summary=f"{_WHERE}, reports Xid {{{{ $labels.xid }}}} of NVLink, whose sub-code wants a look.",
        meaning="Xids 144 to 150 are classes of NVLink 5; by its sub-code this one is harmless at once.",
        action="Run `bedplate validate` on the node when it is idle.",
        dashboard="bedplate-gpu",
        source="NVIDIA Xid catalogue, sheet Xid 144-150 Decode",
    ),
)
_ACTION_FIELD = f"max by ({NODE}, pci_bus_id) (DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION)"
_WANTED = (
    "{{ if eq $value 1.0 }}a reset of the GPU{{ else if eq $value 2.0 }}a reboot of the node"
    "{{ else if eq $value 4.0 }}to be drained and reset{{ else }}an action of number {{ $value }}{{ end }}"
)
_RECOVERY = (
    Alert(
        name="GpuRecoveryAction",
        # Its drivers tell by Xid 154 where DCGM has no such field; of several lines the last would count.
        expression=(
            f"({_ACTION_FIELD} > 0) != 3 or ((max by ({NODE}, pci_bus_id) "
            f'(bedplate_xid_total{{xid="154",policy=~"{_UNFIT}"}}) ^ 0) '
            f"unless on ({CLUSTER}, node) DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION)"
        ),
        severity="page",
        scope="gpu",
        summary=f"{_WHERE}: NVIDIA's driver wants {_WANTED}.",
        meaning="The driver itself says what the GPU needs (Xid 154, and DCGM's recovery action).",
        action="Drain the node, do what the driver wants, and have it replaced if that does not help.",
        dashboard="bedplate-gpu",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (1523); NVIDIA Xid catalogue, 154",
    ),
    Alert(
        name="GpuDrainPeers",
        expression=f"{_ACTION_FIELD} == 3",
        severity="ticket",
        scope="gpu",
        summary=f"{_WHERE}: NVIDIA's driver wants traffic between peers drained.",
        meaning="The GPU works on, but not over NVLink with its peers.",
        action="Drain the node when its job ends.",
        dashboard="bedplate-gpu",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (1523)",
    ),
)
_UNKNOWN = Alert(
    name="GpuXidUnknown",
    expression=f'max by ({NODE}, pci_bus_id, xid) (bedplate_xid_total{{policy="unknown"}}) > 0',
    severity="ticket",
    scope="gpu",
    summary=f"{_WHERE}, reports Xid {{{{ $labels.xid }}}}, which no table here knows.",
    meaning="NVIDIA's catalogue had no such code when the table was made, or the line cannot be read.",
    action="Read the kernel log and NVIDIA's catalogue of today.",
    dashboard="bedplate-gpu",
    source=_CATALOGUE,
)
