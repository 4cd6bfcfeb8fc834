"""ORC-011: the Region has what the orchestrator and the metrics are made of."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.parallelcluster_regions import PARALLELCLUSTER_REGIONS
from bedplate.spec.region_types import missing_types
from bedplate.spec.regions import ZONE_PREFIXES
from bedplate.spec.rules.rule import Rule, Violation

_NAMES = {
    "slurm-pcs": "AWS PCS",
    "slurm-hyperpod": "SageMaker HyperPod",
    "metrics": "Amazon Managed Service for Prometheus",
}


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse Regions in which the CDK knows no resources of the orchestrator, or of Prometheus, or that
    ParallelCluster is not published in.
    """
    for feature, name in _NAMES.items():
        if feature not in (draft.orchestrator_kind, "metrics") or draft.region is None:
            continue
        if missing_types(feature, draft.region):
            yield Violation(
                path=("region",),
                message=f"{name} is not known in {draft.region}",
                allowed=f"a Region with {name}, such as us-east-1, us-west-2 or eu-north-1",
                remedy="Use a Region that has it, and zones and capacity of that Region.",
            )
    if draft.orchestrator_kind == "slurm-parallelcluster" and (
        draft.region in ZONE_PREFIXES and draft.region not in PARALLELCLUSTER_REGIONS
    ):
        yield Violation(
            path=("region",),
            message=f"AWS ParallelCluster is not published in {draft.region}",
            allowed=f"one of {', '.join(sorted(PARALLELCLUSTER_REGIONS))}",
            remedy="Use a Region that has it, and zones and capacity of that Region.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-011",
        title="the Region has the orchestrator",
        what="`region` is none in which the CDK knows no AWS::PCS resources, where `kind: slurm-pcs` needs "
        "them, no AWS::SageMaker::Cluster, where `kind: slurm-hyperpod` does, or no AWS::APS ones, which "
        "every environment has for its metrics; and under `slurm-parallelcluster` it is one that "
        "ParallelCluster 3.16.1 supports.",
        why=(
            "AWS PCS and HyperPod are in some Regions. The CDK holds templates against CloudFormation's "
            "registry as it was when the CDK was released, and refuses to synthesise what a Region does "
            "not have. A Region that one of them has come to since is let in with the next version of "
            "the CDK. ParallelCluster publishes its provider's template and its images in the Regions of "
            "its own list, and refuses others."
        ),
        fix="Choose another Region; the AWS General Reference lists PCS's endpoints, ParallelCluster's User "
        "Guide its Regions.",
        by_hand="`aws pcs list-clusters --region REGION` finds no endpoint where there is no PCS.",
    ),
    check=check,
)
