"""PRE-005: the service-linked roles are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-005",
    title="the service-linked roles are there",
    what="Whether the roles are there that PCS, or else RDS (for accounting), FSx, EFS and, for "
    "Spot pools of EC2, EC2 Spot act by in this account, each where the environment uses the service.",
    why="A service makes its role at first use only if the caller may; CloudFormation's role often may not, "
    "and then the deploy stops half-way.",
    fix="Create the role once: `aws iam create-service-linked-role --aws-service-name SERVICE`.",
    by_hand="`aws iam get-role --role-name AWSServiceRoleForPCS`, or that of the service",
)


def applies(environment: Environment) -> bool:
    """Where anything is used that acts by a role of its own."""
    return bool(roles_needed(environment))


def roles_needed(environment: Environment) -> dict[str, str]:
    """Role → service principal, for what the environment uses."""
    needed: dict[str, str] = {}
    slurm, kind = environment.slurm, environment.orchestrator.kind
    if kind == "slurm-pcs":
        needed["AWSServiceRoleForPCS"] = "pcs.amazonaws.com"
    if kind == "eks":
        needed["AWSServiceRoleForAmazonEKS"] = "eks.amazonaws.com"
        needed["AWSServiceRoleForAmazonEKSNodegroup"] = "eks-nodegroup.amazonaws.com"
    if slurm is not None and kind != "slurm-pcs" and slurm.accounting:  # the database of slurmdbd is Aurora's
        needed["AWSServiceRoleForRDS"] = "rds.amazonaws.com"
    kinds = {each.kind for each in environment.storage.file_systems}
    if kinds & {"lustre", "lustre-tiering", "openzfs"}:
        needed["AWSServiceRoleForAmazonFSx"] = "fsx.amazonaws.com"
    if "efs" in kinds:
        needed["AWSServiceRoleForAmazonElasticFileSystem"] = "elasticfilesystem.amazonaws.com"
    # HyperPod's Spot is SageMaker's own.
    spot = any(pool.capacity.source == "spot" for pool in environment.pools)
    if spot and kind != "slurm-hyperpod":
        needed["AWSServiceRoleForEC2Spot"] = "spot.amazonaws.com"
    return needed


def check(preflight: Preflight) -> list[Verdict]:
    """Look for each role."""
    from bedplate.validation.aws import aws_errors

    writer, needed = Writer(ROW.id), roles_needed(preflight.environment)
    iam = preflight.clients.iam
    missing = []
    for role in needed:
        with aws_errors(f"looking for the role {role}"):
            try:
                iam.get_role(RoleName=role)
            except iam.exceptions.NoSuchEntityException:
                missing.append(role)
    if missing:
        commands = "; ".join(
            f"aws iam create-service-linked-role --aws-service-name {needed[role]}" for role in missing
        )
        summary = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        return [
            writer.failed(summary, measured=len(needed) - len(missing), expected=len(needed), remedy=commands)
        ]
    return [writer.passed(f"{', '.join(needed)}", measured=len(needed), expected=len(needed), unit="roles")]
