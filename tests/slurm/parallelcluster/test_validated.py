"""ParallelCluster's own validators, asking a played account, find nothing wrong in what is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bedplate.spec.pools import Pool
from tests.slurm.pools import pool
from tests.support.pcluster.accept import ask
from tests.support.pcluster.account import PlayedAccount

from .conftest import made

pytestmark = [pytest.mark.real("pcluster"), pytest.mark.slow]

WARNINGS: Mapping[str, str] = {
    "KeyPairValidator": "people come in by Session Manager: no node has a key, and no port is open",
}
"""Validator that warns → why that is meant."""
NOT_PLAYED: Mapping[str, str] = {
    "HeadNodeLaunchTemplateValidator": "must contain the parameter ebs",
    "ComputeResourceLaunchTemplateValidator": "must contain the parameter ebs",
}
"""Validator → what moto answers to its dry run of RunInstances: it knows no instance store."""


@pytest.fixture(scope="module")
def account() -> Iterator[PlayedAccount]:
    """One account for all."""
    with PlayedAccount() as played:
        yield played


def _failures(account: PlayedAccount, *pools: Pool, **around: Any) -> list[tuple[str, str, str]]:
    network = account.network
    there = {
        "head_subnet_id": network.head_subnet_id,
        "gpu_subnet_id": network.gpu_subnet_id,
        "security_group_id": network.security_group_id,
        "images": {"x86_64": network.image_id},
        "policy_arns": (),
        "folders": (),
        "database": None,
    }
    answer = ask(made(*pools, **{**there, **around}), account=account.environment)
    assert answer["refused"] is None
    return [
        (level, validator, message)
        for level, validator, message in answer["failures"]
        if NOT_PLAYED.get(validator, "nothing") not in message
    ]


@pytest.mark.parametrize("kind", ["p5.48xlarge", "p5en.48xlarge"])
def test_the_validators_find_nothing_but_what_is_meant(account: PlayedAccount, kind: str) -> None:
    """No error, and each warning has its reason; each reason is needed."""
    failures = _failures(account, pool(instance_type=kind))
    assert [each for each in failures if each[0] == "ERROR"] == []
    assert {validator for level, validator, _ in failures if level == "WARNING"} == set(WARNINGS)


def test_the_validators_find_what_is_wrong(account: PlayedAccount) -> None:
    """A group without rules of its own id is no fabric: the validators really ask the account."""
    ec2 = account.client("ec2")
    vpc = ec2.describe_subnets(SubnetIds=[account.network.gpu_subnet_id])["Subnets"][0]["VpcId"]
    bare = ec2.create_security_group(GroupName="bare", Description="bare", VpcId=vpc)["GroupId"]
    failures = _failures(account, pool(), security_group_id=bare)
    assert "EfaSecurityGroupValidator" in {validator for level, validator, _ in failures if level == "ERROR"}
