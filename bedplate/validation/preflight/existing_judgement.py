"""What is found out about one file system that is there already, and what several kinds have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bedplate.diagnosis.verdict import Finding, Severity


@dataclass
class Judgement:
    """``told`` is one line on what there is; any of ``problems`` stops a deploy."""

    told: str = ""
    problems: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def warn(self, text: str, remedy: str) -> None:
        """Add what does not stop a deploy and should be known."""
        self.findings.append(Finding(Severity.WARNING, text, remedy))


def judge_place(
    judgement: Judgement,
    *,
    vpc_id: str | None,
    wanted_vpc: str,
    zones: Mapping[str, str],
    wanted_zone: str,
    efa: bool,
) -> None:
    """Hold VPC and zones (subnet → zone id) of a file system's servers against those of the nodes."""
    if vpc_id != wanted_vpc:
        judgement.problems.append(f"it is in {vpc_id}, the environment in {wanted_vpc}")
    if wanted_zone in zones.values():
        return
    where = ", ".join(sorted(set(zones.values()))) or "no zone that EC2 tells"
    if efa:
        judgement.problems.append(f"it is in {where}, and EFA does not reach it from {wanted_zone}")
    else:
        judgement.warn(
            f"it is in {where}, the nodes in {wanted_zone}: traffic between zones is charged both ways and "
            "takes longer",
            "Keep what is read often in a file system of the nodes' zone.",
        )


def judge_options(judgement: Judgement, *, kind: str, options: Iterable[str]) -> None:
    """Tell of mount options that a kind is not known to take."""
    from bedplate.validation.preflight.mount_options import unknown_options

    for option, nearest in unknown_options(kind=kind, options=options):
        hint = f"Did you mean {nearest}?" if nearest else "Try it by hand on one node."
        judgement.warn(f"the mount option {option} is none that {kind} is known to take", hint)
