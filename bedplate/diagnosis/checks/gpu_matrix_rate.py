"""DCG-005: every GPU multiplies matrices as fast as its model must, and as its neighbours do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_support import judge
from bedplate.diagnosis.checks.support import Writer, info, node_subject
from bedplate.diagnosis.checks.throughput_support import results_of, stragglers, throughput_run, told
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType
from bedplate.hardware.gpu_rates import GPU_RATES

ROW = CheckRow(
    id="DCG-005",
    title="every GPU multiplies matrices as fast as its model must",
    what="DCGM's targeted stress test must reach, on every GPU, the rate that NVIDIA's table asks of the "
    "model: three quarters of what NVIDIA measured with single precision. DCGM's diagnostic, which mixes "
    "precisions and has no published figure, must be within a tenth of the neighbours' on every GPU. Owed "
    "where `validation.throughput` is on.",
    why="One GPU that computes at two thirds of its speed sets the pace of all. No counter shows it, and a "
    "collective does not either.",
    fix="Look at GPU-006 first: heat and limits slow a GPU down. Otherwise drain the node and replace the "
    "instance.",
    by_hand="`dcgmi diag -r diagnostic,targeted_stress -j -v -p 'targeted_stress.target_stress=37500'` for "
    "an H200. The peak of the sheet is not asked for: no source says what share of it a healthy part reaches "
    "here. DCGM before 4.2.3 tells the rates of the first GPUs only; its verdicts are of all.",
)

TESTS = ("diagnostic", "targeted_stress")
_STRESS_LEVEL, _GFLOPS_THRESHOLD = 50, 110
_CAUSES = {_STRESS_LEVEL: "gpu-slow", _GFLOPS_THRESHOLD: "gpu-slow"}
_STRESS = re.compile(r"GPU (?P<gpu>\d{1,4}) relative stress level\s+(?P<value>\d{1,9}(?:\.\d{1,6})?)\b")
_MIXED = re.compile(
    r"GPU (?P<gpu>\d{1,4}) calculated at approximately (?P<value>\d{1,9}(?:\.\d{1,6})?) gigaflops"
)


def check(
    *, node: str, diag: Reading[DcgmDiag], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where a GPU is below its floor or its neighbours, else as DCGM says."""
    rates = GPU_RATES.get(instance_type.gpu.model)
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=None if rates is None else rates.floor_gflops,
        unit="GFLOPS (single precision) of the slowest GPU",
        source="" if rates is None else "; ".join(rates.sources),
    )
    if rates is None:
        return writer.not_tested(f"No published rate for {instance_type.gpu.model}")
    results = results_of(diag, TESTS)
    stress, mixed = told(results, "targeted_stress", _STRESS), told(results, "diagnostic", _MIXED)
    verdict = judge(
        writer=writer,
        diag=diag,
        instance_type=instance_type,
        expected_v3=(("Diagnostic",), ("Targeted Stress",)),
        expected_v4=(("diagnostic",), ("targeted_stress",)),
        belongs=results,
        causes=_CAUSES,
    )
    slowest = min(stress.values(), default=None)
    behind = stragglers(mixed)
    if behind and verdict.outcome is not Outcome.FAIL:
        return writer.failed(
            f"GPU {', '.join(map(str, sorted(behind)))} computes slower than its neighbours",
            cause="gpu-slow",
            measured=slowest,
            lines=[f"GPU {gpu}: {rate:g} gigaflops" for gpu, rate in sorted(mixed.items())],
        )
    if verdict.outcome is not Outcome.PASS:
        return replace(verdict, measured=slowest)
    peak = rates.fp32_peak_gflops
    if peak is not None and max(stress.values(), default=0.0) > peak:
        return writer.error(
            f"A rate above the part's peak of {peak:g} GFLOPS contradicts itself", measured=slowest
        )
    untold = instance_type.gpus - len(stress)
    remarks = [info(f"DCGM told no rate of {untold} GPUs, and that they reached theirs")] if untold else []
    return replace(
        verdict,
        summary=f"All {instance_type.gpus} GPUs reach {rates.floor_gflops:g} GFLOPS"
        + (f", {rates.floor_gflops / peak:.0%} of the sheet's peak" if peak else ""),
        measured=slowest,
        findings=(*verdict.findings, *remarks),
    )


def _asked_for(expected: NodeExpectation) -> bool:
    return expected.throughput


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        diag=throughput_run(facts),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=EXERCISE, promised=_asked_for, judge=_judge)
