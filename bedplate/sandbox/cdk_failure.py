"""How a run of the CDK command line ends badly."""

from __future__ import annotations

import re

from bedplate.errors import AwsRefused

_ERROR_LINE = re.compile(r"❌|CREATE_FAILED|UPDATE_FAILED|DELETE_FAILED|^‣|Error:|^Error\b|error TS|ENOENT")
_NOISE = re.compile(r"^\s+at |node_modules")
# The CDK tells a failure as it comes, with a count of resources, and once more at the end, without.
_COUNT = re.compile(r"\|\s+\d+\s+\|")
MOST_LINES = 12

# What a reason in the output means → what to do about it; the usual advice where none is found.
_SAME_NAME = re.compile(r"ConflictException: A (cluster|compute node group|queue) with the same name")
_REMEDIES = {
    "cluster": "PCS cannot change a cluster's size or subnets, nor hold two clusters of one name: go back to "
    "what was deployed, and deploy another environment, under another name, for what was wanted",
    "compute node group": "PCS cannot change a node group's instance type, nor hold two groups of one name: "
    "change the pool's name together with its instance_type, in the partitions too",
    "queue": "a PCS cluster has one queue of a name: give the partition another name",
}
_USUAL_REMEDY = "mend what the lines above name and run the command again"


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
            remedy=_remedy(output),
        )


def _remedy(output: list[str]) -> str:
    found = next((match for line in output if (match := _SAME_NAME.search(line))), None)
    return _REMEDIES[found[1]] if found else _USUAL_REMEDY


def telling_lines(output: list[str]) -> list[str]:
    """The lines that say why, each once; the last lines where none does."""
    chosen = [line for line in output if _ERROR_LINE.search(line) and not _NOISE.search(line)]
    told = [re.sub(r"  +", "  ", _COUNT.sub("|", line, count=1)).strip() for line in chosen]
    unique = list(dict.fromkeys(told))
    return unique[:MOST_LINES] or [line.strip() for line in output if line.strip()][-5:]
