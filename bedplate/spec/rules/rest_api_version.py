"""ORC-015: the REST API needs Slurm 25.05."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

FIRST_VERSION = "25.05"
"""AWS PCS User Guide, "Slurm REST API in AWS PCS"."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the REST API on a version that PCS has none for."""
    version = draft.slurm_version
    if draft.rest_api and version is not None and version < FIRST_VERSION:
        yield Violation(
            path=("orchestrator", "rest_api"),
            message=f"PCS has no REST API for Slurm {version}",
            allowed=f"true from Slurm {FIRST_VERSION} on",
            remedy=f'Write `slurm_version: "{FIRST_VERSION}"` or a later one, or `rest_api: false`.',
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-015",
        title="the REST API needs Slurm 25.05",
        what="`orchestrator.slurm_version` is 25.05 or later where `orchestrator.rest_api` is true.",
        why="PCS runs slurmrestd for these versions alone, and refuses the cluster otherwise.",
        fix="Choose a later Slurm version, or do without the REST API.",
        by_hand="`aws pcs get-cluster --cluster-identifier NAME` shows the version and the endpoints.",
    ),
    check=check,
)
