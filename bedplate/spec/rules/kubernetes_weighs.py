"""ORC-052: pools, teams and their volumes fit into one template."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

MOST_BYTES = 1_000_000
"""CloudFormation User Guide, "Understand CloudFormation quotas": the body of a template by S3."""
_BASE, _POOL, _TEAM, _SHARE, _VOLUME, _ROLE = 220_000, 24_000, 3_500, 320, 1_550, 2_400
"""Bytes at most of what every cluster has, of a pool with its template, of a team, of a team's share of a
pool, of a team's volume, and of a role's way in; with as many tags as there may be, held by a test.
"""


def template_bytes(draft: Draft) -> int:
    """An upper bound of the template's size."""
    cluster = draft.kubernetes
    teams = cluster.teams if cluster else ()
    roles = sum(len(team.roles) for team in teams) + (len(cluster.administrators) if cluster else 0)
    pools, volumes = len(draft.pool_names), len(draft.file_systems)
    a_team = _TEAM + _SHARE * pools + _VOLUME * volumes
    return _BASE + _POOL * pools + a_team * max(len(teams), 1) + _ROLE * roles


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse more than CloudFormation takes."""
    if draft.kubernetes is None:
        return
    weight = template_bytes(draft)
    if weight > MOST_BYTES:
        yield Violation(
            path=("orchestrator", "kind"),
            at_key=True,
            message=f"the template of this cluster would have about {weight // 1000} kB, and CloudFormation "
            f"takes {MOST_BYTES // 1000}",
            given=f"{len(draft.pool_names)} pools, {len(draft.kubernetes.teams)} teams, "
            f"{len(draft.file_systems)} file systems",
            allowed="fewer of them together",
            remedy="Join teams or pools, or split the file: each team has a share of every pool, and a "
            "volume of every file system.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-052",
        title="pools, teams and their volumes fit into one template",
        what=(
            "Under `eks` what is made of pools, teams, their roles and file systems comes to at most 1 MB, "
            "estimated from above."
        ),
        why=(
            "CloudFormation takes templates of 1 MB, and refuses a larger one at the deploy. A pool has up "
            "to 33 network interfaces in its launch template; each team has a queue that names every pool, "
            "and a volume of every file system."
        ),
        fix="Join teams or pools, or split the file.",
        by_hand="`ls -l cdk.out/*.template.json` after `cdk synth`.",
    ),
    check=check,
)
