"""Custom::AWSCDK-EKS-HelmChart: releases that CDK's kubectl provider installs."""

from __future__ import annotations

import json
import re
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.charts import chart_at_hand, chart_name, chart_of_asset, echo_chart
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.helm_program import helm_program
from bedplate.sandbox.eks.known_kinds import api_versions, namespaces_of
from bedplate.sandbox.eks.records import HelmRelease, PlayedEksCluster
from bedplate.sandbox.eks.rendering import rendered, told_values
from bedplate.sandbox.resources.eks_kubectl import reached_cluster
from bedplate.sandbox.sandbox import Sandbox

LONGEST_RELEASE = 53
"""Helm, pkg/chartutil/validate_name.go."""
_RELEASE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


class EksHelmChartHandler:
    """Renders the chart with the values given, and keeps the release; nothing of it runs."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """``helm upgrade --install``."""
        self._install(request)
        return Made(physical_id=str(uuid.uuid4()))

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """The same; under another name the old release stays, for the provider does not uninstall it."""
        self._install(request)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """``helm uninstall``; a release that is gone is no error, a cluster that is gone fails it."""
        cluster = cluster_of(self._sandbox, request)
        cluster.releases.pop((_namespace(request), str(request.properties["Release"])), None)

    def _install(self, request: ResourceRequest) -> None:
        cluster = reached_cluster(self._sandbox, request)
        values = _values(request)
        release, namespace = str(request.properties["Release"]), _namespace(request)
        _refuse(request, cluster)
        with tempfile.TemporaryDirectory(prefix="bedplate-chart-") as work:
            chart, rendered_by = self._chart(request, Path(work) / "chart")
            values_file = Path(work) / "values.json"
            values_file.write_text(json.dumps(values), encoding="utf-8")
            documents = rendered(
                program=helm_program(self._sandbox.state_dir / "programs"),
                chart=chart,
                release=release,
                namespace=namespace,
                values_file=values_file,
                kubernetes=str(cluster.described["version"]),
                api_versions=api_versions(cluster),
            )
        if rendered_by == "echo":
            if told_values(documents) != values:
                raise ResourceError(f"helm does not hand the values of {release} on as they were given")
            documents = ()
        cluster.releases[(namespace, release)] = HelmRelease(
            name=release,
            namespace=namespace,
            chart=chart_name(request.properties),
            repository=str(request.properties.get("Repository") or ""),
            version=str(request.properties.get("Version") or ""),
            values=values,
            rendered_by=rendered_by,
            documents=documents,
        )

    def _chart(self, request: ResourceRequest, folder: Path) -> tuple[Path, str]:
        """Where the chart is, and whether it is the real one."""
        properties = request.properties
        if properties.get("ChartAssetURL"):
            return chart_of_asset(
                properties["ChartAssetURL"], account=request.account, folder=folder
            ), "chart"
        told = self._sandbox.options.section("helm_charts", None)
        found = chart_at_hand(
            Path(told) if told else None, chart_name(properties), str(properties["Version"])
        )
        return (found, "chart") if found is not None else (echo_chart(folder), "echo")


def _refuse(request: ResourceRequest, cluster: PlayedEksCluster) -> None:
    properties = request.properties
    release, namespace = str(properties["Release"]), _namespace(request)
    if len(release) > LONGEST_RELEASE or not _RELEASE.fullmatch(release):
        raise ResourceError(f"{release!r} is no name of a release: small letters, digits, -, at most 53")
    if bool(properties.get("Chart")) == bool(properties.get("ChartAssetURL")):
        raise ResourceError("chart or chartAsset must be specified, and one of them alone")
    if properties.get("ChartAssetURL") and (properties.get("Repository") or properties.get("Version")):
        raise ResourceError("a chart that is an asset has neither repository nor version")
    # Helm would take the newest there is: another one tomorrow.
    if properties.get("Chart") and not properties.get("Version"):
        raise ResourceError(f"the chart {properties['Chart']} names no version")
    creates = properties.get("CreateNamespace") in (True, "true")
    if not creates and namespace not in namespaces_of(cluster):
        raise ResourceError(f'namespaces "{namespace}" not found, and CreateNamespace is not set')


def _values(request: ResourceRequest) -> Mapping[str, Any]:
    """The values as the provider parses them; a null takes a chart's default away, which none asks for."""
    text = request.properties.get("Values")
    if text is None:
        return {}
    try:
        values = json.loads(text)
    except (TypeError, ValueError) as error:
        raise ResourceError(f"Values is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ResourceError(f"Values is no object but {type(values).__name__}")
    nulls = list(_nulls(values, ""))
    if nulls:
        raise ResourceError(f"Values holds null at {', '.join(nulls)}")
    return values


def _nulls(value: Any, path: str) -> Iterator[str]:
    if value is None:
        yield path.removeprefix(".")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _nulls(item, f"{path}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nulls(item, f"{path}[{index}]")


def _namespace(request: ResourceRequest) -> str:
    return str(request.properties.get("Namespace") or "default")
