"""What holds for every template: references, identity, rights, and data that stays."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STATEFUL = frozenset(
    [
        "AWS::S3::Bucket",
        "AWS::EFS::FileSystem",
        "AWS::EFS::MountTarget",
        "AWS::FSx::FileSystem",
        "AWS::FSx::DataRepositoryAssociation",
        "AWS::APS::Workspace",
        "AWS::EC2::VPC",
        "AWS::EC2::Subnet",
        "AWS::PCS::Cluster",
    ]
)
"""Types whose replacement loses data, or the place that data lives in."""
RETAINED = frozenset(
    [
        "AWS::S3::Bucket",
        "AWS::EFS::FileSystem",
        "AWS::EFS::MountTarget",
        "AWS::FSx::FileSystem",
        "AWS::FSx::DataRepositoryAssociation",
        "AWS::APS::Workspace",
    ]
)
KEPT = ("Retain", "RetainExceptOnCreate")
"""The second lets a first deploy that fails take its empty file systems away again."""
DEPLOYED = ["network", "storage", "observability", "orchestration", "validation"]
ROLES = sorted(DEPLOYED)


def _walk(node: Any) -> Iterator[tuple[str, Any]]:
    """Every key and value of a JSON tree."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key, value
            yield from _walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value)


def test_an_environment_is_five_stacks(assembly: Any) -> None:
    """Every environment becomes the same five stacks."""
    assert sorted(assembly.templates) == ROLES


def test_every_stack_waits_for_those_that_it_refers_to(assembly: Any) -> None:
    """Network, storage, observability, orchestration, validation: each refers to earlier ones alone, and the
    deploy takes those first. Nodes know the metrics' workspace when they start.
    """
    manifest = json.loads((assembly.folder / "manifest.json").read_text())["artifacts"]
    waits = {
        key.rsplit("-", 1)[1]: {each.rsplit("-", 1)[1] for each in value.get("dependencies", [])}
        for key, value in manifest.items()
        if value["type"] == "aws:cloudformation:stack"
    }
    for place, role in enumerate(DEPLOYED):
        references = {
            value["StackName"].rsplit("-", 1)[1]
            for key, value in _walk(assembly.templates[role])
            if key == "Fn::GetStackOutput"
        }
        assert references <= waits[role] & set(DEPLOYED[:place]), role
    assert {"storage", "observability"} <= waits["orchestration"]


def test_stack_names_account_and_region_are_fixed(demo: Any) -> None:
    """Names come from the environment's name; account and Region are the file's, never the caller's."""
    manifest = json.loads((demo.folder / "manifest.json").read_text())["artifacts"]
    stacks = {key: value for key, value in manifest.items() if value["type"] == "aws:cloudformation:stack"}
    assert sorted(stacks) == [f"bedplate-demo-{role}" for role in ROLES]
    assert {each["environment"] for each in stacks.values()} == {"aws://123456789012/us-west-2"}


def test_only_the_storage_stack_is_protected_against_termination(assembly: Any) -> None:
    """The stack with the data cannot be deleted by accident; the others can be made again."""
    manifest = json.loads((assembly.folder / "manifest.json").read_text())["artifacts"]
    protected = [
        key
        for key, value in manifest.items()
        if value["type"] == "aws:cloudformation:stack" and value["properties"].get("terminationProtection")
    ]
    assert [name.rsplit("-", 1)[1] for name in protected] == ["storage"]


def test_no_export_locks_two_stacks_together(assembly: Any) -> None:
    """References between stacks are weak: nothing is exported, nothing imported."""
    for template in assembly.templates.values():
        assert not [key for key, _ in _walk(template) if key in ("Export", "Fn::ImportValue")]


def test_references_between_stacks_are_few_and_plain(assembly: Any) -> None:
    """A stack hands over plain ids, names and ARNs (one Ref or GetAtt each), and not many of them."""
    for role, template in assembly.templates.items():
        outputs = [
            output for name, output in template.get("Outputs", {}).items() if name.startswith("PublishOutput")
        ]
        groups = assembly.resources(role, "AWS::PCS::ComputeNodeGroup")
        buckets = assembly.resources(role, "AWS::S3::Bucket")
        file_systems = assembly.resources(role, "AWS::FSx::FileSystem") | assembly.resources(
            role, "AWS::EFS::FileSystem"
        )
        workspaces = assembly.resources(role, "AWS::Grafana::Workspace")
        # A file system hands over its id, its name in the network and, if it is Lustre, its mount name; a
        # workspace its id and where people open it.
        few = 5 + len(groups) + len(buckets) + 3 * len(file_systems) + 2 * len(workspaces)
        assert len(outputs) <= few
        for output in outputs:
            assert list(output["Value"]) in (["Ref"], ["Fn::GetAtt"])


def test_logical_ids_of_what_holds_data_are_frozen(demo: Any) -> None:
    """A changed id makes CloudFormation replace the resource; the list changes by decision only.

    If this fails, the path of a construct has moved. Move it back, or give the resource its old id.
    """
    frozen = json.loads((HERE / "stateful_ids.json").read_text())
    found = {
        role: {key: each["Type"] for key, each in template["Resources"].items() if each["Type"] in STATEFUL}
        for role, template in demo.templates.items()
    }
    assert {role: ids for role, ids in found.items() if ids} == frozen


def test_what_holds_data_is_retained(assembly: Any) -> None:
    """Buckets, file system, associations and metrics outlive their stack and their replacement."""
    for template in assembly.templates.values():
        for key, resource in template["Resources"].items():
            # The life-cycle scripts are copies of what the deploy brings.
            if resource["Type"] in RETAINED and not key.startswith("ScriptsBucket"):
                assert resource["DeletionPolicy"] in KEPT, key
                assert resource["UpdateReplacePolicy"] == "Retain", key


def _statements(assembly: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Stack role, logical id and statement of every policy document."""
    for role, template in assembly.templates.items():
        for key, resource in template["Resources"].items():
            for name, value in _walk(resource.get("Properties", {})):
                if name in ("PolicyDocument", "AssumeRolePolicyDocument", "KeyPolicy"):
                    for statement in value["Statement"]:
                        yield role, key, statement


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_no_right_to_every_action(assembly: Any) -> None:
    """No statement allows ``*`` or all of a service, but the account's own right to its key."""
    wide = [
        (key, action)
        for _, key, statement in _statements(assembly)
        if statement["Effect"] == "Allow"
        for action in _list(statement["Action"])
        if action == "*" or action.endswith(":*")
    ]
    # KMS: a key that its account cannot administer can never be changed or deleted (KMS Developer Guide).
    keys = [("AlarmsKey66918E0D", "kms:*")]
    if assembly.resources("orchestration", "AWS::EKS::Cluster"):
        keys.append(("ClusterKeyB247D7DD", "kms:*"))
    assert wide == keys


def test_rights_on_every_resource_are_listed_with_their_reason(assembly_of: Any) -> None:
    """``Resource: *`` stands only where the list says why, and no entry is stale."""
    listed = json.loads((HERE / "wildcard_resources.json").read_text())
    expected = {(each["stack"], each["sid"]): sorted(each["actions"]) for each in listed}
    assert all(len(each["reason"]) > 30 for each in listed)
    # The first has nothing on a block and no runner, the second a runner, the third pools of all kinds, the
    # last a function in a VPC.
    examples = HERE.parents[1] / "environments"
    files = [
        examples / "demo.yaml",
        examples / "prod-slurm.yaml",
        HERE / "environments/sources.yaml",
        HERE / "environments/existing-vpc.yaml",
    ]
    found = {
        (role, statement["Sid"] + (":key" if "Key" in key else "")): sorted(_list(statement["Action"]))
        for file in files
        for role, key, statement in _statements(assembly_of(file))
        if statement["Effect"] == "Allow" and "*" in _list(statement.get("Resource", []))
    }
    assert found == expected


def test_instances_that_pcs_takes(assembly: Any) -> None:
    """PCS registers only instances whose role stands under /aws-pcs/; ParallelCluster makes its roles itself,
    of policies that stand under its own path; HyperPod's instances are not EC2's to take a role.
    """
    roles = [
        each
        for each in assembly.resources("orchestration", "AWS::IAM::Role").values()
        if "ec2.amazonaws.com" in json.dumps(each["Properties"]["AssumeRolePolicyDocument"])
    ]
    if assembly.resources("orchestration", "Custom::PclusterCluster"):
        policies = assembly.resources("orchestration", "AWS::IAM::ManagedPolicy").values()
        assert (roles, {each["Properties"]["Path"] for each in policies}) == ([], {"/parallelcluster/"})
        return
    if assembly.resources("orchestration", "AWS::SageMaker::Cluster"):
        assert roles == []
        return
    if assembly.resources("orchestration", "AWS::EKS::Cluster"):
        (role,) = roles
        assert "ManagedPolicyArns" in role["Properties"]
        return
    (role,) = roles
    (profile,) = assembly.resources("orchestration", "AWS::IAM::InstanceProfile").values()
    assert role["Properties"]["Path"] == profile["Properties"]["Path"] == "/aws-pcs/"


def test_user_data_fits(assembly: Any) -> None:
    """User data stays within three quarters of EC2's 16 KiB even with ids of the longest kind filled in."""
    for template in assembly.resources("orchestration", "AWS::EC2::LaunchTemplate").values():
        data = template["Properties"]["LaunchTemplateData"].get("UserData", {"Fn::Base64": ""})
        parts = data["Fn::Base64"]
        pieces = [parts] if isinstance(parts, str) else parts["Fn::Join"][1]
        assert sum(len(piece) if isinstance(piece, str) else 100 for piece in pieces) < 16_384 * 3 / 4


def test_resources_carry_the_environments_tags(demo: Any) -> None:
    """Whatever takes tags has the environment's name, the stack's role and the file's own tags."""
    (cluster,) = demo.resources("orchestration", "AWS::PCS::Cluster").values()
    assert cluster["Properties"]["Tags"] == {
        "bedplate:environment": "demo",
        "bedplate:stack": "orchestration",
        "team": "foundation-models",
    }


def test_types_of_all_environments_are_counted_once(assembly: Any) -> None:
    """Each environment has one cluster, one manifest, and one command document where that reaches nodes."""
    types = Counter(
        resource["Type"]
        for template in assembly.templates.values()
        for resource in template["Resources"].values()
    )
    clusters = (
        "AWS::PCS::Cluster",
        "Custom::PclusterCluster",
        "AWS::SageMaker::Cluster",
        "AWS::EKS::Cluster",
    )
    assert sum(types[each] for each in clusters) == 1
    assert types["AWS::SSM::Document"] == 1 - types["AWS::SageMaker::Cluster"] - types["AWS::EKS::Cluster"]
    for type_ in ("Custom::BedplateManifest", "AWS::APS::Workspace"):
        assert types[type_] == 1
