"""NOD-001: the node answered, whole, for itself and fresh."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="NOD-001",
    title="the node answered, whole, for itself and fresh",
    what="The answer of the node program arrives whole (length and SHA-256 agree), names the instance "
    "that was asked, and carries the nonce of this run.",
    why="A node that does not answer, or whose answer was cut at SSM's limit of 24,000 characters, is "
    "easily counted as one that has nothing to complain about.",
    fix="Unreachable: look at the instance's state and at its SSM agent, reboot, then replace it. "
    "Empty, cut or foreign answer: validate again; if it stays, read the evidence file and the agent's "
    "log on the node.",
    by_hand="`aws ssm describe-instance-information --filters Key=InstanceIds,Values=INSTANCE_ID` shows "
    "whether the agent is online; `aws ssm send-command` with the environment's document and `probe "
    "--nonce x` shows the answer.",
)


def check(
    *, node: str, problem: str | None = None, unreachable: bool = False, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail for a node that no command reaches, error for an answer with a problem, else pass."""
    writer = Writer(check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected="a whole answer")
    if unreachable:
        return writer.failed(
            f"No command reaches the node: {problem or 'it did not answer'}", cause="node-unreachable"
        )
    if problem is not None:
        return writer.error(f"The node's answer cannot be used: {problem or 'no reason given'}")
    return writer.passed("The node answered, whole and for this run", measured="a whole answer")


CHECK = Check(row=ROW, stage=ENGINE)
