"""Who may end instances, and which."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aws_cdk import Stack

Template = dict[str, Any]
Synthesise = Callable[[Callable[["Stack"], object]], Template]


def _policy(synthesise: Synthesise, *groups: str) -> dict[str, Any]:
    def build(stack: Stack) -> None:
        from bedplate.constructs.replacement_access import ReplacementAccess

        ReplacementAccess(stack, "Replacement", node_group_ids=groups)

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
    assert ends["Condition"] == {
        "StringEquals": {"ec2:ResourceTag/aws:pcs:compute-node-group-id": ["pcs_a", "pcs_b"]}
    }
    changing = [a for each in statements.values() for a in each["Action"] if ":Describe" not in a]
    assert changing == ["ec2:TerminateInstances"]
    assert not {"Roles", "Users", "Groups"} & set(policy)


def test_no_node_group_is_refused(synthesise: Synthesise) -> None:
    """An empty list is a mistake of the caller, not a right to nothing."""
    with pytest.raises(ValueError, match="node_group_ids is empty"):
        _policy(synthesise)
