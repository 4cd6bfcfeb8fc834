"""SIMULATED: clients of AWS that keep objects in memory and know the instances; all else they refuse."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from bedplate.sandbox.fleet.leaves import network_nodes
from tests.bench.faults.cluster import Cluster


class MemoryClients:
    """In place of ``bedplate.validation.aws.AwsClients``."""

    simulated = True

    def __init__(self, cluster: Cluster) -> None:
        self.s3 = _S3()
        self.ec2 = _Ec2(cluster)

    def __getattr__(self, name: str) -> Any:
        return _Refuses(name)


class _Refuses:
    """A service whose every operation is denied, as by a role that may not."""

    def __init__(self, service: str) -> None:
        self._service = service

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def refuse(*_: object, **__: object) -> Any:
            raise ClientError(
                {"Error": {"Code": "AccessDenied", "Message": f"{self._service} is not played"}}, operation
            )

        return refuse


class _S3(_Refuses):
    def __init__(self) -> None:
        super().__init__("s3")
        self.objects: dict[str, bytes] = {}

    def put_object(self, *, Key: str, Body: bytes, **conditions: Any) -> dict[str, str]:  # noqa: N803
        """Keep an object, under S3's two conditions."""
        old = self.objects.get(Key)
        if "IfNoneMatch" in conditions and old is not None:
            raise ClientError({"Error": {"Code": "PreconditionFailed", "Message": Key}}, "PutObject")
        if "IfMatch" in conditions and (old is None or _tag(old) != conditions["IfMatch"]):
            raise ClientError({"Error": {"Code": "PreconditionFailed", "Message": Key}}, "PutObject")
        self.objects[Key] = Body if isinstance(Body, bytes) else bytes(Body)
        return {"ETag": _tag(self.objects[Key])}

    def get_object(self, *, Key: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        """An object that was kept."""
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": Key}}, "GetObject")
        return {"Body": io.BytesIO(self.objects[Key]), "ETag": _tag(self.objects[Key])}

    def delete_object(self, *, Key: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        """Forget an object."""
        self.objects.pop(Key, None)
        return {}


class _Ec2(_Refuses):
    def __init__(self, cluster: Cluster) -> None:
        super().__init__("ec2")
        self._cluster = cluster

    def get_paginator(self, operation: str) -> Any:
        """Of DescribeInstances and their topology; another one is denied when it is asked for its pages."""
        known = {"describe_instances": _Pages, "describe_instance_topology": _Topology}
        return known[operation](self._cluster) if operation in known else _Refuses(operation)


class _Pages:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def paginate(self, *, Filters: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:  # noqa: N803
        """The instances of the group that is asked for."""
        yield {"Reservations": [{"Instances": self._cluster.instances(Filters[0]["Values"][0])}]}


class _Topology:
    def __init__(self, cluster: Cluster) -> None:
        self._places = {one: place for place, one in enumerate(cluster.fleet.compute_nodes())}

    def paginate(self, *, InstanceIds: list[str]) -> Iterator[Mapping[str, Any]]:  # noqa: N803
        """Where the compute nodes stand."""
        rows = [(one, network_nodes(self._places[one])) for one in InstanceIds if one in self._places]
        yield {"Instances": [{"InstanceId": one, "NetworkNodes": list(above)} for one, above in rows]}


def _tag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
