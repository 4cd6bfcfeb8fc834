"""The model of an API finds what is wrong with a request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.aws_shape import violations

GOOD: dict[str, Any] = {
    "ClusterName": "proof",
    "InstanceGroups": [
        {
            "InstanceGroupName": "h200",
            "InstanceType": "ml.p5en.48xlarge",
            "InstanceCount": 8,
            "ExecutionRole": "arn:aws:iam::123456789012:role/nodes",
        }
    ],
}


def test_a_good_request_has_no_violations() -> None:
    """The smallest cluster of the SageMaker API."""
    assert violations("sagemaker", "CreateCluster", GOOD) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"Name": "x"}, "there is no Name"),
        ({"ClusterName": "-bad"}, "does not match"),
        ({"ClusterName": 7}, "is no string"),
        ({"ClusterName": "a" * 64}, "is outside of 1 to 63"),
        ({"InstanceGroups": []}, "0 is outside of 1 to 100"),
        ({"InstanceGroups": {}}, "is no list"),
        ({"InstanceGroups": [{**GOOD["InstanceGroups"][0], "InstanceCount": True}]}, "is no integer"),
        ({"InstanceGroups": [{**GOOD["InstanceGroups"][0], "InstanceType": "p5"}]}, "none of its values"),
        ({"InstanceGroups": [{}]}, "InstanceGroupName is missing"),
        ({"VpcConfig": []}, "is no structure"),
    ],
)
def test_each_kind_of_mistake_is_found(change: dict[str, Any], told: str) -> None:
    """Unknown and missing members, types, bounds, patterns, lists of values."""
    found = violations("sagemaker", "CreateCluster", {**GOOD, **change})
    assert any(told in each for each in found), found
