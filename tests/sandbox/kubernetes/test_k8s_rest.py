"""The played API server keeps objects as a real one does, as the official client sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import urllib3
from kubernetes import client, dynamic
from kubernetes.client.exceptions import ApiException

from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.server import KubernetesServer

QUEUES = Kind("kueue.x-k8s.io", "v1beta1", "localqueues", "LocalQueue", True, True)


def pod(name: str = "one", **labels: str) -> dict[str, Any]:
    """A pod of one container."""
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "a"}]},
    }


def job(name: str = "work", **spec: Any) -> dict[str, Any]:
    """A Job of one pod."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}
    return {"metadata": {"name": name}, "spec": {"template": template, **spec}}


def refusal(error: pytest.ExceptionInfo[ApiException]) -> tuple[int, str, str]:
    """Code, reason and message of a Status."""
    found = json.loads(error.value.body)
    assert found["kind"] == "Status"
    assert found["code"] == error.value.status
    return found["code"], found["reason"], found["message"]


def test_a_created_object_gets_its_identity(core: client.CoreV1Api) -> None:
    """A create fills in uid, version, time and namespace; a pod begins as Pending."""
    made = core.create_namespaced_pod("default", pod())
    assert made.metadata.uid
    assert int(made.metadata.resource_version) > 0
    assert made.metadata.creation_timestamp is not None
    assert (made.metadata.namespace, made.status.phase) == ("default", "Pending")
    assert core.read_namespaced_pod("one", "default").metadata.uid == made.metadata.uid


def test_a_second_object_of_a_name_is_a_conflict(core: client.CoreV1Api) -> None:
    """The same name again is 409 AlreadyExists; generateName makes names that differ."""
    core.create_namespaced_pod("default", pod())
    with pytest.raises(ApiException) as error:
        core.create_namespaced_pod("default", pod())
    assert refusal(error) == (409, "AlreadyExists", 'pods "one" already exists')
    nameless = pod()
    nameless["metadata"] = {"generateName": "some-"}
    names = {core.create_namespaced_pod("default", nameless).metadata.name for _ in range(3)}
    assert len(names) == 3
    assert all(name.startswith("some-") for name in names)


def test_what_is_not_there_is_not_found(core: client.CoreV1Api, api: client.ApiClient) -> None:
    """Objects, namespaces and whole paths that do not exist are 404 with a Status."""
    with pytest.raises(ApiException) as error:
        core.read_namespaced_pod("none", "default")
    assert refusal(error) == (404, "NotFound", 'pods "none" not found')
    with pytest.raises(ApiException) as error:
        core.create_namespaced_pod("nowhere", pod())
    assert refusal(error)[2] == 'namespaces "nowhere" not found'
    with pytest.raises(ApiException) as error:
        client.AppsV1Api(api).list_namespaced_deployment("default")
    assert refusal(error)[2] == "the server could not find the requested resource"
    with pytest.raises(ApiException) as error:
        client.CustomObjectsApi(api).list_cluster_custom_object("example.com", "v1", "things")
    assert refusal(error)[0] == 404


def test_a_request_needs_the_token(server: KubernetesServer) -> None:
    """Without the bearer token, and with a wrong one, every path but the health checks is 401."""
    for token in ("", "Bearer wrong"):
        found = client.Configuration(host=server.url)
        with client.ApiClient(found) as anonymous:
            if token:
                anonymous.set_default_header("Authorization", token)
            with pytest.raises(ApiException) as error:
                client.CoreV1Api(anonymous).list_node()
            assert refusal(error) == (401, "Unauthorized", "Unauthorized")
            assert anonymous.call_api("GET", f"{server.url}/readyz").status == 200


def test_lists_select_by_labels_and_fields(core: client.CoreV1Api) -> None:
    """Equality, inequality, sets and existence of labels, and the fields that have an index."""
    for name, labels in (("a", {"team": "x"}), ("b", {"team": "y"}), ("c", {})):
        core.create_namespaced_pod("default", pod(name, **labels))

    def names(**selectors: str) -> str:
        return "".join(one.metadata.name for one in core.list_namespaced_pod("default", **selectors).items)

    assert names(label_selector="team=x") == "a"
    assert names(label_selector="team!=x") == "bc"
    assert names(label_selector="team in (x, y),team!=y") == "a"
    assert names(label_selector="team notin (x)") == "bc"
    assert names(label_selector="team") == "ab"
    assert names(label_selector="!team") == "c"
    assert names(field_selector="metadata.name=b") == "b"
    assert names(field_selector="status.phase=Pending,metadata.name!=b") == "ac"
    assert names(field_selector="spec.nodeName=n") == ""
    for selector in ({"field_selector": "spec.hostNetwork=true"}, {"label_selector": "a b"}):
        with pytest.raises(ApiException) as error:
            names(**selector)
        assert refusal(error)[0] == 400


def test_a_list_comes_in_pages(core: client.CoreV1Api) -> None:
    """With a limit, a token leads to the rest."""
    for name in "abcde":
        core.create_namespaced_config_map("default", {"metadata": {"name": name}, "data": {"k": name}})
    first = core.list_namespaced_config_map("default", limit=2)
    assert first.metadata.remaining_item_count == 3
    second = core.list_namespaced_config_map("default", limit=9, _continue=first.metadata._continue)
    assert [one.data["k"] for one in (*first.items, *second.items)] == list("abcde")
    assert second.metadata._continue is None


def test_a_write_on_an_old_version_is_a_conflict(core: client.CoreV1Api) -> None:
    """A replace needs the version that it read; the spec and the status are written apart."""
    core.create_node({"metadata": {"name": "n"}})
    old = core.read_node("n")
    old.metadata.labels = {"a": "1"}
    core.replace_node("n", old)
    with pytest.raises(ApiException) as error:
        core.replace_node("n", old)
    assert refusal(error)[:2] == (409, "Conflict")
    core.patch_node_status("n", {"spec": {"unschedulable": True}, "status": {"capacity": {"cpu": "4"}}})
    core.patch_node("n", {"status": {"capacity": {"cpu": "8"}}, "spec": {"providerID": "aws:///a/i"}})
    node = core.read_node("n")
    assert (node.status.capacity, node.spec.unschedulable, node.spec.provider_id) == (
        {"cpu": "4"},
        None,
        "aws:///a/i",
    )


def test_patches_are_of_three_kinds(core: client.CoreV1Api, api: client.ApiClient) -> None:
    """A strategic patch merges conditions by type and replaces taints whole; JSON patches test and change."""
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    core.create_node({"metadata": {"name": "n", "labels": {"a": "1", "b": "2"}}, "spec": {"taints": [taint]}})
    for word in ("Ready", "DiskPressure", "Ready"):
        core.patch_node_status("n", {"status": {"conditions": [{"type": word, "status": "True"}]}})
    assert [one.type for one in core.read_node("n").status.conditions] == ["Ready", "DiskPressure"]
    core.patch_node("n", {"metadata": {"labels": {"a": None, "c": "3"}}})
    assert core.read_node("n").metadata.labels == {"b": "2", "c": "3"}
    core.patch_node("n", {"spec": {"taints": [{**taint, "key": "other"}]}})
    assert [one.key for one in core.read_node("n").spec.taints] == ["other"]
    core.patch_node(
        "n",
        [
            {"op": "test", "path": "/metadata/labels/b", "value": "2"},
            {"op": "add", "path": "/spec/taints/-", "value": taint},
            {"op": "add", "path": "/metadata/labels/bedplate.dev~1pool", "value": "train"},
            {"op": "remove", "path": "/metadata/labels/b"},
        ],
    )
    node = core.read_node("n")
    assert node.metadata.labels == {"c": "3", "bedplate.dev/pool": "train"}
    assert [one.key for one in node.spec.taints] == ["other", "nvidia.com/gpu"]
    with pytest.raises(ApiException) as error:
        core.patch_node("n", [{"op": "test", "path": "/metadata/labels/c", "value": "4"}])
    assert refusal(error)[0] == 422


def test_unknown_fields_are_refused(core: client.CoreV1Api) -> None:
    """Objects of core kinds are held to Kubernetes' own schemas, strictly."""
    core.create_node({"metadata": {"name": "n"}})
    for patch, word in (
        ({"spec": {"unschedulabel": True}}, "unschedulabel"),
        ({"spec": {"taints": [{"key": "a", "efect": "NoSchedule"}]}}, "spec.taints[0]"),
        ({"spec": {"unschedulable": "yes"}}, "spec.unschedulable"),
    ):
        with pytest.raises(ApiException) as error:
            core.patch_node("n", patch)
        code, reason, message = refusal(error)
        assert (code, reason) == (422, "Invalid")
        assert word in message


def test_what_no_schema_says_is_refused_too(core: client.CoreV1Api, api: client.ApiClient) -> None:
    """Illegal names, labels and taints, GPUs requested without a limit, a Job that restarts always."""
    for body, word in (
        (pod("Capital"), "metadata.name"),
        (pod(team="two words"), "metadata.labels"),
        (pod(team="x" * 64), "metadata.labels"),
    ):
        with pytest.raises(ApiException) as error:
            core.create_namespaced_pod("default", body)
        assert refusal(error)[0] == 422
        assert word in refusal(error)[2]
    greedy = pod()
    greedy["spec"]["containers"][0]["resources"] = {"requests": {"nvidia.com/gpu": "8"}}
    with pytest.raises(ApiException) as error:
        core.create_namespaced_pod("default", greedy)
    assert "Limit must be set for non overcommitable resources" in refusal(error)[2]
    with pytest.raises(ApiException) as error:
        core.create_node(
            {"metadata": {"name": "n"}, "spec": {"taints": [{"key": "a", "effect": "noschedule"}]}}
        )
    assert 'Unsupported value: "noschedule"' in refusal(error)[2]
    restless = job()
    restless["spec"]["template"]["spec"]["restartPolicy"] = "Always"
    with pytest.raises(ApiException) as error:
        client.BatchV1Api(api).create_namespaced_job("default", restless)
    assert 'supported values: "OnFailure", "Never"' in refusal(error)[2]


def test_what_runs_does_not_change_its_template(core: client.CoreV1Api, api: client.ApiClient) -> None:
    """A pod's spec and a Job's template are fixed."""
    core.create_namespaced_pod("default", pod())
    with pytest.raises(ApiException) as error:
        core.patch_namespaced_pod("one", "default", {"spec": {"nodeSelector": {"a": "b"}}})
    assert "Forbidden: pod updates" in refusal(error)[2]
    batch = client.BatchV1Api(api)
    made = batch.create_namespaced_job("default", job())
    assert made.spec.template.metadata.labels["batch.kubernetes.io/job-name"] == "work"
    assert made.spec.selector.match_labels == {"batch.kubernetes.io/controller-uid": made.metadata.uid}
    template = {"spec": {"containers": [{"name": "main", "image": "b"}]}}
    with pytest.raises(ApiException) as error:
        batch.patch_namespaced_job("work", "default", {"spec": {"template": template}})
    assert "field is immutable" in refusal(error)[2]


def test_a_delete_takes_what_is_owned_only_if_asked(core: client.CoreV1Api, api: client.ApiClient) -> None:
    """A Job's pods go with it by background propagation, and stay where nothing is said: its default."""
    batch = client.BatchV1Api(api)
    for policy, left in ((None, 1), ("Background", 0), ("Orphan", 1)):
        owner = batch.create_namespaced_job("default", job())
        owned = pod()
        reference = {"apiVersion": "batch/v1", "kind": "Job", "name": "work", "uid": owner.metadata.uid}
        owned["metadata"]["ownerReferences"] = [reference]
        core.create_namespaced_pod("default", owned)
        options = {"propagation_policy": policy} if policy else {}
        batch.delete_namespaced_job("work", "default", **options)
        assert len(core.list_namespaced_pod("default").items) == left
        core.delete_collection_namespaced_pod("default")
    assert core.list_namespaced_pod("default").items == []


def test_a_collection_is_deleted_by_its_selector(core: client.CoreV1Api) -> None:
    """Only what matches goes; a namespace takes its content along."""
    core.create_namespace({"metadata": {"name": "team"}})
    for name, team in (("a", "x"), ("b", "y")):
        core.create_namespaced_pod("team", pod(name, team=team))
    core.delete_collection_namespaced_pod("team", label_selector="team=x")
    assert [one.metadata.name for one in core.list_namespaced_pod("team").items] == ["b"]
    core.delete_namespace("team")
    assert core.list_pod_for_all_namespaces().items == []


def test_custom_objects_of_a_registered_kind(server: KubernetesServer, api: client.ApiClient) -> None:
    """A registered kind is served and discovered; a strategic patch of it is refused, as it is really."""
    server.register(QUEUES)
    custom = client.CustomObjectsApi(api)
    where = ("kueue.x-k8s.io", "v1beta1", "default", "localqueues")
    custom.create_namespaced_custom_object(*where, {"metadata": {"name": "q"}, "spec": {"clusterQueue": "c"}})
    merge, json_patch = "application/merge-patch+json", "application/json-patch+json"
    custom.patch_namespaced_custom_object(*where, "q", {"spec": {"stopPolicy": "Hold"}}, _content_type=merge)
    custom.patch_namespaced_custom_object_status(
        *where, "q", [{"op": "add", "path": "/status", "value": {"flavors": []}}], _content_type=json_patch
    )
    found = custom.get_namespaced_custom_object(*where, "q")
    assert found["status"] == {"flavors": []}
    assert (found["kind"], found["spec"]) == ("LocalQueue", {"clusterQueue": "c", "stopPolicy": "Hold"})
    with pytest.raises(ApiException) as error:
        custom.patch_namespaced_custom_object(
            *where, "q", {"spec": {}}, _content_type="application/strategic-merge-patch+json"
        )
    assert error.value.status == 415
    resource = dynamic.DynamicClient(api).resources.get(
        api_version="kueue.x-k8s.io/v1beta1", kind="LocalQueue"
    )
    assert resource.get(namespace="default").items[0].metadata.name == "q"


def test_the_server_tells_its_version(server: KubernetesServer, api: client.ApiClient) -> None:
    """/version names the minor version, and marks that it is simulated."""
    found = client.VersionApi(api).get_code()
    assert (found.major, found.minor) == ("1", "35")
    assert "simulated" in found.git_version


def test_a_body_in_another_encoding_is_refused(server: KubernetesServer) -> None:
    """Protobuf and server-side apply are 415 by name, no failure of the server."""
    path = f"{server.url}/api/v1/namespaces"
    for method, where, encoding in (
        ("POST", path, "application/vnd.kubernetes.protobuf"),
        ("PATCH", f"{path}/default", "application/apply-patch+yaml"),
    ):
        headers = {"Authorization": f"Bearer {server.token}", "Content-Type": encoding}
        found = urllib3.request(method, where, headers=headers, body=b"k8s\x00")
        assert (found.status, found.json()["reason"]) == (415, "UnsupportedMediaType")
        assert encoding in found.json()["message"]
