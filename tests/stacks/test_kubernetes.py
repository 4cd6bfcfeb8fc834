"""The Kubernetes cluster of an environment: nodes, and what is installed in which order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.hardware import INSTANCE_TYPES
from bedplate.kubernetes.counts import node_offer
from bedplate.spec import load_environment

ROOT = Path(__file__).parents[2]


@pytest.fixture
def eks(assembly_of: Callable[[Path], Any]) -> Any:
    """The example on EKS."""
    return assembly_of(ROOT / "environments" / "eks.yaml")


@pytest.fixture
def of_type(assembly_of: Callable[[Path], Any], shared_folder: Path) -> Callable[[str], Any]:
    """The example with one pool of another instance type."""

    def get(name: str) -> Any:
        data = yaml.safe_load((ROOT / "environments" / "eks.yaml").read_text(encoding="utf-8"))
        data["pools"][0]["instance_type"] = name
        data["orchestrator"]["teams"] = []
        if INSTANCE_TYPES[name].needs_imex:
            data["pools"][0] |= {
                "nodes": 18,
                "ultraserver": "u-p6e-gb200x72",
                "capacity": {"source": "ultraserver-block", "reservation": "cr-0123456789abcdef0"},
            }
            data["region"], data["orchestrator"]["gpu_software"] = "us-east-1", "dra-driver"
            data["network"] |= {"zone": "use1-dfw2-az1", "control_zones": ["use1-az4", "use1-az6"]}
            data["storage"] = {}
        folder = shared_folder / "eks-types" / "files"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump(data), encoding="utf-8")
        return assembly_of(path)

    return get


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
def test_counts_agree_for_every_type(of_type: Callable[[str], Any], name: str) -> None:
    """Hardware table, launch template, labels that the EFA plugin selects by, and Kueue's quota say the same
    number of GPUs and EFAs.
    """
    hardware, made = INSTANCE_TYPES[name], of_type(name)
    templates = made.resources("orchestration", "AWS::EC2::LaunchTemplate").values()
    (data,) = [
        each["Properties"]["LaunchTemplateData"]
        for each in templates
        if each["Properties"]["LaunchTemplateData"]["InstanceType"] == name
    ]
    interfaces = data["NetworkInterfaces"]
    efas = [each for each in interfaces if each["InterfaceType"] != "interface"]
    assert len(efas) == hardware.efa_count
    assert {
        (each["NetworkCardIndex"], each["DeviceIndex"], each["InterfaceType"]) for each in interfaces
    } == {(each.card, each.device, each.kind) for each in hardware.interfaces}
    (pool,) = load_environment(made.file).pools
    offer = node_offer(pool)
    assert (offer.gpus, offer.efas) == (hardware.gpus, hardware.efa_count)
    (queue,) = [each for each in _objects(made) if each["kind"] == "ClusterQueue"]
    (group,) = queue["spec"]["resourceGroups"]
    quota = {each["name"]: each["nominalQuota"] for each in group["flavors"][0]["resources"]}
    assert int(quota["nvidia.com/gpu"]) == hardware.gpus * pool.max_nodes
    assert int(quota.get("vpc.amazonaws.com/efa", 0)) == hardware.efa_count * pool.max_nodes
    (node_group,) = [
        each["Properties"]
        for each in made.resources("orchestration", "AWS::EKS::Nodegroup").values()
        if each["Properties"]["NodegroupName"] == pool.name
    ]
    assert (node_group["Labels"].get("bedplate.dev/efa") == "true") == (hardware.efa_count > 0)
    assert ("ARM_64" in node_group["AmiType"]) == (hardware.architecture == "arm64")


def test_nodes_have_both_groups(eks: Any) -> None:
    """Every interface of every node is in the shared group and in the one that EKS makes."""
    for template in eks.resources("orchestration", "AWS::EC2::LaunchTemplate").values():
        for interface in template["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]:
            shared, own = interface["Groups"]
            assert "Fn::GetStackOutput" in shared
            assert own == {"Fn::GetAtt": ["ClusterC2E21B66", "ClusterSecurityGroupId"]}


def test_gpu_nodes_are_in_one_subnet_and_tainted(eks: Any) -> None:
    """System nodes are in both control subnets, without a taint."""
    groups = {
        each["Properties"]["NodegroupName"]: each["Properties"]
        for each in eks.resources("orchestration", "AWS::EKS::Nodegroup").values()
    }
    assert len(groups["h200"]["Subnets"]) == 1
    assert groups["h200"]["Taints"] == [
        {"Effect": "NO_SCHEDULE", "Key": "nvidia.com/gpu", "Value": "present"}
    ]
    assert len(groups["system"]["Subnets"]) == 2
    assert groups["system"]["Taints"] == []


def test_software_comes_in_its_order(eks: Any) -> None:
    """The network before nodes, other add-ons after system nodes, then charts one by one, then documents."""
    template = eks.templates["orchestration"]["Resources"]
    order = _order(template)
    names = [
        _name(template[key])
        for key in order
        if template[key]["Type"].startswith(("AWS::EKS::Addon", "AWS::EKS::Node", "Custom::AWSCDK-EKS"))
    ]
    assert names[:3] == ["eks-pod-identity-agent", "vpc-cni", "kube-proxy"]
    assert names.index("system") < names.index("coredns") < names.index("nvidia-device-plugin")
    charts = [name for name in names if name in _CHARTS]
    assert charts == list(_CHARTS)
    assert names[-3:] == ["objects", "objects", "objects"]
    kinds = [each["kind"] for each in _objects(eks)]
    assert kinds.index("ResourceFlavor") < kinds.index("ClusterQueue")


def test_each_team_has_documents_of_its_own(eks: Any) -> None:
    """A team that comes or goes changes no other resource, and what goes from the file stays there."""
    made = eks.resources("orchestration", "Custom::AWSCDK-EKS-KubernetesResource")
    assert {each["DeletionPolicy"] for each in made.values()} == {"Retain"}
    assert not any("PruneLabel" in each["Properties"] for each in made.values())
    (vision,) = [each for key, each in made.items() if key.startswith("Teamvision")]
    documents = json.loads(_filled_in(vision["Properties"]["Manifest"]))
    assert documents[0]["kind"] == "Namespace"
    namespaces = {each["metadata"].get("namespace", "vision") for each in documents}
    assert namespaces == {"vision"}
    assert {"ClusterQueue", "LocalQueue", "PersistentVolume", "PersistentVolumeClaim", "RoleBinding"} <= {
        each["kind"] for each in documents
    }


_CHARTS = ("nvidia-device-plugin", "aws-efa-k8s-device-plugin", "jobset", "kubeflow-trainer", "kueue")


def test_every_chart_is_pinned_and_whole(eks: Any) -> None:
    """Each has a version that is none of the moving ones, rolls back, and holds no null."""
    charts = eks.resources("orchestration", "Custom::AWSCDK-EKS-HelmChart").values()
    for chart in charts:
        properties = chart["Properties"]
        assert properties["Version"] not in ("", "latest")
        assert properties["Atomic"] is True
        assert "null" not in properties["Values"]
    assert {each["Properties"]["Release"] for each in charts} == set(_CHARTS)


def test_teams_are_let_in_by_their_groups(eks: Any) -> None:
    """The group of the access entry is the one that the role binding in the team's namespace names."""
    entries = [
        each["Properties"] for each in eks.resources("orchestration", "AWS::EKS::AccessEntry").values()
    ]
    groups = [each["KubernetesGroups"] for each in entries if "KubernetesGroups" in each]
    (binding,) = [
        each
        for each in _objects(eks)
        if each["kind"] == "RoleBinding" and each["metadata"]["namespace"] == "pretraining"
    ]
    assert groups == [[binding["subjects"][0]["name"]]]


def _objects(made: Any) -> list[dict[str, Any]]:
    """All documents in the order in which they are applied."""
    template = made.templates["orchestration"]["Resources"]
    texts = [
        template[key]["Properties"]["Manifest"]
        for key in _order(template)
        if template[key]["Type"] == "Custom::AWSCDK-EKS-KubernetesResource"
    ]
    return [document for text in texts for document in json.loads(_filled_in(text))]


def _filled_in(value: Any) -> str:
    pieces = [value] if isinstance(value, str) else value["Fn::Join"][1]
    return "".join(piece if isinstance(piece, str) else "filled-in" for piece in pieces)


def _order(template: dict[str, Any]) -> list[str]:
    """Logical ids, each after all that it depends on; as they stand in the template where that is open."""
    done: list[str] = []

    def visit(key: str) -> None:
        if key in done or key not in template:
            return
        depends = template[key].get("DependsOn", [])
        for each in [depends] if isinstance(depends, str) else depends:
            visit(each)
        done.append(key)

    for key in template:
        visit(key)
    return done


def _name(resource: dict[str, Any]) -> str:
    properties = resource["Properties"]
    named = [properties[key] for key in ("AddonName", "NodegroupName", "Release") if key in properties]
    return str(named[0]) if named else "objects"


def test_teams_whose_names_differ_in_a_hyphen_are_two(
    assembly_of: Callable[[Path], Any], tmp_path: Path
) -> None:
    """Each has a resource of its own."""
    data = yaml.safe_load((ROOT / "environments" / "eks.yaml").read_text(encoding="utf-8"))
    data["orchestrator"]["teams"] = [{"name": "a-1"}, {"name": "a1"}]
    path = tmp_path / "teams" / "hyphens.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    made = assembly_of(path).resources("orchestration", "Custom::AWSCDK-EKS-KubernetesResource")
    assert len([key for key in made if key.startswith("Teama1")]) == 2
