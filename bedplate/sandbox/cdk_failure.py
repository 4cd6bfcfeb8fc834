"""How a run of the CDK command line ends badly."""

from __future__ import annotations

import re

from bedplate.errors import AwsRefused

_ERROR_LINE = re.compile(r"❌|CREATE_FAILED|UPDATE_FAILED|DELETE_FAILED|^‣|Error:|^Error\b|error TS|ENOENT")
_NOISE = re.compile(r"^\s+at |node_modules")
# The CDK tells a failure as it comes, with a count of resources, and once more at the end, without.
_COUNT = re.compile(r"\|\s+\d+\s+\|")
MOST_LINES = 12


class EndpointGone(AwsRefused):
    """The endpoint stopped answering while the CDK worked (SBX-003)."""

    def __init__(self, verb: str, endpoint: str) -> None:
        super().__init__(
            f"`cdk {verb}` was stopped: {endpoint} does not answer any more",
            error_id="SBX-003",
            remedy="start the sandbox again and deploy anew; a half-deployed stack is gone with it",
        )


class CdkFailed(AwsRefused):
    """The CDK ended with an error (SBX-004); ``lines`` are those of its output that say why."""

    def __init__(self, verb: str, status: int, output: list[str]) -> None:
        self.lines = telling_lines(output)
        super().__init__(
            "\n".join([f"`cdk {verb}` ended with {status}:", *(f"  {line}" for line in self.lines)]),
            error_id="SBX-004",
            remedy="mend what the lines above name and run the command again",
        )


def telling_lines(output: list[str]) -> list[str]:
    """The lines that say why, each once; the last lines where none does."""
    chosen = [line for line in output if _ERROR_LINE.search(line) and not _NOISE.search(line)]
    told = [re.sub(r"  +", "  ", _COUNT.sub("|", line, count=1)).strip() for line in chosen]
    unique = list(dict.fromkeys(told))
    return unique[:MOST_LINES] or [line.strip() for line in output if line.strip()][-5:]
