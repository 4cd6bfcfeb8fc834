"""Helm charts in an EKS cluster: rendered with the values given, kept as releases."""

from __future__ import annotations

import io
import json
import tarfile
import urllib.request
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.resources.eks_provider import chart, manifest, settings, with_provider
from tests.sandbox.stand_in import StandIn

VALUES = {
    "devices": {"on": "yes", "count": 32, "share": 0.5, "text": "{{ .Values }}", "none": {}},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    "enabled": False,
    "n": 4,
}


def cluster_page(stand_in: StandIn, name: str) -> dict[str, Any]:
    """What the stand-in keeps of a cluster."""
    with urllib.request.urlopen(f"{stand_in.endpoint}/bedplate/eks") as answer:
        found: dict[str, Any] = json.load(answer)[name]
    return found


def _charts(folder: Path, *, version: str = "1.2.3") -> Path:
    """A folder with a chart that needs ``count`` and brings a kind."""
    made = folder / "charts" / "plugin"
    (made / "templates").mkdir(parents=True)
    (made / "crds").mkdir()
    (made / "Chart.yaml").write_text(f"apiVersion: v2\nname: plugin\nversion: {version}\n")
    (made / "values.yaml").write_text("count: 0\n")
    (made / "templates" / "set.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n"
        "  namespace: {{ .Release.Namespace }}\n"
        'data:\n  count: {{ required "count is missing" .Values.devices.count | quote }}\n'
    )
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget"},
            "versions": [{"name": "v1"}],
        },
    }
    (made / "crds" / "widget.yaml").write_text(json.dumps(definition))
    return folder / "charts"


def test_every_value_arrives_where_the_chart_is_not_at_hand(stand_in: StandIn) -> None:
    """The helm program itself was given the values, and the release holds them as they were."""
    stack = stand_in.create({**with_provider(), "Chart": chart(VALUES)})
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    (release,) = cluster_page(stand_in, stack["StackName"])["releases"]
    assert release["values"] == VALUES
    assert (release["name"], release["namespace"], release["version"]) == ("plugin", "gpu", "1.2.3")
    assert (release["rendered_by"], release["documents"]) == ("echo", [])
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_chart_that_is_at_hand_is_rendered(stand_in: StandIn, tmp_path: Path) -> None:
    """Its documents are in the cluster, its kinds among them, until the release is gone."""
    stand_in.options(helm_charts=str(_charts(tmp_path)))
    resources = {**with_provider(), "Chart": chart(VALUES, Version="v1.2.3")}
    stack = stand_in.create(resources)
    name = stack["StackName"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(name)
    page = cluster_page(stand_in, name)
    assert [release["rendered_by"] for release in page["releases"]] == ["chart"]
    (made,) = [each for each in page["objects"] if each["kind"] == "ConfigMap"]
    assert (made["data"], made["metadata"]["namespace"]) == ({"count": "32"}, "gpu")
    resources["Chart"] = chart({**VALUES, "devices": {"count": 16}}, Version="v1.2.3")
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_COMPLETE"
    page = cluster_page(stand_in, name)
    assert [each["data"] for each in page["objects"] if "data" in each] == [{"count": "16"}]
    del resources["Chart"]
    stand_in.update(name, resources)
    assert cluster_page(stand_in, name)["objects"] == []


def test_an_archive_is_a_chart_too(stand_in: StandIn, tmp_path: Path) -> None:
    """Under an OCI repository its name is the last part of the address."""
    folder = _charts(tmp_path)
    archives = tmp_path / "archives"
    archives.mkdir()
    with tarfile.open(archives / "plugin-1.2.3.tgz", "w:gz") as archive:
        archive.add(folder / "plugin", "plugin")
    stand_in.options(helm_charts=str(archives))
    told = chart(VALUES, Chart="any", Repository="oci://registry.example.com/charts/plugin")
    stack = stand_in.create({**with_provider(), "Chart": told})
    (release,) = cluster_page(stand_in, stack["StackName"])["releases"]
    assert (release["rendered_by"], release["chart"]) == ("chart", "plugin")


def test_a_chart_of_the_app_is_rendered_from_its_asset(stand_in: StandIn, tmp_path: Path) -> None:
    """The archive that the CDK uploaded is the chart; it has no version beside its own."""
    folder = _charts(tmp_path) / "plugin"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in folder.rglob("*.yaml"):
            archive.write(path, path.relative_to(folder))
    s3, bucket = stand_in.client("s3"), f"assets-{uuid.uuid4().hex[:12]}"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_object(Bucket=bucket, Key="chart.zip", Body=packed.getvalue())
    url = f"s3://{bucket}/chart.zip"
    told = chart(VALUES, Chart=None, Version=None, Repository=None, ChartAssetURL=url)
    stack = stand_in.create({**with_provider(), "Chart": told})
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    assert [each["kind"] for each in cluster_page(stand_in, stack["StackName"])["objects"]] == [
        "CustomResourceDefinition",
        "ConfigMap",
    ]
    told["Properties"]["ChartAssetURL"] = f"s3://{bucket}/none.zip"
    stack = stand_in.create({**with_provider(), "Chart": told})
    assert "none.zip" in stand_in.reasons(stack["StackName"])


def test_a_failing_render_fails_the_stack_with_its_reason(stand_in: StandIn, tmp_path: Path) -> None:
    """A value that the chart requires and does not get; what ran before runs on after a failed update."""
    stand_in.options(helm_charts=str(_charts(tmp_path)))
    bad = {"devices": {"other": 1}}
    stack = stand_in.create({**with_provider(), "Chart": chart(bad)})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "count is missing" in stand_in.reasons(stack["StackName"])
    resources = {**with_provider(), "Chart": chart(VALUES)}
    stack = stand_in.create(resources)
    resources["Chart"] = chart(bad)
    assert stand_in.update(stack["StackName"], resources)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    (release,) = cluster_page(stand_in, stack["StackName"])["releases"]
    assert release["values"] == VALUES


def test_another_version_than_the_one_at_hand_is_not_found(stand_in: StandIn, tmp_path: Path) -> None:
    """The echo stands in for charts that are not there, never for another version of one that is."""
    stand_in.options(helm_charts=str(_charts(tmp_path, version="2.0.0")))
    stack = stand_in.create({**with_provider(), "Chart": chart(VALUES)})
    assert 'chart "plugin" version "1.2.3" not found; at hand: 2.0.0' in stand_in.reasons(stack["StackName"])


def _no_entry(resources: dict[str, Any]) -> None:
    resources["Admin"]["Properties"]["AccessPolicies"] = []


def _outside(resources: dict[str, Any]) -> None:
    del resources["Worker"]["Properties"]["VpcConfig"]


def _changed(**properties: Any) -> Callable[[dict[str, Any]], None]:
    def change(resources: dict[str, Any]) -> None:
        resources["Chart"] = chart(properties.pop("values", VALUES), **properties)

    return change


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_changed(values={"a": {"b": [1, None]}}), "Values holds null at a.b[1]"),
        (_changed(values=[1]), "Values is no object but list"),
        (_changed(values="{"), "Values is no JSON"),
        (_changed(Version=None), "the chart plugin names no version"),
        (_changed(Chart=None), "chart or chartAsset must be specified"),
        (_changed(CreateNamespace=None), 'namespaces "gpu" not found'),
        (_changed(Release="Plug_in"), "no name of a release"),
        (_changed(ServiceToken="arn:aws:lambda:us-west-2:123456789012:function:none"), "no function"),
        (_no_entry, "has no access entry with AmazonEKSClusterAdminPolicy"),
        (_outside, "is not in its VPC"),
    ],
)
def test_what_would_fail_at_the_deploy_fails_the_stack(
    stand_in: StandIn, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    """What helm, the API server or the provider refuses, and what the sandbox refuses on its own account."""
    resources = {**with_provider(), "Chart": chart(VALUES)}
    spoil(resources)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_a_kind_needs_the_chart_that_brings_it(stand_in: StandIn, tmp_path: Path) -> None:
    """An object of a chart's kind is taken after the chart, and not without it."""
    stand_in.options(helm_charts=str(_charts(tmp_path)))
    widget = {**settings("one"), "apiVersion": "example.com/v1", "kind": "Widget"}
    stack = stand_in.create({**with_provider(), "Widget": manifest(widget)})
    assert 'no matches for kind "Widget"' in stand_in.reasons(stack["StackName"])
    resources = {**with_provider(), "Chart": chart(VALUES), "Widget": manifest(widget, after="Chart")}
    assert stand_in.create(resources)["StackStatus"] == "CREATE_COMPLETE"
