"""What a node's answers say: the front door of the diagnosis for one node.

An answer is the JSON object that the node program prints (``schema`` 1): ``tools`` as in
``bedplate.diagnosis.tools``, ``infiniband`` (the probe's listing of sysfs: ``[{"name", "vendor", "device",
"driver", "hw_counters": {name: int}}]``, null where it could not be read) and ``files``
(``{"efa_installed_packages": text or null, "bootstrap": text or null}``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bedplate.diagnosis import tools
from bedplate.diagnosis.checks import (
    dcgm_level_1,
    dcgm_level_2,
    efa_devices,
    gpu_count,
    gpu_ecc,
    gpu_row_remap,
    gpu_xid,
    nccl_in_node,
    node_answered,
    node_bootstrap,
    nvlink_status,
)
from bedplate.diagnosis.checks.bandwidth_rule import expectation, trusted_bandwidth
from bedplate.diagnosis.checks.collective_run import Asked, CollectiveRun, read_run
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgmi_nvlink import parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.efa_sysfs import EfaSysfs, parse_efa_sysfs
from bedplate.diagnosis.parsers.fi_info import parse_fi_info
from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log
from bedplate.diagnosis.parsers.nvidia_smi_csv import parse_nvidia_smi_csv
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.hardware import InstanceType

BEGIN_BYTES = 8
DEFAULT_SIZE_BYTES = 16 * 1024**3


@dataclass(frozen=True)
class ExerciseJudgement:
    """The verdicts on one node's exercise, and the bandwidths that it measured (none where it could not)."""

    verdicts: tuple[Verdict, ...]
    measurements: tuple[Measurement, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    """``nccl``, ``aws-ofi-nccl``, ``libfabric-api`` (what the plugin uses) → version, as NCCL's log tells."""


def judge_answered(
    *, node: str, problem: str | None = None, unreachable: bool = False, evidence: Sequence[str] = ()
) -> Verdict:
    """NOD-001: whether the node answered, whole, for itself and fresh.

    ``problem`` says in words what is wrong with the answer (empty, cut, another node's, another nonce), None
    where nothing is. ``unreachable`` says that no command could reach the node at all, which is a fail with
    the cause ``node-unreachable``; any other problem is an error.
    """
    return node_answered.check(node=node, problem=problem, unreachable=unreachable, evidence=evidence)


def judge_unanswered(
    *, node: str, check_ids: Sequence[str], reason: str, evidence: Sequence[str] = ()
) -> list[Verdict]:
    """One error for each check that an answer should have decided and no usable answer came for."""
    subject = node_subject(node)
    return [
        Writer(check_id=check_id, subject=subject, evidence=evidence).error(f"No usable answer: {reason}")
        for check_id in check_ids
    ]


def judge_probe(
    *,
    node: str,
    answer: Mapping[str, object],
    instance_type: InstanceType,
    bootstrap_steps: Sequence[str] = (node_bootstrap.PROGRAM,),
    evidence: Sequence[str] = (),
) -> list[Verdict]:
    """The passive checks of one node: NOD-002, GPU-001 to GPU-004, NVL-001, EFA-001, in this order, one each.

    A part that the type does not have gives not-applicable; a tool that is missing, ended badly, ran past its
    deadline or printed what cannot be read gives error, unless it shows a fault all the same.
    ``bootstrap_steps`` are the steps that the node's bootstrap must have done.
    """
    gpus = read_tool(answer=answer, argv=tools.NVIDIA_SMI, parse=parse_nvidia_smi_csv, with_stderr=True)
    log = read_tool(answer=answer, argv=tools.KERNEL_LOG, parse=parse_kernel_log)
    links = read_tool(answer=answer, argv=tools.DCGMI_NVLINK, parse=parse_dcgmi_nvlink)
    fabric = read_tool(answer=answer, argv=tools.FI_INFO, parse=parse_fi_info)
    return [
        node_bootstrap.check(node=node, answer=answer, steps=bootstrap_steps, evidence=evidence),
        gpu_count.check(node=node, gpus=gpus, instance_type=instance_type, evidence=evidence),
        gpu_ecc.check(node=node, gpus=gpus, instance_type=instance_type, evidence=evidence),
        gpu_row_remap.check(node=node, gpus=gpus, instance_type=instance_type, evidence=evidence),
        gpu_xid.check(node=node, log=log, evidence=evidence),
        nvlink_status.check(node=node, links=links, instance_type=instance_type, evidence=evidence),
        efa_devices.check(
            node=node, sysfs=_sysfs(answer), fabric=fabric, instance_type=instance_type, evidence=evidence
        ),
    ]


def judge_exercise(
    *,
    node: str,
    answer: Mapping[str, object],
    instance_type: InstanceType,
    dcgm_level: int,
    collective: str = "all_reduce",
    size_bytes: int = DEFAULT_SIZE_BYTES,
    evidence: Sequence[str] = (),
) -> ExerciseJudgement:
    """The checks of one node under load: DCG-001, DCG-002 (from level 2 on), NCL-001 (from two GPUs on)."""
    argv = tools.dcgm_diag_argv(level=dcgm_level)
    diag = read_tool(answer=answer, argv=argv, parse=parse_dcgm_diag)
    verdicts = [dcgm_level_1.check(node=node, diag=diag, instance_type=instance_type, evidence=evidence)]
    if dcgm_level >= 2:
        verdicts.append(
            dcgm_level_2.check(node=node, diag=diag, instance_type=instance_type, evidence=evidence)
        )
    if instance_type.gpus < 2:
        return ExerciseJudgement(tuple(verdicts), ())
    run = _in_node_run(answer, instance_type, collective, size_bytes)
    expected = expectation(instance_type=instance_type, collective=collective, nodes=1, size_bytes=size_bytes)
    verdicts.append(nccl_in_node.check(node=node, run=run, expected=expected, evidence=evidence))
    busbw = trusted_bandwidth(run=run, expected=expected)
    versions = _nccl_versions(run)
    if busbw is None:
        return ExerciseJudgement(tuple(verdicts), (), versions)
    measurement = Measurement(
        collective=collective,
        scope="in-node",
        nodes=(node,),
        ranks=instance_type.gpus,
        size_bytes=size_bytes,
        busbw_gb_per_s=busbw,
        floor_gb_per_s=None if expected.floor is None else expected.floor.value_gb_per_s,
        ceiling_gb_per_s=None if expected.ceiling is None else expected.ceiling.value_gb_per_s,
        source=expected.source,
    )
    return ExerciseJudgement(tuple(verdicts), (measurement,), versions)


def software_versions(answer: Mapping[str, object]) -> dict[str, str]:
    """Component → version as the node's probe tells it; what it does not tell is left out.

    Keys: ``kernel``, ``nvidia-driver``, ``efa-installer``, ``efa-driver``, ``dcgm``, ``libfabric``.
    """
    found = {
        "kernel": _word(answer, tools.UNAME, r"(\S+)"),
        "nvidia-driver": _driver(answer),
        "efa-installer": _efa_installer(answer),
        "efa-driver": _word(answer, tools.EFA_DRIVER_VERSION, r"(\S+)"),
        "dcgm": _word(answer, tools.DCGM_VERSION, r"[Vv]ersion\s*:?\s*v?(\d[\w.+-]*)"),
        "libfabric": _word(answer, tools.LIBFABRIC_VERSION, r"libfabric:?\s+v?(\d[\w.+-]*)"),
    }
    return {name: version for name, version in found.items() if version}


def _nccl_versions(run: CollectiveRun) -> dict[str, str]:
    if run.info is None:
        return {}
    told = {
        "nccl": run.info.nccl_versions,
        "aws-ofi-nccl": run.info.plugin_versions,
        "libfabric-api": run.info.libfabric_versions,
    }
    return {name: ", ".join(versions)[:60] for name, versions in told.items() if versions}


def _sysfs(answer: Mapping[str, object]) -> Reading[EfaSysfs]:
    if answer.get("infiniband") is None:
        return Reading(None, "the answer holds no listing of /sys/class/infiniband")
    try:
        return Reading(parse_efa_sysfs(answer["infiniband"]))
    except ParseError as error:
        return Reading(None, str(error))


def _in_node_run(
    answer: Mapping[str, object], instance_type: InstanceType, collective: str, size_bytes: int
) -> CollectiveRun:
    argv = tools.in_node_collective_argv(collective=collective, gpus=instance_type.gpus)
    asked = Asked(collective, instance_type.gpus, BEGIN_BYTES, size_bytes)
    run = tools.find_run(answer=answer, argv=argv)
    if run is None:
        return CollectiveRun(asked, None, None, None, False, f"the answer holds no single run of `{argv[0]}`")
    rc = None if run.truncated else run.rc
    return read_run(log=f"{run.stdout}\n{run.stderr}", rc=rc, timed_out=run.timed_out, asked=asked)


def _word(answer: Mapping[str, object], argv: Sequence[str], pattern: str) -> str:
    run = tools.find_run(answer=answer, argv=argv)
    match = None if run is None or run.problem() else re.search(pattern, run.stdout, re.ASCII)
    return "" if match is None else match.group(1)[:60]


def _efa_installer(answer: Mapping[str, object]) -> str:
    files = answer.get("files")
    text = files.get("efa_installed_packages") if isinstance(files, dict) else None
    match = re.search(r"EFA installer version:\s*(\d[\w.]*)", text) if isinstance(text, str) else None
    return "" if match is None else match.group(1)[:60]


def _driver(answer: Mapping[str, object]) -> str:
    reading = read_tool(answer=answer, argv=tools.NVIDIA_SMI, parse=parse_nvidia_smi_csv)
    gpus = () if reading.record is None else reading.record.gpus
    versions = {line.word("driver_version") or "" for line in gpus} - {""}
    return ", ".join(sorted(versions))[:60]
