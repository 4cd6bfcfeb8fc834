"""How long the controller waits for a command that runs jobs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from bedplate.node.run_jobs import Job
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply


class _Asked:
    """A transport that answers nothing and keeps the questions."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def ask(self, *, instance_ids: list[str], question: Question) -> dict[str, Reply]:
        """No answer of anybody."""
        self.questions.append(question)
        return {each: Reply(each, problem="none") for each in instance_ids}


def _deadline(*, nodes: int) -> int:
    transport = _Asked()
    manifest = SimpleNamespace(orchestrator=SimpleNamespace(version="25.11"))
    given: Any = SimpleNamespace(manifest=manifest)
    none: Any = None
    context = Context(given, none, cast("Any", transport), none, none, login="i-login")
    names = tuple(f"gpu-{n}" for n in range(nodes))
    context.run_jobs([Job(job_id="0", kind="collective", nodes=names, deadline_seconds=600.0)])
    return transport.questions[0].deadline_seconds


def test_a_command_waits_for_its_jobs_and_for_their_logs() -> None:
    """Two minutes beside the job's own deadline, and more where its log is long."""
    assert _deadline(nodes=2) == _deadline(nodes=16) == 720
    assert 720 + 200 < _deadline(nodes=4096) < 720 + 300
