"""What people are told by the alarm topic: on anything but a pass, with what is at fault and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.errors import BedplateError
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.judgement import judge
from bedplate.validation.reports.actions import action_view, undo_command
from bedplate.validation.reports.wording import fault_title
from bedplate.validation.result import RunResult

_LONGEST_SUBJECT = 100
"""SNS API reference, Publish: fewer than 100 characters of ASCII, no line breaks."""
_MOST_FAULTS = 10


@dataclass(frozen=True)
class Notice:
    """One message."""

    subject: str
    text: str


def notice_of(*, result: RunResult, address: str) -> Notice | None:
    """What to tell of a run; nothing of a pass. ``address`` is where its reports lie."""
    judgement = judge(result=result)
    if judgement.passed:
        return None
    simulated = "SIMULATED: " if result.simulated else ""
    shown = judgement.faults[:_MOST_FAULTS]
    lines = [
        f"{simulated}Validation of {result.environment} did not pass. {judgement.headline}",
        "",
        *(f"- {fault_title(one)}: {one.subject}. {one.remedy}" for one in shown),
        *(f"- {reason}" for reason in judgement.reasons if not shown),
    ]
    if len(judgement.faults) > len(shown):
        lines.append(f"- and {len(judgement.faults) - len(shown)} more")
    lines += _done(result)
    lines += ["", f"Reports: {address}"]
    return Notice(_subject(f"{simulated}Bedplate {result.environment}: NOT PASSED"), "\n".join(lines))


def _done(result: RunResult) -> list[str]:
    """What was done with nodes at fault, and how it is taken back."""
    views = [action_view(action) for action in result.actions[:_MOST_FAULTS]]
    more = len(result.actions) - len(views)
    lines = ["", "Done about it:"] if views else []
    lines += [f"- {view.head}: {view.state}. {' '.join(view.lines)}" for view in views]
    if more > 0:
        lines.append(f"- and {more} more")
    command = undo_command(result)
    return [*lines, f"To take drains back: {command}"] if command else lines


def notice_of_failure(*, environment: str, error: BaseException) -> Notice:
    """What to tell where there is no result at all, which is no pass either."""
    text, remedy, error_id = str(error) or type(error).__name__, "", type(error).__name__
    if isinstance(error, BedplateError):
        text, remedy, error_id = error.message, error.remedy, error.error_id
    return Notice(
        _subject(f"Bedplate {environment}: NOT VALIDATED"),
        f"Validation of {environment} could not be made: {error_id}: {text}\n{remedy}".rstrip(),
    )


def publish(*, clients: AwsClients, topic_arn: str, notice: Notice) -> None:
    """Publish to the topic. Raises ``AwsRefused`` where SNS does not take it."""
    with aws_errors(f"publishing to {topic_arn}"):
        clients.sns.publish(TopicArn=topic_arn, Subject=notice.subject, Message=notice.text)


def _subject(text: str) -> str:
    plain = text.encode("ascii", errors="replace").decode("ascii")
    return " ".join(plain.split())[: _LONGEST_SUBJECT - 1]
