"""A small AWS at the edge of boto3 for the preflight's tests: an account in which all is well, to be
spoilt.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError

from bedplate.spec.loader import load_environment
from bedplate.validation.preflight.context import Preflight
from tests.validation.preflight.network_answers import ec2_answers

DEMO = Path(__file__).parents[3] / "environments" / "demo.yaml"
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
IMAGE = "ami-0123456789abcdef0"
LIMITS = {
    "L-417A185B": ("Running On-Demand P instances", 1536.0),
    "L-C4BD4855": ("All P5 Spot Instance Requests", 1536.0),
    "L-1216C47A": ("Running On-Demand Standard instances", 64.0),
    "L-DF5E4CA3": ("Network interfaces per Region", 5000.0),
    "L-F678F1CE": ("VPCs per Region", 5.0),
    "L-0263D0A3": ("EC2-VPC Elastic IPs", 5.0),
}


def refusal(code: str) -> ClientError:
    """A service's refusal."""
    return ClientError({"Error": {"Code": code, "Message": "because"}}, "Operation")


class Missing(Exception):
    """Not there."""


class FakeService:
    """Answers operations from a table: a value, a function of the request, or an exception."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.exceptions = SimpleNamespace(
            ParameterNotFound=Missing, NoSuchEntityException=Missing, NoSuchResourceException=Missing
        )

    def __getattr__(self, operation: str):
        """Any operation of the table."""
        return lambda **request: self._call(operation, request)

    def get_paginator(self, operation: str):
        """One page."""
        return SimpleNamespace(paginate=lambda **request: [self._call(operation, request)])

    def _call(self, operation: str, request: dict) -> Any:
        answer = self.answers[operation]
        if isinstance(answer, BaseException):
            raise answer
        return answer(request) if callable(answer) else answer


def quota(code: str, name: str, value: float) -> dict:
    """One quota as Service Quotas tells it."""
    return {"Quota": {"QuotaCode": code, "QuotaName": name, "Value": value}}


class FakeAws:
    """``ec2`` and the others are tables of answers that a test spoils."""

    def __init__(self) -> None:
        self.limits = dict(LIMITS)
        self.roles = {
            "AWSServiceRoleForPCS",
            "AWSServiceRoleForRDS",
            "AWSServiceRoleForAmazonFSx",
            "AWSServiceRoleForEC2Spot",
        }
        self.instances: list[dict] = []
        self.reservations: list[dict] = []
        self.simulated = True
        self.bootstrapped = True
        self.tables: dict[str, dict[str, Any]] = {
            "sts": {
                "get_caller_identity": {"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/a"}
            },
            "ssm": {"get_parameter": self._parameter},
            "iam": {"get_role": self._role},
            "quotas": {
                "get_service_quota": lambda request: quota(
                    request["QuotaCode"], *self.limits[request["QuotaCode"]]
                ),
                "list_service_quotas": {
                    "Quotas": [
                        {
                            "QuotaCode": "L-1",
                            "QuotaName": "Lustre Persistent_2 storage capacity",
                            "Value": 100800,
                        },
                        {"QuotaCode": "L-2", "QuotaName": "Lustre Scratch storage capacity", "Value": 1},
                    ]
                },
            },
            "ec2": {
                **ec2_answers(),
                "describe_regions": {"Regions": [{"OptInStatus": "opt-in-not-required"}]},
                "describe_availability_zones": {
                    "AvailabilityZones": [
                        {
                            "ZoneId": f"usw2-az{number}",
                            "ZoneName": f"us-west-2{'?abc'[number]}",
                            "State": "available",
                            "OptInStatus": "opt-in-not-required",
                        }
                        for number in (1, 2, 3)
                    ]
                },
                "describe_instance_type_offerings": lambda request: {
                    "InstanceTypeOfferings": [
                        {"InstanceType": request["Filters"][0]["Values"][0], "Location": "usw2-az2"}
                    ]
                },
                "describe_instances": lambda request: {"Reservations": [{"Instances": self.instances}]},
                "describe_instance_types": {
                    "InstanceTypes": [{"VCpuInfo": {"DefaultVCpus": 16}, "MemoryInfo": {"SizeInMiB": 65536}}]
                },
                "describe_capacity_reservations": lambda request: {
                    "CapacityReservations": [
                        row
                        for row in self.reservations
                        if row["CapacityReservationId"]
                        in request.get("CapacityReservationIds", [row["CapacityReservationId"]])
                    ]
                },
                "describe_network_interfaces": {"NetworkInterfaces": []},
                "describe_addresses": {"Addresses": []},
                "describe_images": {
                    "Images": [{"ImageId": IMAGE, "State": "available", "Architecture": "x86_64"}]
                },
            },
            "fsx": {"describe_file_systems": {"FileSystems": []}},
            "pcs": {"get_cluster": refusal("ResourceNotFoundException")},
        }

    @property
    def known(self) -> list[str]:
        """The ids of the reservations."""
        return [row["CapacityReservationId"] for row in self.reservations]

    def __getattr__(self, name: str):
        """A client by its name in ``AwsClients``."""
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(name)
        return FakeService(self.tables[name])

    def _parameter(self, request: dict) -> dict:
        if request["Name"].startswith("/aws/service/"):
            return {"Parameter": {"Value": IMAGE, "Version": 1}}
        if not self.bootstrapped:
            raise Missing
        return {"Parameter": {"Value": "30"}}

    def _role(self, request: dict) -> dict:
        if request["RoleName"] not in self.roles:
            raise Missing(request["RoleName"])
        return {"Role": {}}


def instance(name: str, *, vcpus: int, environment: str = "", lifecycle: str = "") -> dict:
    """A living instance."""
    row: dict[str, Any] = {"InstanceType": name, "CpuOptions": {"CoreCount": vcpus // 2, "ThreadsPerCore": 2}}
    if environment:
        row["Tags"] = [{"Key": "bedplate:environment", "Value": environment}]
    if lifecycle:
        row["InstanceLifecycle"] = lifecycle
    return row


def preflight_of(aws: FakeAws, **changes: Any) -> Preflight:
    """The demo environment, with changed sections, against the fake."""
    wanted = load_environment(DEMO).model_copy(update=changes)
    return Preflight(wanted, aws, now=NOW)  # type: ignore[arg-type]
