"""NVL-002: NVLinks counted no error that should never be, while the GPUs were under load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.gpu_tools import nvlink_errors_argv
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import LinkErrors, parse_dcgmi_nvlink_errors
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="NVL-002",
    title="NVLinks count no error under load that should never be",
    what="`dcgmi nvlink -e` of every GPU, before DCGM's tests and after the collective inside the node: "
    "replay and recovery errors, which DCGM wants at zero, must not have grown, nor link integrity errors on "
    "Blackwell. Growth of other counters is a finding.",
    why="A link that replays or recovers is up in every table, and carries less. The counters hold from the "
    "driver's start, so that only what grew under load tells of now.",
    fix="Reboot the node. If the counters grow again under load, drain the node and replace the instance.",
    by_hand="`dcgmi nvlink -e -g 0` before and after a run of `all_reduce_perf -b 8 -e 16G -f 2 -g 8`. That "
    "the integrity counter of Blackwell stays at zero on a healthy part is unverified.",
)

NEVER = frozenset({"Replay Error", "Recovery Error", "Link Integrity Error"})
"""DCGM's health watch calls growth of the first two critical (``DcgmHealthWatch.cpp``)."""
_SUM = "Error Detail"

Counters = Reading[LinkErrors]


def check(
    *,
    node: str,
    before: Sequence[Counters],
    after: Sequence[Counters],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where a counter of ``NEVER`` grew, error where one is missing or ran backwards, else pass.

    ``before`` and ``after`` are in the order of the GPUs.
    """
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=0,
        unit="errors under load",
        source="NVIDIA DCGM health watches",
    )
    if not instance_type.has_nvlink:
        return writer.not_applicable(f"{instance_type.name} has no NVLink")
    growth: dict[str, float] = {}
    problems: list[str] = []
    for gpu in range(instance_type.gpus):
        pair = [
            readings[gpu] if gpu < len(readings) else Reading(None, "not asked")
            for readings in (before, after)
        ]
        problem = _problem(gpu, pair, instance_type.gpu.nvlinks)
        if problem:
            problems.append(problem)
        growth.update(_growth(gpu, pair))
    bad = {what: much for what, much in growth.items() if what.rpartition(": ")[2] in NEVER and much > 0}
    if bad:
        lines = [f"{what} +{much:g}" for what, much in bad.items()]
        return writer.failed(
            f"NVLinks counted errors under load: {lines[0]}"
            + (f", and {len(lines) - 1} counters more" if len(lines) > 1 else ""),
            cause="nvlink-errors",
            measured=int(sum(bad.values())),
            lines=lines,
        )
    backwards = [f"{what} {much:g}" for what, much in growth.items() if much < 0]
    if problems or backwards:
        lines = problems + backwards
        return writer.error(f"NVLink errors cannot be counted: {lines[0]}", lines=lines)
    findings = [warning(f"{what} +{much:g} under load") for what, much in growth.items() if much > 0]
    return writer.passed("No NVLink replayed or recovered under load", measured=0, findings=findings)


def _problem(gpu: int, pair: Sequence[Counters], links: int) -> str:
    """Why one GPU's two readings prove nothing; empty where they do."""
    for reading in pair:
        record = reading.record
        if record is None or reading.problem:
            return f"GPU {gpu}: {reading.problem}"
        if record.gpu != gpu:
            return f"GPU {gpu}: the answer is about GPU {record.gpu}"
        names = {link for link, _, _ in record.counts}
        if _SUM not in names and len(names) != links:
            return f"GPU {gpu}: counters of {len(names)} of {links} links"
        if not NEVER & {name for _, name, _ in record.counts}:
            return f"GPU {gpu}: none of the counters that should never grow"
    first, second = (_counts(reading) for reading in pair)
    return "" if set(first) == set(second) else f"GPU {gpu}: other counters before than after"


def _growth(gpu: int, pair: Sequence[Counters]) -> Mapping[str, float]:
    """What grew or shrank, by words that name the GPU, the link and the counter."""
    first, second = (_counts(reading) for reading in pair)
    return {
        f"GPU {gpu} {link}: {name}": second[link, name] - first[link, name]
        for link, name in second
        if (link, name) in first and second[link, name] != first[link, name]
    }


def _counts(reading: Counters) -> Mapping[tuple[str, str], float]:
    record = reading.record
    return {} if record is None else {(link, name): value for link, name, value in record.counted}


def _has_nvlink(instance_type: InstanceType, _nodes: int) -> bool:
    return instance_type.has_nvlink


def _judge(facts: NodeFacts) -> Verdict:
    before, after = (
        [_read(facts, stage, key, gpu) for gpu in range(facts.instance_type.gpus)]
        for stage, key in (("dcgm", "before"), ("nvlink_errors", "after"))
    )
    return check(
        node=facts.node,
        before=before,
        after=after,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


def _read(facts: NodeFacts, stage: str, key: str, gpu: int) -> Counters:
    stages = facts.answer.get("stages")
    told = stages.get(stage) if isinstance(stages, dict) else None
    runs = told.get(key) if isinstance(told, dict) else None
    return read_tool(
        answer={"tools": runs}, argv=nvlink_errors_argv(gpu=gpu), parse=parse_dcgmi_nvlink_errors
    )


CHECK = Check(row=ROW, stage=EXERCISE, applies=_has_nvlink, judge=_judge)
