"""Who may send files through tied folders, and what else may not be done with that right."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aws_cdk import Stack

Template = dict[str, Any]
Synthesise = Callable[[Callable[["Stack"], object]], Template]


def _policies(synthesise: Synthesise, *folders: tuple[str, str]) -> list[dict[str, Any]]:
    def build(stack: Stack) -> None:
        from bedplate.constructs.association_access import AssociationAccess, TiedFolder

        AssociationAccess(
            stack,
            "Associations",
            folders=[TiedFolder(bucket=bucket, prefix=prefix) for bucket, prefix in folders],
        )

    return [each["Properties"] for each in synthesise(build)["Resources"].values()]


def test_only_validations_own_folder_may_be_touched(synthesise: Synthesise) -> None:
    """Objects below the prefix's own folder, a listing of that folder, and nobody has it by itself."""
    (policy,) = _policies(synthesise, ("acme-data", "v3/"), ("acme-checkpoints", ""))
    sends, *looks = policy["PolicyDocument"]["Statement"]
    assert sends["Resource"] == [
        "arn:aws:s3:::acme-data/v3/.bedplate-validation/*",
        "arn:aws:s3:::acme-checkpoints/.bedplate-validation/*",
    ]
    assert [each["Resource"] for each in looks] == [
        "arn:aws:s3:::acme-data",
        "arn:aws:s3:::acme-checkpoints",
    ]
    assert [each["Condition"]["StringLike"]["s3:prefix"] for each in looks] == [
        "v3/.bedplate-validation/*",
        ".bedplate-validation/*",
    ]
    assert {action for each in looks for action in each["Action"]} == {
        "s3:ListBucket",
        "s3:ListBucketVersions",
    }
    assert not {"Roles", "Users", "Groups"} & set(policy)


def test_the_folder_is_the_one_that_the_node_writes_to() -> None:
    """The right and the node's program name the same folder."""
    from bedplate.constructs.association_access import OWN_FOLDER
    from bedplate.node import association

    assert association.OWN_FOLDER == OWN_FOLDER


@pytest.mark.parametrize(("folders", "prefix"), [(64, ""), (64, "p" * 899 + "/")])
def test_every_policy_fits_into_what_iam_takes(synthesise: Synthesise, folders: int, prefix: str) -> None:
    """The most associations there can be, with the longest names."""
    from bedplate.spec.association_rights import CHARACTERS_A_POLICY

    policies = _policies(synthesise, *((f"{number:063d}", prefix) for number in range(folders)))
    sizes = [len(json.dumps(each["PolicyDocument"], separators=(",", ":"))) for each in policies]
    assert max(sizes) <= CHARACTERS_A_POLICY
    resources = [one for each in policies for one in each["PolicyDocument"]["Statement"][0]["Resource"]]
    assert len(set(resources)) == folders


def test_no_folder_is_refused(synthesise: Synthesise) -> None:
    """An empty list is a mistake of the caller."""
    with pytest.raises(ValueError, match="folders is empty"):
        _policies(synthesise)
