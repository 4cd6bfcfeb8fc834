"""ORC-012: Slurm parameters are set where the orchestrator lets one set them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.problems import Path
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.slurm_parameters import KINDS, Scope, ruling
from bedplate.spec.slurm_parameters.known import spelled


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse parameters that Slurm does not know, that a field stands for, or that the service keeps."""
    kind = draft.orchestrator_kind
    if kind not in KINDS:
        return
    yield from _at(("orchestrator", "settings"), draft.slurm_settings, scope="cluster", kind=kind)
    for index, partition in draft.partitions.items():
        path = ("orchestrator", "partitions", index, "settings")
        yield from _at(path, partition.settings, scope="queue", kind=kind)


def _at(path: Path, names: Iterable[str], *, scope: Scope, kind: str) -> Iterator[Violation]:
    seen: dict[str, str] = {}
    for name in names:
        if not name.strip():
            yield Violation(
                path=(*path, name),
                at_key=True,
                message="a Slurm parameter without a name is set here",
                given="nothing",
                allowed="the parameters that docs/slurm-settings.md marks as free for this orchestrator",
                remedy="Write the parameter's name before the colon, or remove the line.",
            )
            continue
        found = ruling(name, scope=scope, kind=kind)
        if found.standing != "free":
            yield Violation(
                path=(*path, name),
                at_key=True,
                message=f"{name} is not set here: {found.reason}",
                given=name,
                allowed="the parameters that docs/slurm-settings.md marks as free for this orchestrator",
                remedy=f"Did you mean '{found.close[0]}'?" if found.close else f"Remove {name}.",
            )
        elif (first := seen.setdefault(spelled(name, scope=scope) or name, name)) != name:
            yield Violation(
                path=(*path, name),
                at_key=True,
                message=f"{name} is {first} again: Slurm does not mind capitals",
                given=name,
                allowed="each parameter once",
                remedy="Remove one of the two.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-012",
        title="Slurm parameters are free to be set",
        what=(
            "Every key of `settings` is a parameter of slurm.conf that the orchestrator takes at this place "
            "and that no field of the file stands for."
        ),
        why=(
            "AWS PCS takes the parameters of its list only, ParallelCluster refuses those of its own, and "
            "HyperPod's agent writes over some. PCS tells it after minutes of deploying; a parameter that "
            "Slurm does not know stops slurmctld."
        ),
        fix="Remove the parameter, or use the field that stands for it; docs/slurm-settings.md has both.",
        by_hand='Read "Custom Slurm settings for AWS PCS clusters" in the AWS PCS User Guide.',
    ),
    check=check,
)
