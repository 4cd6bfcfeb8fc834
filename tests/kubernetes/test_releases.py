"""The Helm releases of a cluster: order, pins, and values that arrive whole."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.kubernetes.charts.kueue import kueue_configuration, kueue_frameworks
from bedplate.kubernetes.release import Release
from bedplate.kubernetes.releases import releases
from bedplate.kubernetes.versions import component, components
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pools import Pool
from tests.support.helm import helm_program, rendered

EVERY_JOB = ["trainer", "mpi-operator", "jobset", "leader-worker-set"]


def _eks(**fields: Any) -> Eks:
    return Eks.model_validate({"kind": "eks", **fields})


def _hyperpod(**fields: Any) -> EksHyperPod:
    return EksHyperPod.model_validate({"kind": "eks-hyperpod", **fields})


def _pool(instance_type: str) -> Pool:
    return Pool.model_validate(
        {"name": "pool", "instance_type": instance_type, "nodes": 9, "capacity": {"source": "on-demand"}}
    )


H100 = _pool("p5.48xlarge")
GB200 = _pool("p6e-gb200.36xlarge")


def _clusters() -> Iterator[tuple[Release, ...]]:
    axes = (
        ("device-plugin", "gpu-operator", "dra-driver"),
        ("device-plugin", "dra-driver"),
        ("default", "volcano", "kai"),
        ("kueue", "none"),
        ([], EVERY_JOB),
    )
    for gpu, efa, scheduler, admission, jobs in product(*axes):
        fields = {
            "gpu_software": gpu,
            "efa_software": efa,
            "scheduler": scheduler,
            "admission": admission,
            "jobs": jobs,
        }
        pools = (H100, GB200) if gpu == "dra-driver" else (H100,)
        yield releases(_eks(**fields), pools=pools)
        yield releases(_eks(**fields, image="bottlerocket"), pools=pools)
        yield releases(_hyperpod(**fields), pools=pools)
    yield releases(_eks(gpu_software="gpu-operator", node_repair="none"), pools=(H100,), dcgm_exporter=True)


CLUSTERS = tuple(_clusters())
DISTINCT = {
    json.dumps([each.name, each.values], sort_keys=True): each for found in CLUSTERS for each in found
}
"""Every release with values that differ, of every cluster that a file can ask for."""


def _of(found: tuple[Release, ...], name: str) -> Release:
    (one,) = [each for each in found if each.name == name]
    return one


def test_every_chart_of_the_table_is_in_some_cluster() -> None:
    """No chart lies in the table that nothing installs."""
    charts = {name for name, each in components().items() if each.kind == "chart"}
    assert {each.name for each in DISTINCT.values()} == charts


def test_every_release_comes_after_what_it_needs() -> None:
    """In all 217 clusters each release's predecessors are there, and before it."""
    assert len(CLUSTERS) == 217
    for found in CLUSTERS:
        names = [each.name for each in found]
        assert len(set(names)) == len(names)
        for index, each in enumerate(found):
            assert set(each.after) <= set(names[:index])


def test_trainer_follows_jobset_and_kueue_follows_all() -> None:
    """Trainer makes JobSets; Kueue's webhook refuses jobs of charts while it starts."""
    found = releases(_eks(jobs=EVERY_JOB, scheduler="kai"), pools=(H100,))
    assert _of(found, "kubeflow-trainer").after == ("jobset",)
    assert found[-1].name == "kueue"
    assert set(found[-1].after) == {each.name for each in found[:-1]}


@pytest.mark.parametrize("each", DISTINCT.values(), ids=lambda each: each.name)
def test_every_release_is_pinned_down_to_its_images(each: Release) -> None:
    """Neither chart nor image is a moving one; the time that Helm has is shorter than its caller's."""
    assert each.component.version
    assert each.atomic
    assert each.timeout_minutes < 15
    text = json.dumps(each.values)
    assert "latest" not in text
    assert "null" not in text
    tags = [value for path, value in _leaves(each.values) if path[-1] in {"tag", "image_tag_version"}]
    assert all(tag == f"v{each.component.version.removeprefix('v')}" for tag in tags)


def _leaves(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    else:
        yield path, value


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart that writes its values into a ConfigMap, with defaults that ours have to replace."""
    chart = tmp_path_factory.mktemp("chart") / "echo"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: echo\nversion: 1.0.0\n")
    (chart / "values.yaml").write_text(
        yaml.safe_dump({"controller": {"affinity": CONTROL_PLANE}, "supportedInstanceLabels": TYPES})
    )
    (chart / "templates/echo.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: echo}\n"
        "data: {values: {{ .Values | toJson | quote }}}\n"
    )
    return chart


CONTROL_PLANE = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "control-plane", "operator": "Exists"}]}]
        }
    }
}
TYPES = {"keys": ["node.kubernetes.io/instance-type"], "values": ["p4d.24xlarge", "p5.48xlarge"]}


@pytest.fixture(scope="module")
def helm(shared_folder: Path) -> Path:
    """The program that a deploy runs."""
    if platform.machine() != "x86_64":
        pytest.skip("the layer's Helm is built for x86-64")
    return helm_program(shared_folder)


def test_helm_renders_every_value_that_it_is_given(helm: Path, echo: Path, tmp_path: Path) -> None:
    """Each release's values come back from a chart that echoes them, every key with its value."""
    given = {f"{index}-{each.name}": each.values for index, each in enumerate(DISTINCT.values())}
    (echoed,) = rendered(helm, chart=echo, values={"given": given}, folder=tmp_path)
    assert json.loads(echoed["data"]["values"])["given"] == given


def test_lists_of_ours_replace_those_of_a_chart(helm: Path, echo: Path, tmp_path: Path) -> None:
    """Nothing is left of a chart's own affinity and list of types, and no null was needed for it."""
    found = releases(_eks(gpu_software="dra-driver"), pools=(GB200,))
    values = {**_of(found, "nvidia-dra-driver-gpu").values, **_of(found, "efa-device-plugin").values}
    (echoed,) = rendered(helm, chart=echo, values=values, folder=tmp_path)
    merged = json.loads(echoed["data"]["values"])
    assert merged["supportedInstanceLabels"] == {"keys": ["bedplate.dev/efa"], "values": ["true"]}
    assert "control-plane" not in json.dumps(merged)
    assert '"bedplate.dev/role", "operator": "In", "values": ["system"]' in json.dumps(
        merged["controller"]["affinity"]
    )


def test_a_null_would_be_lost(helm: Path, echo: Path, tmp_path: Path) -> None:
    """Why values hold no None: by Helm a null unsets the chart's key, and the CDK drops it on the way."""
    (echoed,) = rendered(helm, chart=echo, values={"controller": {"affinity": None}}, folder=tmp_path)
    assert "affinity" not in json.loads(echoed["data"]["values"]).get("controller", {})
    with pytest.raises(ValueError, match=r"kueue\.controller\.0\.affinity is None"):
        Release(component=component("kueue"), values={"controller": [{"affinity": None}]})


@pytest.mark.parametrize(("name", "minutes"), [("vpc-cni", 10), ("mpi-operator", 10), ("kueue", 15)])
def test_what_is_no_release_is_refused(name: str, minutes: int) -> None:
    """Add-ons and manifests are no releases, and Helm may not take as long as its caller lives."""
    with pytest.raises(ValueError, match=name):
        Release(component=component(name), values={}, timeout_minutes=minutes)


def test_the_operator_installs_neither_driver_nor_toolkit() -> None:
    """The image has both. On Bottlerocket it has the device plugin as well."""
    for image, plugin in (("al2023", True), ("bottlerocket", False)):
        found = releases(_eks(gpu_software="gpu-operator", image=image), pools=(H100,))
        values = _of(found, "gpu-operator").values
        switches = {name: values[name]["enabled"] for name in ("driver", "toolkit", "dcgm", "dcgmExporter")}
        assert switches == dict.fromkeys(switches, False)
        assert values["devicePlugin"]["enabled"] is plugin
        assert "nvidia-device-plugin" not in [each.name for each in found]


def test_at_most_one_dcgm() -> None:
    """The exporter is there where it is asked for, and refused beside the agent that repairs nodes."""
    alone = _eks(gpu_software="gpu-operator", node_repair="none")
    found = releases(alone, pools=(H100,), dcgm_exporter=True)
    assert _of(found, "gpu-operator").values["dcgmExporter"]["enabled"] is True
    with pytest.raises(ValueError, match="node_repair: none"):
        releases(_eks(gpu_software="gpu-operator"), pools=(H100,), dcgm_exporter=True)


@pytest.mark.parametrize(
    ("orchestrator", "label"),
    [
        (_eks(gpu_software="dra-driver"), "p6e-gb200.36xlarge"),
        (_hyperpod(gpu_software="dra-driver"), "ml.p6e-gb200.36xlarge"),
    ],
)
def test_compute_domains_are_for_gb200(orchestrator: Eks | EksHyperPod, label: str) -> None:
    """The driver's GPU part is off, its plugin runs where there is IMEX, and the device plugin stays."""
    found = releases(orchestrator, pools=(H100, GB200))
    values = _of(found, "nvidia-dra-driver-gpu").values
    assert values["resources"] == {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}}
    text = json.dumps(values["kubeletPlugin"]["affinity"])
    assert f'"node.kubernetes.io/instance-type", "operator": "In", "values": ["{label}"]' in text
    assert _of(found, "nvidia-device-plugin").values["gfd"] == {"enabled": True}


@pytest.mark.parametrize("gpu_software", ["device-plugin", "gpu-operator"])
def test_gb200_without_the_dra_driver_is_refused(gpu_software: str) -> None:
    """Without ComputeDomains no NVLink leads out of a node."""
    with pytest.raises(ValueError, match=r"p6e-gb200\.36xlarge: .* gpu_software: dra-driver"):
        releases(_eks(gpu_software=gpu_software), pools=(H100, GB200))


def test_task_governance_has_the_only_kueue() -> None:
    """HyperPod's brings its own: ours beside it is refused with what to set."""
    with pytest.raises(ValueError, match="admission: none"):
        releases(_hyperpod(task_governance=True), pools=(H100,))
    found = releases(_hyperpod(task_governance=True, admission="none"), pools=(H100,))
    assert "kueue" not in [each.name for each in found]


def test_kueue_queues_the_jobs_that_the_cluster_has() -> None:
    """A framework for each kind in ``jobs`` and for Kubernetes' own; its configuration is YAML of that."""
    assert kueue_frameworks([]) == ("batch/job",)
    assert kueue_frameworks(["trainer", "jobset"]) == (
        "batch/job",
        "jobset.x-k8s.io/jobset",
        "trainer.kubeflow.org/trainjob",
    )
    kueue = _of(releases(_eks(jobs=["mpi-operator"]), pools=(H100,)), "kueue")
    text = kueue.values["managerConfig"]["controllerManagerConfigYaml"]
    assert yaml.safe_load(text) == kueue_configuration(["mpi-operator"])
    assert yaml.safe_load(text)["integrations"] == {"frameworks": ["batch/job", "kubeflow.org/mpijob"]}
