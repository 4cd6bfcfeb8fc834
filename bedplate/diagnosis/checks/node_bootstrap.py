"""NOD-002: the node's bootstrap ended, with no step failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.expected import BOOTSTRAP_PROGRAM_STEP
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

SCHEMA = 2
"""Of ``/opt/bedplate/bootstrap.json``, which ``bedplate.node.bootstrap.record`` writes."""

ROW = CheckRow(
    id="NOD-002",
    title="the node's bootstrap ended, with no step failed",
    what="`/opt/bedplate/bootstrap.json`, which the bootstrap writes last, is of the boot that the node is "
    "in, and names every step that the environment needs as done, and none that failed: the node program, "
    "the boot unit, huge pages and locked memory, persistence mode, scratch on the NVMe disks, the file "
    "systems mounted and written to, LNet over EFA where a file system has it, Enroot and Pyxis where "
    "the environment has containers, and the programs that collect metrics where it has such.",
    why="The gate before slurmd keeps a node with a failed step out of Slurm, where the image starts slurmd "
    "as a systemd service of that name; nothing else would. Without the LNet step Lustre is mounted over "
    "TCP, or not at all, and nothing says so before the first slow job.",
    fix="Read the reason, mend what it names, and run `systemctl restart bedplate-bootstrap` and `systemctl "
    "restart slurmd`, or replace the instance. Where there is no record yet, the bootstrap still runs: "
    "validate again in a few minutes.",
    by_hand="`cat /opt/bedplate/bootstrap.json; tail -50 /var/log/bedplate-bootstrap.log` on the node; or "
    "the object `bootstrap/INSTANCE/BOOT.json` in the result bucket.",
)


@dataclass(frozen=True)
class _Step:
    name: str
    outcome: str
    reason: str


@dataclass(frozen=True)
class _Record:
    boot_id: str
    steps: tuple[_Step, ...]
    report_problem: str

    def names(self, outcome: str) -> list[str]:
        return [step.name for step in self.steps if step.outcome == outcome]


def has_record(answer: Mapping[str, object]) -> bool:
    """Whether the bootstrap has left a whole record; until then it still runs, or was cut off."""
    return _record(answer) is not None


def check(
    *,
    node: str,
    answer: Mapping[str, object],
    steps: Sequence[str] = (BOOTSTRAP_PROGRAM_STEP,),
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail for a failed step, error where there is no whole record of this boot or one of ``steps`` is not
    done in it.
    """
    writer = Writer(
        check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=0, unit="failed steps"
    )
    record = _record(answer)
    if record is None:
        return writer.error("The bootstrap left no record: it still runs, or it was cut off")
    lines = [f"{step.name}: {step.outcome}: {step.reason}" for step in record.steps if step.outcome != "done"]
    faulty = record.names("faulty")
    failed = [*record.names("failed"), *faulty]
    left = record.names("left")
    if left and not failed:
        return writer.error(f"The bootstrap's second run, for {', '.join(left)}, has not come", lines=lines)
    if failed:
        return writer.failed(
            f"Bootstrap failed at {', '.join(failed)}"
            + (", without which the node takes jobs" if failed == faulty else ""),
            cause="bootstrap-incomplete",
            measured=len(failed),
            lines=sorted(lines, key=lambda line: ": failed: " not in line and ": faulty: " not in line),
        )
    if record.boot_id != answer.get("boot_id"):
        return writer.error(
            "The bootstrap's record is of an earlier boot: it still runs, or it was cut off"
            if answer.get("boot_id")
            else "The node does not tell its boot: the bootstrap's record may be of an earlier one"
        )
    done = record.names("done")
    missing = [step for step in steps if step not in done]
    if missing:
        return writer.error(
            f"The bootstrap's record does not name {', '.join(missing)} as done",
            lines=[f"done: {', '.join(done) or 'nothing'}", *lines],
            remedy="The node was launched for another environment, or before a change of this one: deploy, "
            "and replace the instance.",
        )
    findings = []
    if record.report_problem:
        findings.append(warning(f"Its report did not reach the result bucket: {record.report_problem}"))
    return writer.passed(f"All {len(done)} steps of the bootstrap were done", measured=0, findings=findings)


def _record(answer: Mapping[str, object]) -> _Record | None:
    """The record; None where it is missing or is not what the bootstrap writes."""
    files = answer.get("files")
    text = files.get("bootstrap") if isinstance(files, dict) else None
    if not isinstance(text, str):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("steps"), list):
        return None
    steps = [_step(entry) for entry in data["steps"]]
    known = [step for step in steps if step is not None]
    if len(known) != len(steps) or not isinstance(data.get("boot_id"), str):
        return None
    well = bool(known) and all(step.outcome not in ("failed", "left") for step in known)
    if data.get("outcome") != ("done" if well else "failed"):
        return None
    report = data.get("report")
    problem = report.get("problem") if isinstance(report, dict) else None
    return _Record(data["boot_id"], tuple(known), problem) if isinstance(problem, str) else None


def _step(entry: object) -> _Step | None:
    if not isinstance(entry, dict) or entry.get("outcome") not in (
        "done",
        "failed",
        "faulty",
        "skipped",
        "left",
    ):
        return None
    name, reason = entry.get("name"), entry.get("reason")
    if not isinstance(name, str) or not isinstance(reason, str):
        return None
    return _Step(name, entry["outcome"], reason)


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node, answer=facts.answer, steps=facts.expected.bootstrap_steps, evidence=facts.evidence
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)
