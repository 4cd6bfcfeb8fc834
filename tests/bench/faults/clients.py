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
        self.s3 = _S3(cluster.objects)
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
    def __init__(self, objects: dict[str, bytes]) -> None:
        super().__init__("s3")
        self._objects = objects

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **conditions: Any) -> dict[str, str]:  # noqa: N803
        """Keep an object, under S3's two conditions; evidence is not read again, and is not kept."""
        name = f"{Bucket}/{Key}"
        old = self._objects.get(name)
        if "IfNoneMatch" in conditions and old is not None:
            raise ClientError({"Error": {"Code": "PreconditionFailed", "Message": Key}}, "PutObject")
        if "IfMatch" in conditions and (old is None or _tag(old) != conditions["IfMatch"]):
            raise ClientError({"Error": {"Code": "PreconditionFailed", "Message": Key}}, "PutObject")
        if "/evidence/" not in Key:
            self._objects[name] = bytes(Body)
        return {"ETag": _tag(bytes(Body))}

    def get_object(self, *, Bucket: str, Key: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        """An object that was kept."""
        body = self._objects.get(f"{Bucket}/{Key}")
        if body is None:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": Key}}, "GetObject")
        return {"Body": io.BytesIO(body), "ETag": _tag(body)}

    def list_objects_v2(self, *, Bucket: str, Prefix: str = "", **_: Any) -> dict[str, Any]:  # noqa: N803
        """The keys that begin so."""
        return {"Contents": [{"Key": key} for key in self._keys(Bucket, Prefix)]}

    def get_paginator(self, operation: str) -> Any:
        """Of the listing; another one is denied when it is asked for its pages."""
        return _Listing(self) if operation == "list_objects_v2" else _Refuses(operation)

    def list_object_versions(self, *, Bucket: str, Prefix: str = "", **_: Any) -> dict[str, Any]:  # noqa: N803
        """The same, each with its only version."""
        return {"Versions": [{"Key": key, "VersionId": "null"} for key in self._keys(Bucket, Prefix)]}

    def delete_object(self, *, Bucket: str, Key: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        """Forget an object."""
        self._objects.pop(f"{Bucket}/{Key}", None)
        return {}

    def _keys(self, bucket: str, prefix: str) -> list[str]:
        start = f"{bucket}/{prefix}"
        return sorted(name[len(bucket) + 1 :] for name in self._objects if name.startswith(start))


class _Listing:
    def __init__(self, s3: _S3) -> None:
        self._s3 = s3

    def paginate(self, **asked: Any) -> Iterator[dict[str, Any]]:
        """All in one page."""
        yield self._s3.list_objects_v2(**asked)


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
