"""Manifests in an EKS cluster: objects that come, change and go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.resources.eks_provider import chart, manifest, settings, with_provider
from tests.sandbox.resources.test_eks_charts import cluster_page
from tests.sandbox.stand_in import StandIn

TEAM = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": {"app": ""}}}


def _names(stand_in: StandIn, cluster: str) -> list[str]:
    return [each["metadata"]["name"] for each in cluster_page(stand_in, cluster)["objects"]]


def test_objects_come_change_and_go(stand_in: StandIn) -> None:
    """What leaves the manifest is pruned, and with a namespace goes what is in it."""
    resources = {
        **with_provider(),
        "Team": manifest(TEAM, settings("one", namespace="team-a"), settings("two", namespace="team-a")),
    }
    stack = stand_in.create(resources)
    name = stack["StackName"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(name)
    assert _names(stand_in, name) == ["team-a", "one", "two"]
    changed = {**settings("one", namespace="team-a"), "data": {"k": "v"}}
    resources["Team"] = manifest(TEAM, changed)
    assert stand_in.update(name, resources)["StackStatus"] == "UPDATE_COMPLETE"
    page = cluster_page(stand_in, name)
    assert page["objects"] == [TEAM, changed]
    del resources["Team"]
    stand_in.update(name, resources)
    assert _names(stand_in, name) == []


def test_kubectl_prunes_no_custom_objects(stand_in: StandIn) -> None:
    """An object of another kind stays in the cluster when it leaves its manifest, as with kubectl."""
    widget = {**settings("widget"), "apiVersion": "example.com/v1", "kind": "Widget"}
    resources = {
        **with_provider(),
        "Chart": chart({}),
        "All": manifest(widget, settings("one"), after="Chart"),
    }
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    resources["All"] = manifest(settings("two"), after="Chart")
    stand_in.update(stack["StackName"], resources)
    assert _names(stand_in, stack["StackName"]) == ["widget", "two"]


def test_what_is_there_already_is_not_created(stand_in: StandIn) -> None:
    """Unless the app says that it may be overwritten."""
    resources = {**with_provider(), "First": manifest(settings("one"))}
    stack = stand_in.create(resources)
    resources["Again"] = manifest(settings("one"), after="First")
    assert stand_in.update(stack["StackName"], resources)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert 'configmap "one" already exists' in stand_in.reasons(stack["StackName"])
    resources["Again"] = manifest(settings("one"), after="First", Overwrite=True)
    assert stand_in.update(stack["StackName"], resources)["StackStatus"] == "UPDATE_COMPLETE"


@pytest.mark.parametrize(
    ("document", "word"),
    [
        ({**TEAM, "apiVersion": "1"}, "apiVersion '1' is no API version"),
        ({**TEAM, "apiVersion": None}, "apiVersion None"),
        ({**TEAM, "kind": "name space"}, "kind 'name space' is no kind"),
        ({**TEAM, "metadata": {}}, "metadata.name None of Namespace"),
        ({**TEAM, "metadata": {"name": "Team_A"}}, "metadata.name 'Team_A' of Namespace"),
        ("text", "a document of a manifest is an object, not str"),
        (settings("one", namespace="nowhere"), 'namespaces "nowhere" not found'),
    ],
)
def test_what_no_api_server_takes_fails_the_stack(stand_in: StandIn, document: Any, word: str) -> None:
    """Whatever the kind: a document needs a version, a kind and a name, and its namespace must be there."""
    stack = stand_in.create({**with_provider(), "Bad": manifest(document)})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_names_of_roles_may_hold_colons(stand_in: StandIn) -> None:
    """RBAC's names are parts of a path."""
    each = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "team:a"},
        "rules": [],
    }
    assert (
        stand_in.create({**with_provider(), "TeamRole": manifest(each)})["StackStatus"] == "CREATE_COMPLETE"
    )
