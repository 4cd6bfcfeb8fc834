"""Each family of constructs has an example that runs in an app that is not ours."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.examples.conftest import FAMILIES, ROOT, Example

MADE: dict[str, dict[str, int]] = {
    "capacity-blocks": {
        "AWS::Scheduler::Schedule": 3,
        "AWS::Events::Rule": 3,
        "AWS::Lambda::Function": 2,
        "AWS::SNS::Topic": 1,
        "Custom::BedplateBlockScaling": 1,
    },
    "grafana": {
        "AWS::Grafana::Workspace": 1,
        "AWS::EC2::VPCEndpoint": 1,
        "AWS::EC2::SecurityGroup": 2,
        "AWS::Lambda::Function": 1,
        "Custom::BedplateGrafana": 1,
    },
    "kubernetes-eks": {
        "AWS::EKS::Cluster": 1,
        "AWS::EKS::Nodegroup": 2,
        "AWS::EKS::AccessEntry": 2,
        "AWS::EKS::Addon": 2,
        "Custom::AWSCDK-EKS-HelmChart": 1,
        "Custom::AWSCDK-EKS-KubernetesResource": 1,
        "AWS::EC2::LaunchTemplate": 2,
        "AWS::KMS::Key": 1,
    },
    "kubernetes-hyperpod": {
        "AWS::SageMaker::Cluster": 1,
        "AWS::SageMaker::ClusterSchedulerConfig": 1,
        "AWS::SageMaker::ComputeQuota": 1,
        "AWS::EKS::Addon": 1,
    },
    "network": {
        "AWS::EC2::VPC": 1,
        "AWS::EC2::Subnet": 3,
        "AWS::EC2::NatGateway": 0,
        "AWS::EC2::InternetGateway": 0,
        "AWS::EC2::VPCEndpoint": 8,
        "AWS::EC2::FlowLog": 1,
        "AWS::EC2::SecurityGroupIngress": 1,
        "AWS::EC2::SecurityGroupEgress": 1,
    },
    "slurm-accounting": {
        "AWS::RDS::DBCluster": 1,
        "AWS::RDS::DBInstance": 2,
        "AWS::RDS::DBSubnetGroup": 1,
        "AWS::SecretsManager::Secret": 1,
        "AWS::EC2::SecurityGroupIngress": 1,
        "AWS::EC2::SecurityGroupEgress": 1,
    },
    "slurm-hyperpod": {
        "AWS::SageMaker::Cluster": 1,
        "Custom::BedplateHyperPodScripts": 1,
        "AWS::Events::Rule": 3,
        "AWS::Logs::MetricFilter": 1,
        "AWS::S3::Bucket": 1,
    },
    "slurm-parallelcluster": {
        "AWS::CloudFormation::Stack": 1,
        "Custom::PclusterCluster": 1,
        "AWS::EC2::SecurityGroup": 1,
        "AWS::IAM::ManagedPolicy": 1,
    },
    "slurm-pcs": {
        "AWS::PCS::Cluster": 1,
        "AWS::PCS::ComputeNodeGroup": 2,
        "AWS::PCS::Queue": 1,
        "AWS::EC2::LaunchTemplate": 2,
    },
    "nodes": {
        "AWS::EC2::LaunchTemplate": 1,
        "AWS::EC2::PlacementGroup": 1,
        "AWS::EC2::CapacityReservation": 1,
        "AWS::IAM::InstanceProfile": 1,
    },
    "observability": {
        "AWS::APS::Workspace": 1,
        "AWS::APS::RuleGroupsNamespace": 1,
        "AWS::CloudWatch::Alarm": 14,
        "AWS::SNS::Topic": 2,
        "AWS::SNS::Subscription": 1,
        "AWS::KMS::Key": 1,
    },
    "storage": {
        "AWS::FSx::FileSystem": 3,
        "AWS::FSx::DataRepositoryAssociation": 2,
        "AWS::EFS::FileSystem": 1,
        "AWS::EFS::MountTarget": 2,
        "AWS::S3::Bucket": 2,
        "AWS::IAM::ManagedPolicy": 1,
    },
    "validation": {
        "AWS::S3::Bucket": 1,
        "AWS::SSM::Document": 1,
        "AWS::SSM::Parameter": 1,
        "AWS::IAM::ManagedPolicy": 7,
        "AWS::CodeBuild::Project": 1,
        "AWS::Events::Rule": 3,
        "Custom::BedplateManifest": 1,
        "Custom::BedplateUsers": 1,
        "AWS::SSM::Association": 2,
    },
}
"""What each example is there to show: resources of these types, so many of each."""

ALLOWED = (
    "aws_cdk",
    "constructs",
    "datetime",
    "json",
    "bedplate.capacity.times",
    "bedplate.constructs",
    "bedplate.hardware",
    "bedplate.manifest",
    "bedplate.node.bootstrap.settings",
    "bedplate.telemetry",
)
"""What an example may import: the constructs, and the plain data and texts that they take."""
NODE = ("bedplate.stacks.entry", "use_locked_node")

PARTS = {
    "hyperpod_folder": "a bucket with the life-cycle scripts of either kind of HyperPod",
    "file_system_group": "the security group that every file system of ours has",
    "database_group": "the security group of a database and its two rules",
    "grafana_role": "what a Grafana workspace reads by",
    "lustre_log_group": "where FSx for Lustre writes its warnings",
    "handler_function": "what each function of ours in the account is",
    "file_asset": "what the node program and the manifest's function are uploaded by",
    "runner_source": "what the runner in the account installs",
    "private_bucket": "what every bucket of ours is made of",
}
"""Construct modules that are parts of others, and need no example of their own."""

IN_VIRGINIA = {"kubernetes-hyperpod"}
"""Examples of what fewer Regions have: task governance of HyperPod is not in us-west-2."""

CFN_LINT = "import sys; from cfnlint.runner import main; sys.exit(main())"


def test_the_families_are_those_with_an_expectation() -> None:
    """No example runs without an expectation, and no expectation is for an example that is gone."""
    assert sorted(MADE) == FAMILIES
    assert all((ROOT / "examples" / "constructs" / family / "README.md").is_file() for family in FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_example_makes_what_it_shows(family: str, example_of: Callable[[str], Example]) -> None:
    """Run by itself, the example writes a cloud assembly with the resources that its family is about."""
    example = example_of(family)
    assert example.templates
    assert {type_: example.types[type_] for type_ in MADE[family]} == MADE[family]
    assert {path.name for path in example.ran_in.iterdir()} == {"cdk.out"}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_example_uses_nothing_of_ours_but_the_constructs(family: str) -> None:
    """An example imports the CDK, our constructs and the plain data that they take: no environment."""
    tree = ast.parse((ROOT / "examples" / "constructs" / family / "app.py").read_text(encoding="utf-8"))
    assert [name for name in _imports(tree) if not _is_allowed(*name)] == []
    assert NODE in _imports(tree)


@pytest.mark.slow
def test_cfn_lint_finds_nothing_in_the_examples(example_of: Callable[[str], Example]) -> None:
    """cfn-lint has nothing to say about any template of the examples, in the Region of each, but that the
    CDK's own function for Helm names a role twice.
    """
    by_region: dict[str, list[str]] = {"us-west-2": [], "us-east-1": []}
    for family in FAMILIES:
        folder = example_of(family).ran_in / "cdk.out"
        region = "us-east-1" if family in IN_VIRGINIA else "us-west-2"
        by_region[region] += [str(path) for path in folder.glob("*.template.json")]
    assert sum(map(len, by_region.values())) >= len(FAMILIES)
    found = [each for region, paths in by_region.items() for each in _lint(*paths, region=region)]
    open_ = [each for each in found if "KubectlProvider" not in str(each["Location"]["Path"])]
    assert open_ == []
    assert {each["Rule"]["Id"] for each in found} == {"W3005"}


@pytest.mark.slow
def test_cfn_lint_would_find_a_property_that_is_none(
    example_of: Callable[[str], Example], tmp_path: Path
) -> None:
    """Silence means something: a made-up property in an example's template is found."""
    (template,) = example_of("observability").templates.values()
    topic, _ = [each for each in template["Resources"].values() if each["Type"] == "AWS::SNS::Topic"]
    topic["Properties"] = {**topic["Properties"], "Volume": 11}
    (tmp_path / "loud.json").write_text(json.dumps(template))
    assert {each["Rule"]["Id"] for each in _lint(str(tmp_path / "loud.json"))} == {"E3002"}


def test_every_construct_is_in_an_example_and_its_readme() -> None:
    """Each public construct is used by at least one family's example, and that family's README names it."""
    shown = {
        module
        for family in FAMILIES
        for module in _constructs_used(ROOT / "examples" / "constructs" / family / "app.py")
        if f"`{module}`" in (ROOT / "examples" / "constructs" / family / "README.md").read_text()
    }
    assert _construct_modules() - shown - set(PARTS) == set()


def test_a_part_is_used_by_another_construct() -> None:
    """What is excused from an example as a part of other constructs is one."""
    sources = {path.stem: path.read_text() for path in (ROOT / "bedplate" / "constructs").glob("*.py")}
    for part in PARTS:
        assert [name for name, text in sources.items() if f"bedplate.constructs.{part} import" in text], part


def _construct_modules() -> set[str]:
    """Modules of ``bedplate.constructs`` that define a public construct, or what renders one's user data."""
    found = set()
    for path in (ROOT / "bedplate" / "constructs").glob("*.py"):
        classes = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
        if any("Construct" in map(ast.unparse, each.bases) for each in classes):
            found.add(path.stem)
    assert len(found) > 15
    return found | {"node_bootstrap"}


def _constructs_used(file: Path) -> set[str]:
    return {
        module.rpartition(".")[2]
        for module, _ in _imports(ast.parse(file.read_text(encoding="utf-8")))
        if module.startswith("bedplate.constructs.")
    }


def _imports(tree: ast.Module) -> list[tuple[str, str]]:
    """Module and name of each import; the name is empty where the module itself is imported."""
    names: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names += [(node.module or ".", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [(alias.name, "") for alias in node.names]
    return names


def _is_allowed(module: str, name: str) -> bool:
    return (
        (module, name) == NODE
        or module in ALLOWED
        or module.startswith(tuple(f"{each}." for each in ALLOWED))
    )


def _lint(*templates: str, region: str = "us-west-2") -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", CFN_LINT, *templates, "--format", "json", "--regions", region],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.stdout.startswith("["), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found
