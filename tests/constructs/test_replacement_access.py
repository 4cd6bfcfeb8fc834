"""Who may end instances, and which."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aws_cdk import Stack

TAG = "aws:pcs:compute-node-group-id"
Template = dict[str, Any]
Synthesise = Callable[[Callable[["Stack"], object]], Template]


def _policy(synthesise: Synthesise, *groups: str) -> dict[str, Any]:
    def build(stack: Stack) -> None:
        from bedplate.constructs.replacement_access import ReplacementAccess

        ReplacementAccess(stack, "Replacement", tags={TAG: groups})

    (policy,) = synthesise(build)["Resources"].values()
    found: dict[str, Any] = policy["Properties"]
    return found


def test_only_instances_of_the_named_node_groups_may_be_ended(synthesise: Synthesise) -> None:
    """The one changing action is bound to the tag that PCS gives its instances, and to nobody."""
    policy = _policy(synthesise, "pcs_a", "pcs_b")
    statements = {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}
    ends = statements["EndNodesOfPools"]
    assert ends["Action"] == ["ec2:TerminateInstances"]
    assert ends["Resource"] == "arn:aws:ec2:us-west-2:111122223333:instance/*"
    assert ends["Condition"] == {"StringEquals": {f"ec2:ResourceTag/{TAG}": ["pcs_a", "pcs_b"]}}
    changing = [a for each in statements.values() for a in each["Action"] if ":Describe" not in a]
    assert changing == ["ec2:TerminateInstances"]
    assert not {"Roles", "Users", "Groups"} & set(policy)


def test_a_tag_without_a_value_is_refused(synthesise: Synthesise) -> None:
    """An empty list is a mistake of the caller, not a right to nothing; so is no tag at all."""
    with pytest.raises(ValueError, match="a tag without a value is no condition"):
        _policy(synthesise)


def test_all_of_several_tags_are_asked_for(synthesise: Synthesise) -> None:
    """An instance must have each of them: StringEquals joins its keys by "and"."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.replacement_access import ReplacementAccess

        ReplacementAccess(
            stack, "Replacement", tags={"parallelcluster:cluster-name": ["one"], "node-type": ["Compute"]}
        )

    (policy,) = synthesise(build)["Resources"].values()
    first = policy["Properties"]["PolicyDocument"]["Statement"][0]
    assert first["Condition"] == {
        "StringEquals": {
            "ec2:ResourceTag/parallelcluster:cluster-name": ["one"],
            "ec2:ResourceTag/node-type": ["Compute"],
        }
    }
