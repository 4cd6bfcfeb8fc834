"""Ask simulated nodes through the real node program, and judge by the real diagnosis."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_exercise, judge_probe
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import instance_type
from bedplate.node.envelope import open_envelope
from bedplate.sandbox.fleet import Fleet

LOGIN = "i-0aaaaaaaaaaaaaaaa"
NONCE = "0123456789abcdef"
TYPE = "p5en.48xlarge"
_STAGES = ("dcgm", "collective", "nvlink_errors", "gdrcopy")


def ask(fleet: Fleet, node: str, command: str, *words: str, timeout_s: int = 120) -> Mapping[str, Any]:
    """The body of the node's answer to one command of the node program."""
    arguments = " ".join((command, "--nonce", NONCE, *words))
    script = f'exec python3 "${{BEDPLATE_ROOT:-}}/opt/bedplate/bedplate-node.pyz" {arguments}'
    result = fleet.run_shell(node, script, timeout_s)
    answer = open_envelope(result.stdout, instance_id=node, nonce=NONCE, command=command)
    assert answer.simulated
    return answer.body


def probe(fleet: Fleet, node: str, *, kind: str = TYPE) -> list[Verdict]:
    """The passive checks of one node."""
    return judge_probe(
        NodeFacts(node=node, answer=ask(fleet, node, "probe"), instance_type=instance_type(kind))
    )


def run_jobs(fleet: Fleet, *jobs: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Run jobs through the login node; one row a job."""
    encoded = base64.b64encode(json.dumps(list(jobs)).encode()).decode()
    rows: list[Mapping[str, Any]] = ask(fleet, LOGIN, "run-jobs", "--jobs", encoded)["jobs"]
    return rows


def exercise(
    fleet: Fleet, node: str, name: str, *, level: int = 2, throughput: bool = False, kind: str = TYPE
) -> list[Verdict]:
    """The checks of one node under load, started by srun."""
    hardware = instance_type(kind)
    job = {
        "id": "1",
        "kind": "exercise",
        "nodes": [name],
        "deadline_s": 60,
        "gpus": hardware.gpus,
        "exercise": {
            "dcgm_level": level,
            "gpus": hardware.gpus,
            "gpu_model": hardware.gpu.model,
            "stages": [
                *_STAGES,
                *(["throughput", "efa_loopback"] if throughput else []),
                *(["imex"] if hardware.needs_imex else []),
            ],
        },
    }
    row = run_jobs(fleet, job)[0]
    answer = open_envelope(row["stdout"], instance_id=node, nonce=NONCE, command="exercise").body
    judged = judge_exercise(
        NodeFacts(
            node=node,
            answer=answer,
            instance_type=hardware,
            expected=NodeExpectation(dcgm_level=level, throughput=throughput),
        )
    )
    return list(judged.verdicts)


def collective(
    fleet: Fleet,
    nodes: Sequence[int],
    name: str,
    *,
    deadline_s: float = 60,
    kind: str = TYPE,
    path: str = "",
    judged_as: str = "",
) -> CollectiveJudgement:
    """One collective over the compute nodes with these indices; ``judged_as`` takes it for another path's."""
    job = {
        "id": "1",
        "kind": "collective",
        "nodes": [f"gpu-{index + 1}" for index in nodes],
        "collective": name,
        "deadline_s": deadline_s,
        "gpus": instance_type(kind).gpus,
        "partition": "gpu",
        "path": path,
    }
    row = run_jobs(fleet, job)[0]
    return judge_collective(
        log=row["stdout"] + "\n" + row["stderr"],
        rc=row["rc"],
        timed_out=row["timed_out"],
        nodes=[f"i-{index:017x}" for index in nodes],
        instance_type=instance_type(kind),
        collective=name,
        scope="pair" if len(nodes) == 2 else "all-nodes",
        path=(judged_as or path) or None,
    )


def failed_causes(verdicts: Sequence[Verdict]) -> set[str]:
    """The causes that fails name."""
    return {verdict.cause or "?" for verdict in verdicts if verdict.outcome is Outcome.FAIL}


def outcomes(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Check id → outcome."""
    return {verdict.check_id: verdict.outcome.value for verdict in verdicts}
