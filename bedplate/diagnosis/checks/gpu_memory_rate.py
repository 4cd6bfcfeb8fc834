"""DCG-006: every GPU's memory is as fast as its model must be, and as its neighbours are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_support import judge
from bedplate.diagnosis.checks.support import Writer, info, node_subject
from bedplate.diagnosis.checks.throughput_support import results_of, stragglers, throughput_run
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag, DiagResult
from bedplate.diagnosis.parsers.nvbandwidth import BandwidthLog, parse_nvbandwidth
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.tools import ToolRun, find_run
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType
from bedplate.hardware.gpu_rates import GPU_RATES

ROW = CheckRow(
    id="DCG-006",
    title="every GPU's memory is as fast as its model must be",
    what="DCGM's memory bandwidth test must reach, on every GPU, three quarters of what NVIDIA measured on "
    "the model. Where nvbandwidth is there (DCGM 4 brings it), a copy inside each GPU must be within a tenth "
    "of its neighbours'; one below a tenth of the memory's peak is an error, however alike they are. Owed "
    "where `validation.throughput` is on.",
    why="Training waits for memory more often than for arithmetic. A stack of HBM that runs slower is hidden "
    "from every test that looks for errors. DCGM's own table asks of an H200 a thousandth of what its "
    "comment says, so that its default passes whatever is measured: the threshold is given by hand.",
    fix="Look at GPU-006 first: heat slows memory down. Otherwise drain the node and replace the instance.",
    by_hand="`dcgmi diag -r memory_bandwidth -j -p 'memory_bandwidth.minimum_bandwidth=2333000'` (MB/s) for "
    "an H200, and `nvbandwidth -t device_local_copy`. No floor was published for the latter: above its "
    "bound of plausibility it is relative only. What DCGM's test measures on a pass it does not tell.",
)

LEAST_OF_PEAK = 0.1
"""Of the memory's peak: below it no copy is taken for well, however alike. A copy reads and writes and counts
its bytes once, so half of the peak is the most. People tell of 0.45 on an H100 (1519 GB/s of 3.35 TB/s,
Hugging Face's Smol training playbook) and, as the least, of 0.23 on an H20-3e (1116 GB/s of 4.8 TB/s,
NVIDIA/nvbandwidth issue 48). Our choice, unverified on EC2."""

TEST, CASE = "memory_bandwidth", "device_local_copy"
_MEMORY_BANDWIDTH = 62
_MEASURED = re.compile(r"only achieved a memory bandwidth of (?P<value>\d{1,9}(?:\.\d{1,6})?) GB/s")


def check(
    *,
    node: str,
    diag: Reading[DcgmDiag],
    copies: Reading[BandwidthLog],
    instance_type: InstanceType,
    copies_due: bool = False,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where a GPU's memory is below its floor or its neighbours', else as DCGM says.

    ``copies_due`` says that nvbandwidth is there, or that nothing says that it is not: then its answer must
    be whole, since the GPU that is slow might be what is missing in it.
    """
    rates = GPU_RATES.get(instance_type.gpu.model)
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=None if rates is None else rates.floor_gb_per_s,
        unit="GB/s of the slowest GPU's memory",
        source="" if rates is None else "; ".join(rates.sources[:1]),
    )
    if rates is None:
        return writer.not_tested(f"No published rate for {instance_type.gpu.model}")
    results = results_of(diag, (TEST,))
    verdict = judge(
        writer=writer,
        diag=diag,
        instance_type=instance_type,
        expected_v3=(("Memory Bandwidth",),),
        expected_v4=((TEST,),),
        belongs=results,
        causes={_MEMORY_BANDWIDTH: "gpu-memory-slow"},
    )
    measured = _measured(results)
    if verdict.outcome is Outcome.FAIL:
        return replace(verdict, measured=measured)
    copied = _copied(copies)
    behind = stragglers(copied)
    if behind:
        return writer.failed(
            f"The memory of GPU {', '.join(map(str, sorted(behind)))} is slower than its neighbours'",
            cause="gpu-memory-slow",
            lines=[f"GPU {gpu}: {rate:g} GB/s copied" for gpu, rate in sorted(copied.items())],
        )
    if verdict.outcome is not Outcome.PASS:
        return replace(verdict, measured=None)
    if copies_due and not _waived(copies) and len(copied) != instance_type.gpus:
        reason = copies.problem or f"it tells of {len(copied)} of {instance_type.gpus} GPUs"
        return writer.error(f"The copies of nvbandwidth cannot be compared: {reason}")
    peak = instance_type.gpu.hbm_tb_per_s * 1000
    if max(copied.values(), default=0.0) > peak:
        return writer.error(f"A copy faster than the memory's peak of {peak:g} GB/s contradicts itself")
    slow = {gpu: rate for gpu, rate in copied.items() if rate < LEAST_OF_PEAK * peak}
    if slow:
        return writer.error(
            f"Copies inside GPU {', '.join(map(str, sorted(slow)))} are below a tenth of the memory's peak "
            f"of {peak:g} GB/s, which contradicts DCGM's pass of {rates.floor_gb_per_s:g} GB/s",
            lines=[f"GPU {gpu}: {rate:g} GB/s copied" for gpu, rate in sorted(copied.items())],
        )
    remark = info(
        f"Copies inside the GPUs: {min(copied.values()):g} to {max(copied.values()):g} GB/s (relative only)"
        if len(copied) == instance_type.gpus
        else f"Copies inside the GPUs were not compared: {copies.problem or 'not every GPU was told'}"
    )
    return replace(
        verdict,
        summary=f"The memory of all {instance_type.gpus} GPUs reaches {rates.floor_gb_per_s:g} GB/s, "
        f"{rates.floor_gb_per_s / peak:.0%} of its peak",
        measured=f"at least {rates.floor_gb_per_s:g}",
        findings=(*verdict.findings, remark),
    )


def _measured(results: Sequence[DiagResult]) -> float | None:
    """The lowest rate that a failed test tells."""
    texts = [remark.text for result in results for remark in result.warnings]
    found = [float(match.group("value")) for text in texts if (match := _MEASURED.search(text))]
    return min(found, default=None)


def _copied(copies: Reading[BandwidthLog]) -> Mapping[int, float]:
    """GPU → GB/s of a copy inside it; none where nvbandwidth did not run well."""
    case = None if copies.record is None or copies.problem else copies.record.case(CASE)
    if case is None or case.status != "Passed" or len(case.rows) != 1:
        return {}
    return {gpu: rate for gpu, rate in enumerate(case.rows[0]) if rate is not None}


def _waived(copies: Reading[BandwidthLog]) -> bool:
    """Whether nvbandwidth itself says that it did not make this test."""
    case = None if copies.record is None or copies.problem else copies.record.case(CASE)
    return case is not None and case.status != "Passed"


def _is_missing(run: ToolRun) -> bool:
    """Whether the node has no nvbandwidth, as before DCGM 4, and not one that fails."""
    return run.rc is None and not run.timed_out and "No such file" in run.stderr


def _asked_for(expected: NodeExpectation) -> bool:
    return expected.throughput


def _judge(facts: NodeFacts) -> Verdict:
    run = find_run(answer=facts.answer, argv=gpu_tools.NVBANDWIDTH)
    return check(
        node=facts.node,
        diag=throughput_run(facts),
        copies=read_tool(answer=facts.answer, argv=gpu_tools.NVBANDWIDTH, parse=parse_nvbandwidth),
        instance_type=facts.instance_type,
        copies_due=run is None or not _is_missing(run),
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=EXERCISE, promised=_asked_for, judge=_judge)
