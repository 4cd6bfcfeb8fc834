"""DCG-005: every GPU multiplies matrices as fast as its model must, and as its neighbours do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_support import judge
from bedplate.diagnosis.checks.support import Writer, info, node_subject
from bedplate.diagnosis.checks.throughput_support import results_of, stragglers, throughput_run, told
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Outcome, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType
from bedplate.hardware.gpu_rates import GPU_RATES, GpuRates

LEAST_SHARE = 0.95
"""Of the rate that is asked for: DCGM's own, ``target_perf_min_ratio`` of NVIDIA/DCGM 4.6.0,
``nvvs/plugin_src/targetedstress``. It holds the best of its samples to it, and forgives the share of time
that went into copies; what it tells is the mean, copies and all. So a pass may tell less and contradict
nothing: each product of 4.19 GFLOP has 13.1 MB sent to the GPU first, and 29 or 37 TFLOPS that way are more
than a PCIe 5.0 link of 16 lanes carries."""
LEAST_TOLD = 0.1
"""Of the rate that is asked for: below it copies explain nothing, since an H200's link would carry 12 GB/s or
less. Our choice, unverified on hardware."""
LEAST_BESIDE = 0.5
"""Of the median of the neighbours, which make the same copies at the same time. Our choice, unverified."""

ROW = CheckRow(
    id="DCG-005",
    title="every GPU multiplies matrices as fast as its model must",
    what="DCGM's targeted stress test must pass on every GPU, asked for the rate of NVIDIA's table: three "
    "quarters of what NVIDIA measured with single precision. DCGM lets pass what comes to 0.95 of it, and "
    "forgives the time that copies over PCIe take; it tells the mean with them. A mean below a tenth of what "
    "was asked for, or below half of the neighbours', is an error though DCGM says pass; one below 0.95 is "
    "told as DCGM's word only. DCGM's diagnostic, which mixes precisions and has no published figure, must "
    "be within a tenth of the neighbours' on every GPU. Owed where `validation.throughput` is on.",
    why="One GPU that computes at two thirds of its speed sets the pace of all. No counter shows it, and a "
    "collective does not either.",
    fix="Look at GPU-006 first: heat and limits slow a GPU down. Otherwise drain the node and replace the "
    "instance.",
    by_hand="`dcgmi diag -r diagnostic,targeted_stress -j -v -p 'targeted_stress.target_stress=37500'` for "
    "an H200. The peak of the sheet is not asked for: no source says what share of it a healthy part reaches "
    "here. DCGM before 4.2.3 tells the rates of the first GPUs only; its verdicts are of all, and of a GPU "
    "whose rate it does not tell there is its verdict alone.",
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
    """Fail where a GPU is below its floor or its neighbours, error where DCGM's figures deny its pass, else
    as DCGM says.
    """
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
    floor = rates.floor_gflops
    least = max(LEAST_TOLD * floor, LEAST_BESIDE * median(stress.values())) if stress else 0.0
    contrary = [gpu for gpu, rate in sorted(stress.items()) if rate < least]
    if contrary:
        return writer.error(
            f"DCGM lets GPU {', '.join(map(str, contrary))} pass at {slowest:g} GFLOPS, asked for {floor:g}: "
            "copies alone do not explain that",
            measured=slowest,
            lines=[f"GPU {gpu}: {rate:g} GFLOPS" for gpu, rate in sorted(stress.items())],
        )
    return replace(
        verdict,
        summary=_summary(stress, gpus=instance_type.gpus, rates=rates),
        measured=slowest,
        findings=(*verdict.findings, *_remarks(stress, gpus=instance_type.gpus, floor=floor)),
    )


def _summary(stress: Mapping[int, float], *, gpus: int, rates: GpuRates) -> str:
    """No more than was measured: DCGM's word where it told less than what it accepts, or nothing."""
    floor, peak = rates.floor_gflops, rates.fp32_peak_gflops
    slowest = min(stress.values(), default=0.0)
    if len(stress) < gpus or slowest < LEAST_SHARE * floor:
        told_of = f"told of {len(stress)}, the slowest {slowest:g}" if stress else "it tells no rate"
        return f"DCGM lets all {gpus} GPUs pass, asked for {floor:g} GFLOPS; {told_of}"
    share = f", {slowest / peak:.0%} of the sheet's peak" if peak else ""
    if slowest < floor:
        return f"All {gpus} GPUs hold {slowest:g} GFLOPS, within DCGM's {LEAST_SHARE} of {floor:g}{share}"
    return f"All {gpus} GPUs reach {slowest:g} GFLOPS, asked for {floor:g}{share}"


def _remarks(stress: Mapping[int, float], *, gpus: int, floor: float) -> list[Finding]:
    remarks = []
    untold = gpus - len(stress)
    if untold:
        remarks.append(info(f"DCGM told no rate of {untold} GPUs: of them there is its verdict alone"))
    below = sum(rate < LEAST_SHARE * floor for rate in stress.values())
    if below:
        remarks.append(
            info(
                f"DCGM tells less than {LEAST_SHARE} of {floor:g} GFLOPS of {below} GPUs, copies over PCIe "
                "included: that they compute as fast is its verdict alone"
            )
        )
    return remarks


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
