"""From what a node program printed, and how it ended, to one reply: the same judgement over every way."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.node.envelope import EnvelopeEmptyError, EnvelopeError, open_envelope
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply


@dataclass(frozen=True)
class Printed:
    """``exit_status`` is None where it was stopped: at its deadline (``overran``) or for ``problem``.

    ``last_line`` is of its standard error, ``location`` is where the text lies.
    """

    text: str
    exit_status: int | None
    last_line: str = ""
    overran: bool = False
    problem: str = ""
    location: str = ""


def reply_of(instance_id: str, question: Question, nonce: str, printed: Printed) -> Reply:
    """A status of success is no answer, nor is an envelope of a program that did not end well."""
    location = printed.location
    if printed.overran:
        problem = f"no answer within {question.deadline_seconds} s"
        return Reply(instance_id, problem=problem, location=location)
    if printed.exit_status is None:
        problem = f"its program did not end by itself: {printed.problem}"
        return Reply(instance_id, problem=problem, location=location)
    last = f": {printed.last_line}" if printed.last_line else ""
    told = f" (exit status {printed.exit_status}){last}" if printed.exit_status else ""
    try:
        answer = open_envelope(printed.text, instance_id=instance_id, nonce=nonce, command=question.command)
    except EnvelopeError as error:
        silent = isinstance(error, EnvelopeEmptyError)
        return Reply(instance_id, problem=f"{error}{told}", location=location, silent=silent)
    if printed.exit_status:
        return Reply(instance_id, problem=f"it did not end well{told}", location=location)
    return Reply(instance_id, answer=answer, location=location)
