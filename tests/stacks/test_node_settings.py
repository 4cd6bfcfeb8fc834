"""What nodes are told in user data, and what validation asks of them afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bedplate.constructs.node_bootstrap import LARGEST_USER_DATA_BYTES
from bedplate.manifest import ClusterManifest
from bedplate.node.bootstrap.plan import STEPS
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.validation.expectation import node_expectation


def _filled_in(value: Any) -> str:
    """A text of a template; what CloudFormation fills in stands as a word."""
    pieces = [value] if isinstance(value, str) else value["Fn::Join"][1]
    return "".join(piece if isinstance(piece, str) else "filled-in" for piece in pieces)


@pytest.fixture
def told(slurm_assembly: Any) -> dict[str, NodeSettings]:
    """Pool → the settings that its nodes are given, ``login`` among them."""
    lines = [
        *_in_user_data(slurm_assembly),
        *_in_custom_actions(slurm_assembly),
        *_in_scripts(slurm_assembly),
    ]
    return {settings.pool: settings for settings in map(NodeSettings.from_json, lines)}


def _in_user_data(assembly: Any) -> Iterator[str]:
    for template in assembly.resources("orchestration", "AWS::EC2::LaunchTemplate").values():
        text = _filled_in(template["Properties"]["LaunchTemplateData"]["UserData"]["Fn::Base64"])
        assert len(text.encode()) < LARGEST_USER_DATA_BYTES / 2
        (line,) = [line for line in text.splitlines() if line.startswith('{"version":')]
        yield line


def _in_custom_actions(assembly: Any) -> Iterator[str]:
    """Of ParallelCluster: the same settings at both moments, behind the stage and four words."""
    for cluster in assembly.resources("orchestration", "Custom::PclusterCluster").values():
        found = cluster["Properties"]["ClusterConfiguration"]
        nodes = [found["HeadNode"], *found["LoginNodes"]["Pools"], *found["Scheduling"]["SlurmQueues"]]
        for node in nodes:
            start, configured = (
                node["CustomActions"][each]["Args"] for each in ("OnNodeStart", "OnNodeConfigured")
            )
            assert start[1:] == configured[1:]
            yield from (_filled_in(each) for each in start[5:])


def _in_scripts(assembly: Any) -> Iterator[str]:
    """Of HyperPod: a file of each group beside the life-cycle script."""
    for scripts in assembly.resources("orchestration", "Custom::BedplateHyperPodScripts").values():
        for name, text in scripts["Properties"]["Files"].items():
            if name.startswith("settings-"):
                yield _filled_in(text)


BESIDE_POOLS = {
    "slurm-pcs": {"login"},
    "slurm-parallelcluster": {"login", "head"},
    "slurm-hyperpod": {"login", "controller"},
}
"""Kind → what has settings of its own beside the pools."""


@pytest.fixture
def manifest(slurm_assembly: Any) -> ClusterManifest:
    """The manifest of the environment."""
    (resource,) = slurm_assembly.resources("validation", "Custom::BedplateManifest").values()
    return ClusterManifest.model_validate_json(_filled_in(resource["Properties"]["Manifest"]))


def test_every_pool_and_the_login_nodes_are_told(
    told: dict[str, NodeSettings], manifest: ClusterManifest
) -> None:
    """Each has settings of its own, in which no token is left, and the same file systems."""
    assert set(told) == {*(pool.name for pool in manifest.pools), *BESIDE_POOLS[manifest.orchestrator.kind]}
    for settings in told.values():
        assert "Token" not in settings.to_json()
        assert [mount.path for mount in settings.mounts] == [
            each.mount_path for each in manifest.file_systems
        ]


def test_validation_asks_for_the_steps_that_nodes_do(
    told: dict[str, NodeSettings], manifest: ClusterManifest
) -> None:
    """For every pool NOD-002 requires exactly the steps that the pool's nodes are told to do."""
    for pool in manifest.pools:
        done = tuple(step.name for step in STEPS if not step.why_not(told[pool.name]))
        assert node_expectation(manifest=manifest, pool=pool).bootstrap_steps == done


def test_imex_is_set_up_by_our_prolog_on_ultraservers_of_pcs_alone(
    told: dict[str, NodeSettings], manifest: ClusterManifest
) -> None:
    """ParallelCluster keeps IMEX's configuration in a file that all nodes share; of HyperPod nothing is
    known.
    """
    on_pcs = manifest.orchestrator.kind == "slurm-pcs"
    types = {pool.name: pool.hardware.needs_imex for pool in manifest.pools}
    assert {name: settings.imex for name, settings in told.items()} == {
        name: on_pcs and types.get(name, False) for name in told
    }


def test_login_nodes_have_no_gpus_disks_or_efas(told: dict[str, NodeSettings]) -> None:
    """They are told of none, whatever their type has."""
    login = told["login"]
    assert (login.role, login.gpus, login.nvme_count, login.efa_count, login.lnet_efa_count) == (
        "login",
        0,
        0,
        0,
        0,
    )


def test_nodes_that_stay_have_a_gate_of_pairs(
    told: dict[str, NodeSettings], manifest: ClusterManifest
) -> None:
    """Where nodes come for a job they have none; one kind of node beside the pools sees to the gate, with the
    clients of the cluster's version.
    """
    for pool in manifest.pools:
        stays = pool.node_count_min == pool.node_count_max
        assert told[pool.name].gate == ("pair" if stays else "node")
    if manifest.orchestrator.kind == "slurm-pcs":
        assert (told["login"].gate, told["login"].slurm_version) == ("pair", manifest.orchestrator.version)
    else:
        (head,) = BESIDE_POOLS[manifest.orchestrator.kind] - {"login"}
        assert (told["login"].gate, told[head].gate, told[head].slurm_version) == ("node", "pair", "")
