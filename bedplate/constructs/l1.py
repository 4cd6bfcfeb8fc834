"""CloudFormation's own resource classes (CDK L1) without the import of their services' bindings.

The Python bindings of a service hold every class of it: aws_ec2 alone is 7 MB of source and a tenth of a
second, and the environment needs one to ten classes of each of ten services. What such a class does is to
name its type to the CDK's kernel and to pass its arguments on; ``ResourceClass`` does that for all of them.
In the kernel the resource is the same class as ever, so templates, tags, aspects, cdk-nag and the CDK's own
validation see no difference.

Type checkers see the real bindings, so a wrong property is an error of ``mypy`` as before. An app that has
imported a service's bindings itself gets instances of those, so that ``isinstance`` in its code holds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jsii
from aws_cdk import CfnResource
from constructs import Construct


class Resource(CfnResource):
    """A resource of a CDK L1 class, made from the class's name; ``attr_…`` are its attributes."""

    def __init__(self, scope: Construct, id: str, *, kernel_type: str, **properties: object) -> None:  # noqa: A002
        # CfnResource's own constructor would make a resource without a class; this makes the class's.
        named = type("Named", (), {"__jsii_type__": kernel_type})
        jsii.create(named, self, [scope, id, _struct(**properties)])

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("attr_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        # Kept, since an attribute is a token that never changes and each question crosses to Node.
        self.__dict__[name] = value = jsii.get(self, _camel(name))
        return value


class ResourceClass:
    """Stands for one L1 class: call it for a resource; its ``…Property`` members make the nested values."""

    def __init__(self, kernel_type: str) -> None:
        self._kernel_type = kernel_type

    def __call__(self, scope: Construct, id: str, **properties: object) -> Resource:  # noqa: A002
        """Make the resource."""
        return Resource(scope, id, kernel_type=self._kernel_type, **properties)

    def __getattr__(self, name: str) -> Callable[..., dict[str, object]]:
        if not name.endswith("Property"):
            raise AttributeError(f"{self._kernel_type} has no {name}")
        return _struct


class Service:
    """Stands for one module of aws_cdk, for its L1 classes alone."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        bindings = sys.modules.get(f"aws_cdk.{self._module}")
        if bindings is not None:
            return getattr(bindings, name)
        if not name.startswith("Cfn"):
            raise AttributeError(f"{self._module} offers L1 classes only, not {name}")
        return ResourceClass(f"aws-cdk-lib.{self._module}.{name}")


def _struct(**members: object) -> dict[str, object]:
    """The members under the kernel's names; ``None`` is an absent one, as in the bindings."""
    return {_camel(name): value for name, value in members.items() if value is not None}


_IRREGULAR = {"size_gib": "sizeGiB"}
"""Names that the kernel spells otherwise than their words say."""


def _camel(name: str) -> str:
    if name in _IRREGULAR:
        return _IRREGULAR[name]
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


if TYPE_CHECKING:
    from aws_cdk import aws_aps as aws_aps
    from aws_cdk import aws_cloudwatch as aws_cloudwatch
    from aws_cdk import aws_codebuild as aws_codebuild
    from aws_cdk import aws_ec2 as aws_ec2
    from aws_cdk import aws_efs as aws_efs
    from aws_cdk import aws_eks as aws_eks
    from aws_cdk import aws_events as aws_events
    from aws_cdk import aws_fsx as aws_fsx
    from aws_cdk import aws_grafana as aws_grafana
    from aws_cdk import aws_iam as aws_iam
    from aws_cdk import aws_kms as aws_kms
    from aws_cdk import aws_lambda as aws_lambda
    from aws_cdk import aws_logs as aws_logs
    from aws_cdk import aws_pcs as aws_pcs
    from aws_cdk import aws_rds as aws_rds
    from aws_cdk import aws_s3 as aws_s3
    from aws_cdk import aws_sagemaker as aws_sagemaker
    from aws_cdk import aws_scheduler as aws_scheduler
    from aws_cdk import aws_secretsmanager as aws_secretsmanager
    from aws_cdk import aws_sns as aws_sns
    from aws_cdk import aws_ssm as aws_ssm
else:
    aws_aps = Service("aws_aps")
    aws_cloudwatch = Service("aws_cloudwatch")
    aws_codebuild = Service("aws_codebuild")
    aws_ec2 = Service("aws_ec2")
    aws_efs = Service("aws_efs")
    aws_eks = Service("aws_eks")
    aws_events = Service("aws_events")
    aws_fsx = Service("aws_fsx")
    aws_grafana = Service("aws_grafana")
    aws_iam = Service("aws_iam")
    aws_kms = Service("aws_kms")
    aws_lambda = Service("aws_lambda")
    aws_logs = Service("aws_logs")
    aws_pcs = Service("aws_pcs")
    aws_rds = Service("aws_rds")
    aws_s3 = Service("aws_s3")
    aws_sagemaker = Service("aws_sagemaker")
    aws_scheduler = Service("aws_scheduler")
    aws_secretsmanager = Service("aws_secretsmanager")
    aws_sns = Service("aws_sns")
    aws_ssm = Service("aws_ssm")
