"""ORC-014: teams and QOS need accounting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.problems import Path
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.slurm_parameters.known import spelled

_OF_PARTITIONS = ("AllowQos", "DenyAccounts", "DenyQos", "QOS")
_PREEMPT_BY_QOS = ("PreemptType", "preempt/qos")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse teams, and settings that name accounts or QOS, where nothing is recorded."""
    if draft.accounting:
        return
    if draft.team_names:
        yield Violation(
            path=("orchestrator", "accounting"),
            message="teams' shares and bounds are kept in the accounting database, and there is none",
            allowed="true where there are teams",
            remedy="Write `accounting: true`, or remove `teams`.",
        )
    yield from _settings(draft)


def _settings(draft: Draft) -> Iterator[Violation]:
    for name, value in draft.slurm_settings.items():
        if (spelled(name, scope="cluster"), value.strip().lower()) == _PREEMPT_BY_QOS:
            yield _needs(("orchestrator", "settings", name), name)
    for index, partition in draft.partitions.items():
        settings: Mapping[str, str] = partition.settings
        for name in settings:
            if spelled(name, scope="queue") in _OF_PARTITIONS:
                yield _needs(("orchestrator", "partitions", index, "settings", name), name)


def _needs(path: Path, name: str) -> Violation:
    return Violation(
        path=path,
        at_key=True,
        message=f"{name} needs accounts or QOS, which the accounting database keeps, and there is none",
        given=name,
        allowed="settings of accounts and QOS where `accounting` is true",
        remedy=f"Write `accounting: true`, or remove {name}.",
    )


RULE = Rule(
    row=CheckRow(
        id="ORC-014",
        title="teams and QOS need accounting",
        what=(
            "`orchestrator.accounting` is true where `orchestrator.teams` names any, where `settings` of a "
            "partition have QOS, AllowQos, DenyQos or DenyAccounts, and where `orchestrator.settings` have "
            "PreemptType=preempt/qos."
        ),
        why=(
            "Slurm keeps accounts, shares and QOS in slurmdbd. Without it there is no account to submit a "
            "job in, and no bound is held: slurmctld starts, passes over the QOS of a partition, and runs "
            "every job (seen on 22.05)."
        ),
        fix="Switch accounting on, or share the cluster without teams and QOS.",
        by_hand="`scontrol show config | grep AccountingStorageType` shows whether there is a database.",
    ),
    check=check,
)
