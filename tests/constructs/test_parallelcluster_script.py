"""ParallelCluster's custom action, run for real in a folder, with stand-ins for tools that need a node."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import replace

import pytest

from bedplate.constructs.parallelcluster_script import DNA, node_script
from bedplate.node.bootstrap.settings import NodeSettings
from tests.constructs.test_node_bootstrap import PLACE, PROGRAM, SETTINGS, Node, node

__all__ = ["node"]
GIVEN = {
    name: replace(SETTINGS, pool=name, role="compute" if name in ("h200", "b200") else "login")
    for name in ("h200", "b200", "head", "login")
}
KINDS = {"h200": "ComputeFleet", "b200": "ComputeFleet", "head": "HeadNode", "login": "LoginNode"}


def _run(node: Node, name: str, stage: str, *given: str) -> subprocess.CompletedProcess[str]:
    """The script on a node that ParallelCluster calls so, with the settings of these pools."""
    told = {"node_type": KINDS.get(name, "ComputeFleet")}
    if name not in ("head", "login"):
        told["scheduler_compute_resource_name"] = name
    path = node.root / DNA.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cluster": told}))
    settings = [GIVEN[each].to_json() for each in given]
    digest = hashlib.sha256(PROGRAM).hexdigest()
    return node.run(node_script(), stage, "assets", "key.pyz", digest, "results", *settings)


@pytest.mark.parametrize(
    ("name", "given"),
    [("h200", ("b200", "h200")), ("b200", ("b200", "h200")), ("head", ("head",)), ("login", ("login",))],
)
def test_a_node_takes_the_settings_of_what_it_is(name: str, given: tuple[str, ...], node: Node) -> None:
    """A compute node by its compute resource, of a queue of two pools too; slurmd is held on such alone."""
    done = _run(node, name, "start", *given)
    assert done.returncode == 7, done.stderr
    assert NodeSettings.from_json(node.text("opt/bedplate/settings.json")) == GIVEN[name]
    assert (node.root / PLACE).read_bytes() == PROGRAM
    held = (node.root / "etc/systemd/system/slurmd.service.d/10-bedplate-gate.conf").exists()
    assert held is (GIVEN[name].role == "compute")


def test_the_disks_are_left_until_parallelcluster_has_made_its_volume(node: Node) -> None:
    """The first run leaves the volume and what is on it; the second leaves nothing, and its status counts."""
    settings = f"bootstrap --settings {node.root}/opt/bedplate/settings.json"
    first, second = (_run(node, "h200", stage, "h200") for stage in ("start", "configured"))
    assert f"{settings} --later make_scratch --later install_containers\n" in first.stdout
    assert f"{settings}\n" in second.stdout
    assert node.fetches() == 1
    assert (first.returncode, second.returncode) == (7, 7)


@pytest.mark.parametrize("given", [(), ("b200",), ("h200", "h200")])
def test_a_node_that_is_none_of_the_pools_fails(given: tuple[str, ...], node: Node) -> None:
    """None, another's, or two that both claim it: nothing is set up, and ParallelCluster ends the node."""
    done = _run(node, "h200", "start", *given)
    assert done.returncode == 1
    assert "settings are of h200" in done.stderr
    assert not (node.root / PLACE).exists()


def test_the_head_puts_the_hooks_where_slurm_looks(node: Node) -> None:
    """Prolog and epilog of every node call its own hook; a node without one is well."""
    assert not (node.root / "opt/slurm").exists()
    _run(node, "head", "start", "head")
    assert not (node.root / "opt/slurm").exists()
    _run(node, "head", "configured", "head")
    for when in ("prolog", "epilog"):
        script = node.root / f"opt/slurm/etc/scripts/{when}.d/50_bedplate"
        environment = {"BEDPLATE_ROOT": str(node.root), "PATH": "/usr/bin:/bin"}
        assert subprocess.run([str(script)], env=environment, check=False).returncode == 0
        hook = node.root / f"opt/bedplate/hooks/{when}"
        hook.parent.mkdir(parents=True, exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 5\n")
        hook.chmod(0o755)
        assert subprocess.run([str(script)], env=environment, check=False).returncode == 5
