"""Custom::AWSCDK-EKS-KubernetesResource: manifests that CDK's kubectl provider applies."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.known_kinds import refuse_unknown
from bedplate.sandbox.eks.objects import Object, checked
from bedplate.sandbox.resources.eks_kubectl import reached_cluster
from bedplate.sandbox.sandbox import Sandbox


class EksManifestHandler:
    """Keeps the objects in the cluster; whether the API server's schemas would take them is not looked at."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """``kubectl create``, which fails for what is there already, or ``apply`` where that is asked for."""
        cluster, objects = reached_cluster(self._sandbox, request), _objects(request)
        refuse_unknown(cluster, objects)
        if request.properties.get("Overwrite") in (True, "true"):
            cluster.objects.apply(objects)
        else:
            cluster.objects.create(objects)
        return Made(physical_id=str(uuid.uuid4()))

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """``kubectl apply``; what left the manifest goes where the app prunes, if kubectl prunes its kind."""
        cluster, objects = reached_cluster(self._sandbox, request), _objects(request)
        refuse_unknown(cluster, objects)
        cluster.objects.apply(objects)
        label = request.properties.get("PruneLabel")
        if label:
            cluster.objects.prune(objects, str(label))
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """``kubectl delete``, whose failures the provider passes over; a cluster that is gone fails it."""
        cluster_of(self._sandbox, request).objects.delete(_objects(request))


def _objects(request: ResourceRequest) -> list[Object]:
    try:
        documents = json.loads(request.properties["Manifest"])
    except (KeyError, TypeError, ValueError) as error:
        raise ResourceError(f"Manifest is no JSON: {error}") from error
    if not isinstance(documents, list):
        raise ResourceError("Manifest is no list of objects")
    return [checked(each, f"Manifest[{index}]") for index, each in enumerate(documents)]
