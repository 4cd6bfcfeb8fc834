"""The largest legal environments stay under CloudFormation's limits, with room to spare."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.spec import load_environment
from bedplate.spec.association_rights import MOST_POLICIES, OTHER_POLICIES, POLICIES_A_ROLE
from bedplate.spec.draft import draft_of
from bedplate.spec.rules.configuration_weighs import configuration_bytes
from bedplate.spec.rules.hyperpod_folder_weighs import folder_bytes, template_bytes
from bedplate.spec.rules.kubernetes_weighs import template_bytes as kubernetes_bytes
from tests.stacks.conftest import flags
from tests.support.largest import largest
from tests.support.locks import lock_for

pytestmark = pytest.mark.slow

LIMITS = {"Resources": 500, "Outputs": 200, "Parameters": 200, "bytes": 1_000_000}
"""CloudFormation User Guide, "Understand CloudFormation quotas": of one template; the body by S3 is 1 MB."""
USER_DATA_BYTES = 16_384
"""EC2 User Guide, "User data": before base64."""
ASYNCHRONOUS_EVENT_BYTES = 1_000_000
"""Lambda API, Invoke: 1 MB for an asynchronous invocation, by which custom resources are told."""
POLICY_CHARACTERS = 6144
"""IAM User Guide, "IAM and AWS STS quotas": of a managed policy, white space not counted."""
LEAST_OF_AN_EVENT = 2000
"""What stands around the properties: ids, the type, the answer's signed URL."""
LONGEST_TOKEN = 100
"""Characters that a reference is filled in by, at most: the names and ids that user data holds."""


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Path]]:
    """The templates of one of the largest environments, by stack; each environment passes the rules first."""
    made: dict[str, dict[str, Path]] = {}

    def get(name: str) -> dict[str, Path]:
        if name not in made:
            made[name] = _synthesise(name, tmp_path_factory.mktemp(name))
        return made[name]

    return get


def _synthesise(name: str, folder: Path) -> dict[str, Path]:
    file = folder / "environment.yaml"
    file.write_text(yaml.safe_dump(largest()[name], sort_keys=False))
    environment = load_environment(file)
    from bedplate.stacks.entry import use_locked_node

    use_locked_node()
    from aws_cdk import App

    from bedplate.stacks.environment_app import build_stacks

    app = App(outdir=str(folder / "out"), context=flags())
    build_stacks(app, environment=environment, lock=lock_for(environment))
    app.synth()
    found = sorted((folder / "out").glob("*.template.json"))
    return {path.name.removesuffix(".template.json").rsplit("-", 1)[1]: path for path in found}


@pytest.mark.parametrize("name", sorted(largest()))
def test_the_largest_stay_under_cloudformations_limits(
    name: str, templates: Callable[[str], dict[str, Path]]
) -> None:
    """Resources, outputs, parameters and size of every template are within the limits (``-s`` shows all)."""
    table = {role: _sizes(path) for role, path in templates(name).items()}
    for role, sizes in table.items():
        shown = ", ".join(f"{value} {what}" for what, value in sizes.items())
        sys.stdout.write(f"{name} {role}: {shown}\n")
    assert len(table) == 5
    over = [
        (role, what, value)
        for role, sizes in table.items()
        for what, value in sizes.items()
        if value > LIMITS[what]
    ]
    assert over == []


def _sizes(path: Path) -> dict[str, int]:
    template = json.loads(path.read_text())
    counts = {section: len(template.get(section, {})) for section in ("Resources", "Outputs", "Parameters")}
    return {**counts, "bytes": path.stat().st_size}


def test_user_data_fits_with_every_mount(templates: Callable[[str], dict[str, Path]]) -> None:
    """With as many file systems and as long options as there may be, a quarter of EC2's 16 KiB is left for
    what PCS adds.
    """
    template = json.loads(templates("given")["orchestration"].read_text())
    found = [_user_data_bytes(each) for each in _launch_templates(template)]
    assert len(found) == 10
    assert USER_DATA_BYTES / 2 < max(found) <= USER_DATA_BYTES * 3 / 4


def test_parallelclusters_configuration_is_what_the_rule_says(
    templates: Callable[[str], dict[str, Path]], tmp_path: Path
) -> None:
    """ORC-023 weighs from above, and not by much; old and new fit into one event of Lambda's."""
    template = json.loads(templates("parallelcluster")["orchestration"].read_text())
    (cluster,) = [
        each for each in template["Resources"].values() if each["Type"] == "Custom::PclusterCluster"
    ]
    weight = len(json.dumps(_filled_in(cluster["Properties"]["ClusterConfiguration"])).encode())
    file = tmp_path / "environment.yaml"
    file.write_text(yaml.safe_dump(largest()["parallelcluster"], sort_keys=False))
    told = configuration_bytes(draft_of(load_environment(file)))
    assert weight <= told <= weight * 1.1
    assert 2 * told + LEAST_OF_AN_EVENT <= ASYNCHRONOUS_EVENT_BYTES


def test_hyperpods_files_are_what_the_rule_says(
    templates: Callable[[str], dict[str, Path]], tmp_path: Path
) -> None:
    """ORC-043 weighs files and template from above; old and new fit into one event of Lambda's."""
    path = templates("hyperpod")["orchestration"]
    (folder,) = [
        each
        for each in json.loads(path.read_text())["Resources"].values()
        if each["Type"] == "Custom::BedplateHyperPodScripts"
    ]
    weight = len(json.dumps(_filled_in(folder["Properties"])).encode())
    file = tmp_path / "environment.yaml"
    file.write_text(yaml.safe_dump(largest()["hyperpod"], sort_keys=False))
    draft = draft_of(load_environment(file))
    assert weight <= folder_bytes(draft) <= weight * 1.1
    assert path.stat().st_size <= template_bytes(draft)
    assert 2 * folder_bytes(draft) + LEAST_OF_AN_EVENT <= ASYNCHRONOUS_EVENT_BYTES


def test_a_kubernetes_template_is_what_the_rule_says(
    templates: Callable[[str], dict[str, Path]], tmp_path: Path
) -> None:
    """ORC-052 weighs from above, and not by much."""
    path = templates("eks")["orchestration"]
    file = tmp_path / "environment.yaml"
    file.write_text(yaml.safe_dump(largest()["eks"], sort_keys=False))
    told = kubernetes_bytes(draft_of(load_environment(file)))
    assert path.stat().st_size <= told <= path.stat().st_size * 1.25


def test_policies_of_hyperpods_roles_are_within_iams_limit(
    templates: Callable[[str], dict[str, Path]],
) -> None:
    """The controller's, which has the most rights, with as many packages as there may be."""
    template = json.loads(templates("hyperpod-packages")["orchestration"].read_text())
    sizes = [
        len("".join(json.dumps(_filled_in(each["Properties"]["PolicyDocument"])).split()))
        for each in template["Resources"].values()
        if each["Type"] == "AWS::IAM::ManagedPolicy"
    ]
    assert len(sizes) == 3  # the function's that writes the files, and the two roles'
    assert POLICY_CHARACTERS / 2 < max(sizes) <= POLICY_CHARACTERS


def _filled_in(value: Any) -> Any:
    """The configuration with the longest DNS names, ids and ARNs in the place of references."""
    if isinstance(value, list):
        return [_filled_in(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "Fn::Join" in value:
        return "".join(piece if isinstance(piece, str) else "x" * 45 for piece in value["Fn::Join"][1])
    if len(value) == 1 and next(iter(value)).startswith(("Fn::", "Ref")):
        return "x" * LONGEST_TOKEN
    return {key: _filled_in(each) for key, each in value.items()}


def test_the_runners_role_has_as_many_policies_as_iam_attaches_and_no_more(
    templates: Callable[[str], dict[str, Path]],
) -> None:
    """Those of tied buckets take what the operator's, its own and the one for replacements leave."""
    resources = json.loads(templates("created")["validation"].read_text())["Resources"]
    ((role, runner),) = [
        (name, each)
        for name, each in resources.items()
        if each["Type"] == "AWS::IAM::Role" and "ManagedPolicyArns" in each["Properties"]
    ]
    own = [
        each
        for each in resources.values()
        if each["Type"] == "AWS::IAM::ManagedPolicy" and {"Ref": role} in each["Properties"].get("Roles", ())
    ]
    attached = len(runner["Properties"]["ManagedPolicyArns"]) + len(own)
    assert attached == POLICIES_A_ROLE
    assert attached - MOST_POLICIES == OTHER_POLICIES


def _launch_templates(template: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        each["Properties"]["LaunchTemplateData"]
        for each in template["Resources"].values()
        if each["Type"] == "AWS::EC2::LaunchTemplate"
    ]


def _user_data_bytes(data: dict[str, Any]) -> int:
    parts = data["UserData"]["Fn::Base64"]
    pieces = [parts] if isinstance(parts, str) else parts["Fn::Join"][1]
    return sum(len(piece.encode()) if isinstance(piece, str) else LONGEST_TOKEN for piece in pieces)
