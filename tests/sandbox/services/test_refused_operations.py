"""What nobody plays is an error that no SDK retries, in each service's own dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.stand_in import StandIn


@pytest.mark.parametrize(
    ("service", "call"),
    [
        ("pcs", lambda client: client.create_cluster(**_CLUSTER)),
        ("fsx", lambda client: client.create_backup(FileSystemId="fs-0123456789abcdef0")),
        ("ssm", lambda client: client.start_automation_execution(DocumentName="x")),
        ("cloudformation", lambda client: client.list_types()),
        ("ec2", lambda client: client.describe_capacity_block_offerings(CapacityDurationHours=24)),
        ("sagemaker", lambda client: client.list_models()),
        ("s3", lambda client: client.get_bucket_metadata_configuration(Bucket="b")),
        ("service-quotas", lambda client: client.list_services()),
        ("pricing", lambda client: client.describe_services()),
    ],
)
def test_operation_that_nobody_plays_is_refused(
    stand_in: StandIn, service: str, call: Callable[[Any], Any]
) -> None:
    """The client gets an error with the sandbox's id and a status that is not retried."""
    with pytest.raises(ClientError) as refused:
        call(stand_in.client(service))
    error = refused.value.response["Error"]
    assert "SBX-01" in error["Message"]
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501


_CLUSTER = {
    "clusterName": "cluster",
    "scheduler": {"type": "SLURM", "version": "25.11"},
    "size": "SMALL",
    "networking": {"subnetIds": ["subnet-1"]},
}


def test_unknown_filter_is_refused(stand_in: StandIn) -> None:
    """A filter that the sandbox would ignore is an error."""
    with pytest.raises(ClientError, match="SBX-018"):
        stand_in.client("ec2").describe_capacity_reservations(Filters=[{"Name": "tag:x", "Values": ["y"]}])


def test_unknown_quota_is_an_error(stand_in: StandIn) -> None:
    """A quota code that does not exist is refused as at AWS."""
    with pytest.raises(ClientError, match="NoSuchResourceException"):
        stand_in.client("service-quotas").get_service_quota(ServiceCode="ec2", QuotaCode="L-00000000")


def test_quota_can_be_set(stand_in: StandIn) -> None:
    """The switch ``quotas`` lowers a quota."""
    quotas = stand_in.client("service-quotas")
    stand_in.options(quotas={"L-417A185B": 96})
    answer = quotas.get_service_quota(ServiceCode="ec2", QuotaCode="L-417A185B")
    assert answer["Quota"]["Value"] == 96.0


def test_zone_offers_are_told(stand_in: StandIn) -> None:
    """Instance types are offered by zone id."""
    answer = stand_in.client("ec2").describe_instance_type_offerings(
        LocationType="availability-zone-id", Filters=[{"Name": "instance-type", "Values": ["p5en.48xlarge"]}]
    )
    assert "usw2-az2" in {offer["Location"] for offer in answer["InstanceTypeOfferings"]}


def test_service_linked_roles_have_aws_names(stand_in: StandIn) -> None:
    """A used account has the roles of PCS, FSx, RDS, Spot and EKS under AWS's names."""
    iam = stand_in.client("iam")
    for name in (
        "AWSServiceRoleForPCS",
        "AWSServiceRoleForAmazonFSx",
        "AWSServiceRoleForRDS",
        "AWSServiceRoleForEC2Spot",
        "AWSServiceRoleForAmazonEKS",
        "AWSServiceRoleForAmazonEKSNodegroup",
    ):
        assert iam.get_role(RoleName=name)["Role"]["Path"].startswith("/aws-service-role/")
