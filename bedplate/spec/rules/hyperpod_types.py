"""ORC-040: HyperPod has the types of its own nodes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.hyperpod_types import HYPERPOD_TYPES
from bedplate.spec.problems import Path
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse login nodes, a controller and pools of a type that SageMaker does not run a cluster on."""
    if draft.orchestrator_kind != "slurm-hyperpod":
        return
    wanted: list[tuple[Path, str | None]] = [
        (("orchestrator", "login", "instance_type"), draft.login.instance_type if draft.login else None),
        (("orchestrator", "controller", "instance_type"), draft.control_type),
        *(
            (("pools", index, "instance_type"), pool.instance_type)
            for index, pool in draft.pools.items()
            if pool.instance_type in INSTANCE_TYPES  # else CAP-001 names those that there are
        ),
    ]
    for path, given in wanted:
        if given is not None and given not in HYPERPOD_TYPES:
            yield Violation(
                path=path,
                message=f"HyperPod runs no ml.{given}",
                given=given,
                allowed=_alike(given),
                remedy="Choose a type that SageMaker has for clusters, such as m7i.4xlarge.",
            )


def _alike(given: str) -> str:
    """The family's own sizes where HyperPod has the family, else the general ones."""
    family = given.partition(".")[0]
    found = [each for each in HYPERPOD_TYPES if each.startswith(f"{family}.")]
    return ", ".join(found or [each for each in HYPERPOD_TYPES if each.startswith(("m7i.", "m7g."))])


RULE = Rule(
    row=CheckRow(
        id="ORC-040",
        title="HyperPod has the types of its nodes",
        what="Under `slurm-hyperpod` the controller, the login nodes and every pool are of a type that "
        "SageMaker runs clusters on.",
        why=(
            "HyperPod's instances are SageMaker's, and their types are a list of its own: a type that EC2 "
            "sells may not be in it, and CreateCluster refuses it after the network and the file systems "
            "have been made."
        ),
        fix="Choose another type; those of the m7i, m6i, m5, c6i and r7i families are in it.",
        by_hand="See InstanceType of ClusterInstanceGroupSpecification in the SageMaker API Reference.",
    ),
    check=check,
)
