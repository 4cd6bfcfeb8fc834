"""What a node's answers say: the front door of the diagnosis for one node.

An answer is the JSON object that the node program prints (``schema`` 1): ``tools`` as in
``bedplate.diagnosis.tools``, ``infiniband`` (the probe's listing of sysfs: ``[{"name", "vendor", "device",
"driver", "hw_counters": {name: int}}]``, null where it could not be read) and ``files``
(``{"efa_installed_packages": text or null, "bootstrap": text or null}``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bedplate.diagnosis import tools
from bedplate.diagnosis.bandwidth_expectation import NAMED_SIZES, Accepted, Shape, expectations
from bedplate.diagnosis.check import Check
from bedplate.diagnosis.checks import EXERCISE_CHECKS, PROBE_CHECKS, nccl_in_node, node_answered
from bedplate.diagnosis.checks.bandwidth_rule import trusted_bandwidth
from bedplate.diagnosis.checks.collective_run import Asked, CollectiveRun, read_run
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.measurement import Measurement, measurements
from bedplate.diagnosis.verdict import Verdict
from bedplate.hardware import NVLINK, InstanceType

BEGIN_BYTES = 8


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


def judge_probe(facts: NodeFacts) -> list[Verdict]:
    """The passive checks of one node, one verdict each, in the order of the checks.

    A part that the type does not have gives not-applicable; a tool that is missing, ended badly, ran past its
    deadline or printed what cannot be read gives error, unless it shows a fault all the same.
    """
    return _judge(PROBE_CHECKS, facts)


def judge_exercise(
    facts: NodeFacts, *, collective: str = "all_reduce", accepted: Sequence[tuple[int, Accepted]] = ()
) -> ExerciseJudgement:
    """The checks of one node under load, with NCL-001 (the collective inside the node) last.

    ``accepted`` is what the stored baseline says of a node by itself, (size in bytes, figure).
    """
    verdicts = _judge(EXERCISE_CHECKS, facts)
    kind = facts.instance_type
    if kind.gpus < 2:
        return ExerciseJudgement(tuple(verdicts), ())
    argv = tools.in_node_collective_argv(collective=collective, gpus=kind.gpus)
    ran = tools.find_run(answer=facts.answer, argv=argv)
    run = _in_node_run(ran, argv, kind, collective, NAMED_SIZES[-1])
    expected = expectations(shape=Shape(kind, collective, 1), accepted=accepted)
    verdicts.append(nccl_in_node.check(node=facts.node, run=run, expected=expected, evidence=facts.evidence))
    measured: tuple[Measurement, ...] = ()
    if trusted_bandwidth(run=run, expected=expected) is not None:
        measured = measurements(run=run, expected=expected, scope="in-node", nodes=(facts.node,), path=NVLINK)
    return ExerciseJudgement(tuple(verdicts), measured, _nccl_versions(run, ran))


def _judge(checks: Sequence[Check], facts: NodeFacts) -> list[Verdict]:
    """One verdict for each check that is owed, and for each whose part the type does not have."""
    verdicts = []
    for check in checks:
        if check.judge is None:
            raise ValueError(f"{check.id} is judged by its stage and has no judge")
        if check.promised(facts.expected):
            verdicts.append(check.judge(facts))
    return verdicts


def nvlink_domain(facts: NodeFacts) -> str:
    """The NVLink domain of an UltraServer's node, ``CLUSTER/CLIQUE`` as every GPU's driver tells it; empty
    where one of them tells another, or none.
    """
    details = facts.gpu_details.record
    if not facts.instance_type.needs_imex or details is None:
        return ""
    told = {(gpu.word("fabric_cluster"), gpu.word("fabric_clique")) for gpu in details.gpus}
    cluster, clique = next(iter(told)) if len(told) == 1 else (None, None)
    return f"{cluster}/{clique}" if cluster and cluster.strip("0-") else ""


def _nccl_versions(run: CollectiveRun, ran: tools.ToolRun | None) -> dict[str, str]:
    """What NCCL's own log tells; a version that the log breaks off in may be a part of one, and is none."""
    if run.info is None or ran is None or ran.truncated:
        return {}
    told = {
        "nccl": run.info.nccl_versions,
        "aws-ofi-nccl": run.info.plugin_versions,
        "libfabric-api": run.info.libfabric_versions,
    }
    cut = [text for text in (ran.stdout, ran.stderr) if text and not text.endswith("\n") and ran.rc != 0]
    whole = {
        name: [each for each in versions if not any(text.endswith(each) for text in cut)]
        for name, versions in told.items()
    }
    return {name: ", ".join(versions)[:60] for name, versions in whole.items() if versions}


def _in_node_run(
    ran: tools.ToolRun | None,
    argv: Sequence[str],
    instance_type: InstanceType,
    collective: str,
    size_bytes: int,
) -> CollectiveRun:
    asked = Asked(collective, instance_type.gpus, BEGIN_BYTES, size_bytes)
    if ran is None:
        return CollectiveRun(asked, None, None, None, False, f"the answer holds no single run of `{argv[0]}`")
    rc = None if ran.truncated else ran.rc
    return read_run(log=f"{ran.stdout}\n{ran.stderr}", rc=rc, timed_out=ran.timed_out, asked=asked)
