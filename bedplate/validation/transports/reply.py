"""What came back from one node that was asked something."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.node.envelope import Answer


@dataclass(frozen=True)
class Reply:
    """One node's answer, or why there is none that may be judged.

    ``problem`` is empty exactly where there is an answer. ``unreachable`` says that no command reached the
    node at all, ``silent`` that the program printed no answer of any kind, as where it is not there yet.
    ``location`` is the ``s3://`` address of what it printed, where it printed something. ``taken_up`` says
    that a run that was cut off sent the question, and this one, which goes on with it, read the answer.
    """

    instance_id: str
    answer: Answer | None = None
    problem: str = ""
    unreachable: bool = False
    silent: bool = False
    location: str = ""
    taken_up: bool = False

    def __post_init__(self) -> None:
        if (self.answer is None) == (not self.problem):
            raise ValueError("a reply has an answer or a problem, never both and never neither")
