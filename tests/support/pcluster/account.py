"""SIMULATED: an account, played by moto on a port of this host, with what a cluster configuration names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import boto3
from moto.moto_api._internal import moto_api_backend
from moto.server import ThreadedMotoServer

REGION, BUCKET = "us-west-2", "assets"
_KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION}
_TAGS = {
    "parallelcluster:version": "3.16.1",
    "parallelcluster:os": "ubuntu2404",
    "parallelcluster:build_status": "available",
}


@dataclass(frozen=True)
class Network:
    """Ids of two subnets in two zones, of the group around all nodes, and of an x86 image."""

    head_subnet_id: str
    gpu_subnet_id: str
    security_group_id: str
    image_id: str


class PlayedAccount:
    """A context manager; ``environment`` is what a program needs to ask this account and no other."""

    network: Network

    def __enter__(self) -> Self:
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        _, port = self._server.get_host_and_port()
        self._endpoint = f"http://localhost:{port}"
        self.network = self._make_network()
        s3 = self.client("s3")
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket=BUCKET, Key="node.sh", Body=b"#!/bin/sh\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        moto_api_backend.reset()
        self._server.stop()

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the AWS SDKs."""
        return {**_KEYS, "AWS_ENDPOINT_URL": self._endpoint}

    def _make_network(self) -> Network:
        ec2 = self.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
        head, gpu = (
            ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=REGION + zone)["Subnet"][
                "SubnetId"
            ]
            for block, zone in (("10.0.0.0/20", "a"), ("10.0.16.0/20", "b"))
        )
        group = ec2.create_security_group(GroupName="fabric", Description="fabric", VpcId=vpc)["GroupId"]
        every: Any = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=every)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=every)
        images = ec2.describe_images()["Images"]
        image = next(
            each["ImageId"]
            for each in images
            if each.get("Architecture") == "x86_64"
            and each.get("BlockDeviceMappings")
            and "ubuntu" in each["Name"]
        )
        ec2.create_tags(
            Resources=[image], Tags=[{"Key": key, "Value": value} for key, value in _TAGS.items()]
        )
        return Network(head, gpu, group, image)

    def client(self, service: Any) -> Any:
        """A client of boto3 for this account."""
        return boto3.client(
            service,
            endpoint_url=self._endpoint,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
