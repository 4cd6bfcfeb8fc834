"""GPU-007: persistence mode is on, and the fabric manager has joined the GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.gpu_details_support import incomplete, missing
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog, GpuDetails
from bedplate.diagnosis.parsers.systemctl_show import UnitState, parse_systemctl_show
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="GPU-007",
    title="persistence mode is on and the fabric manager runs",
    what="`nvidia-smi -q -x` shows persistence mode on every GPU, and on types with NVLink that the fabric's "
    "registration of each is `Completed` with `Success`. On types with NVSwitches inside the instance, "
    "systemd shows that `nvidia-fabricmanager` is active. UltraServers have no fabric manager of their own; "
    "see IMX-001.",
    why="Without persistence mode the driver unloads between jobs: each start takes seconds longer, and "
    "settings are lost. Without the fabric manager no CUDA program starts on a machine with NVSwitches: "
    "`system not yet initialized`.",
    fix="`nvidia-smi -pm 1`; `systemctl restart nvidia-fabricmanager`, whose version must be the driver's "
    "own. Settings, not hardware: do not drain.",
    by_hand="`nvidia-smi -q | grep -E 'Persistence Mode|Fabric' -A 2`; `systemctl status "
    "nvidia-fabricmanager`. Before Hopper the GPUs tell nothing of the fabric.",
)

_UNASKED: Reading[Mapping[str, UnitState]] = Reading(None, "nobody asked")
_JOINED = {"fabric_state": "completed", "fabric_status": "success"}


def check(
    *,
    node: str,
    details: Reading[DetailsLog],
    units: Reading[Mapping[str, UnitState]],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where a setting or a service is not as it must be, error where nobody tells, else pass."""
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=0,
        unit="settings and services that are wrong",
        source="NVIDIA driver and Fabric Manager documentation",
    )
    gpus = () if details.record is None else details.record.gpus
    needs_manager = _needs_manager(instance_type)
    off = [
        f"GPU {gpu.bus_id}: persistence mode is off" for gpu in gpus if gpu.flag("persistence_mode") is False
    ]
    apart = [line for gpu in gpus if instance_type.has_nvlink and (line := _apart(gpu))]
    stopped = _stopped(units) if needs_manager else ""
    faults = off + apart + ([stopped] if stopped else [])
    if faults:
        cause = "persistence-off" if not apart and not stopped else "fabric-manager-down"
        return writer.failed(
            faults[-1] if stopped else faults[0], cause=cause, measured=len(faults), lines=faults
        )
    if details.record is None:
        return writer.error(f"Persistence mode cannot be read: {details.problem}")
    problem = incomplete(details, instance_type) or (units.problem if needs_manager else "")
    if problem:
        return writer.error(f"Settings cannot be trusted: {problem}")
    untold = missing(gpus, ("persistence_mode", *(_JOINED if instance_type.has_nvlink else ())))
    if untold:
        return writer.error(untold[0], lines=untold)
    return writer.passed(
        "Persistence mode is on" + (" and the fabric manager runs" if needs_manager else ""), measured=0
    )


def _needs_manager(instance_type: InstanceType) -> bool:
    return instance_type.has_nvswitch and not instance_type.needs_imex


def _apart(gpu: GpuDetails) -> str:
    """A GPU that says that it has not joined its NVLink fabric."""
    for field, wanted in _JOINED.items():
        word = gpu.word(field)
        if word is not None and word.lower() != wanted:
            return f"GPU {gpu.bus_id}: its fabric's {field.partition('_')[2]} is {word!r}"
    return ""


def _stopped(units: Reading[Mapping[str, UnitState]]) -> str:
    state = (units.record or {}).get(gpu_tools.FABRIC_MANAGER)
    if state is None or state.running:
        return ""
    return f"{gpu_tools.FABRIC_MANAGER} is {state.active} (it is {state.load})"


def _units(facts: NodeFacts) -> Reading[Mapping[str, UnitState]]:
    reading = read_tool(answer=facts.answer, argv=gpu_tools.FABRIC_MANAGER_UNIT, parse=parse_systemctl_show)
    if reading.record is not None and not reading.problem and gpu_tools.FABRIC_MANAGER not in reading.record:
        return Reading(reading.record, f"systemctl says nothing of {gpu_tools.FABRIC_MANAGER}")
    return reading


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        details=facts.gpu_details,
        units=_units(facts) if _needs_manager(facts.instance_type) else _UNASKED,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)
