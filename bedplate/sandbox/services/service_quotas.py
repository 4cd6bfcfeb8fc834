"""The Service Quotas API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service
from bedplate.spec.hyperpod_types import HYPERPOD_TYPES

QUOTAS: Mapping[tuple[str, str], tuple[str, float]] = {
    ("ec2", "L-417A185B"): ("Running On-Demand P instances", 19200.0),
    ("ec2", "L-7212CCBC"): ("All P4, P3 and P2 Spot Instance Requests", 0.0),
    ("ec2", "L-C4BD4855"): ("All P5 Spot Instance Requests", 19200.0),
    ("ec2", "L-1216C47A"): ("Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 1152.0),
    ("ec2", "L-0263D0A3"): ("EC2-VPC Elastic IPs", 20.0),
    ("vpc", "L-DF5E4CA3"): ("Network interfaces per Region", 50000.0),
    ("vpc", "L-F678F1CE"): ("VPCs per Region", 20.0),
    ("vpc", "L-FE5A380F"): ("NAT gateways per Availability Zone", 20.0),
    ("fsx", "L-8F1B9C74"): ("Lustre Persistent_2 storage capacity", 1008000.0),
    ("fsx", "L-0CD18A5D"): ("Lustre Persistent Intelligent-Tiering throughput capacity", 100000.0),
    ("fsx", "L-B7391FCE"): (
        "Lustre Persistent Intelligent-Tiering SSD read cache storage capacity",
        1000000.0,
    ),
    ("fsx", "L-59D0763F"): ("OpenZFS file systems", 100.0),
    ("fsx", "L-88479C21"): ("OpenZFS SSD storage capacity", 262144.0),
    ("fsx", "L-4EDE4065"): ("OpenZFS throughput capacity", 10240.0),
    ("grafana", "L-2C2D5119"): ("Number of workspaces", 5.0),
    ("elasticfilesystem", "L-848C634D"): ("File systems per account", 1000.0),
    ("elasticfilesystem", "L-7391004C"): ("Mount targets per VPC", 400.0),
    **{
        ("sagemaker", f"L-SBX{number:05d}"): (f"ml.{name} for cluster usage", 64.0)
        for number, name in enumerate(HYPERPOD_TYPES)
    },
}
"""(service, code) → name and the value of a generous account; the option ``quotas`` sets other values.

SageMaker's codes are made up here: nothing goes by them. The codes of FSx are in no AWS documentation; they
are as accounts list them (``list-service-quotas --service-code fsx``), with 100,800 GiB as AWS's default of
Lustre."""


class ServiceQuotasApi:
    """Tells quotas; a code that is not in the table is an error, as a wrong code is at AWS."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._options = sandbox.options

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "service-quotas",
            {
                "GetServiceQuota": self._get,
                "GetAWSDefaultServiceQuota": self._get,
                "ListServiceQuotas": self._list,
            },
            signing_name="servicequotas",
        )

    def _get(self, call: Call) -> Mapping[str, Any]:
        key = (call.need("ServiceCode"), call.need("QuotaCode"))
        if key not in QUOTAS:
            raise ApiError(
                "NoSuchResourceException", f"The request failed because the quota {key} does not exist."
            )
        return {"Quota": self._quota(call, *key)}

    def _list(self, call: Call) -> Mapping[str, Any]:
        service = call.need("ServiceCode")
        return {"Quotas": [self._quota(call, *key) for key in QUOTAS if key[0] == service]}

    def _quota(self, call: Call, service: str, code: str) -> dict[str, Any]:
        name, default = QUOTAS[(service, code)]
        return {
            "ServiceCode": service,
            "QuotaCode": code,
            "QuotaName": name,
            "QuotaArn": f"arn:aws:servicequotas:{call.region}:{call.account}:{service}/{code}",
            "Value": self._options.quota(code, default),
            "Unit": "None",
            "Adjustable": True,
            "GlobalQuota": False,
        }
