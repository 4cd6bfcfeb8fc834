"""Slurm's topology is where EC2 says the nodes stand; a real slurmctld takes it and places jobs by it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bedplate.node.host_ranges import names_in
from bedplate.node.switch_tree import tree_conf
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.config import node_address

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
REPOSITORY = Path(__file__).resolve().parents[3]
NODES = [f"gpu-{number}" for number in range(1, 9)]
FIRST = {name: ("nn-top", "nn-mid", "nn-even" if index % 2 else "nn-odd") for index, name in enumerate(NODES)}
LATER = {name: ("nn-top", f"nn-mid{index // 4}", f"nn-leaf{index // 2}") for index, name in enumerate(NODES)}

FOUR = {
    name: ("b200-top", "b200-mid", f"b200-{i // 4}", f"b200-leaf{i // 2}") for i, name in enumerate(NODES)
}
"""As instances of P6-B200 and P6-B300 have it."""


@pytest.fixture(scope="module")
def slurm(start_slurm: Start) -> RealSlurm:
    """Eight nodes of which nobody knows yet where they stand."""
    return start_slurm(topology=tree_conf(dict.fromkeys(NODES, ())))


def _set_topology(
    slurm: RealSlurm, folder: Path, paths: Mapping[str, tuple[str, ...]]
) -> subprocess.CompletedProcess[str]:
    """Run the command beside the real slurmctld. SIMULATED: the AWS command line, which tells ``paths``."""
    numbers = {name: int(name.split("-")[1]) for name in paths}
    told = {
        "describe-instances": [[node_address(numbers[name]), f"i-{numbers[name]}"] for name in paths],
        "describe-instance-topology": [
            {"InstanceId": f"i-{numbers[name]}", "NetworkNodes": list(path)} for name, path in paths.items()
        ],
    }
    folder.mkdir(exist_ok=True)
    (folder / "told.json").write_text(json.dumps(told))
    aws = folder / "aws"
    aws.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        f"print(json.dumps(json.load(open('{folder}/told.json'))[sys.argv[2]]))\n"
    )
    aws.chmod(0o755)
    file = slurm.folder / "etc/topology.conf"
    return subprocess.run(
        [
            *(sys.executable, "-m", "bedplate.node", "set-topology", "--file", str(file)),
            *("--region", "us-west-2", "--filter", "tag:parallelcluster:cluster-name=t"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=REPOSITORY,
        env={**slurm.environment, "PATH": f"{folder}:{slurm.environment['PATH']}"},
    )


def _leaves(slurm: RealSlurm) -> dict[str, set[str]]:
    """Leaf switch → its nodes, as slurmctld has them."""
    found = {}
    for line in slurm.run("scontrol", "--oneliner", "show", "topology").splitlines():
        words = dict(re.findall(r"(\w+)=(\S*)", line))
        if words.get("Level") == "0":
            found[words["SwitchName"]] = set(names_in(words["Nodes"]))
    return found


def _switches(slurm: RealSlurm) -> dict[str, set[str]]:
    """Each switch, of whatever level → all nodes below it, as slurmctld has them."""
    shown = slurm.run("scontrol", "--oneliner", "show", "topology").splitlines()
    rows = [dict(re.findall(r"(\w+)=(\S*)", line)) for line in shown]
    return {words["SwitchName"]: set(names_in(words["Nodes"])) for words in rows}


def _told(paths: Mapping[str, tuple[str, ...]]) -> dict[str, set[str]]:
    """The same of what EC2 told."""
    found: dict[str, set[str]] = {}
    for node, path in paths.items():
        for switch in path:
            found.setdefault(switch, set()).add(node)
    return found


def test_a_cluster_starts_with_nodes_of_unknown_place(slurm: RealSlurm) -> None:
    """The first file is complete without an answer of EC2, and jobs run."""
    assert _leaves(slurm) == {"unknown": set(NODES)}
    assert slurm.complaints() == []


def test_slurmctld_has_the_topology_that_ec2_tells(slurm: RealSlurm, tmp_path: Path) -> None:
    """The command writes it and tells slurmctld; a second time there is nothing to do."""
    done = _set_topology(slurm, tmp_path, FIRST)
    assert (done.returncode, done.stderr) == (0, "")
    assert "changed, and slurmctld told: 8 nodes, 0 of them not known" in done.stdout
    assert _leaves(slurm) == {"nn-odd": set(NODES[::2]), "nn-even": set(NODES[1::2])}
    assert _switches(slurm) == _told(FIRST)
    assert "is as it should be" in _set_topology(slurm, tmp_path, FIRST).stdout


def test_slurmctld_has_four_levels_where_ec2_tells_four(slurm: RealSlurm, tmp_path: Path) -> None:
    """The last one is the leaf, and a job for two leaves gets two that are under one switch."""
    assert _set_topology(slurm, tmp_path, FOUR).returncode == 0
    assert _switches(slurm) == _told(FOUR)
    job = slurm.submit("true", "-N4", "--gres=gpu:8")
    slurm.wait_job(job, "COMPLETED")
    assert set(slurm.hosts(job)) in (set(NODES[:4]), set(NODES[4:]))


def test_a_job_lands_on_the_nodes_of_one_leaf(slurm: RealSlurm, tmp_path: Path) -> None:
    """Four nodes of every second number, where that is how they are wired."""
    assert _set_topology(slurm, tmp_path, FIRST).returncode == 0
    job = slurm.submit("true", "-N4", "--gres=gpu:8")
    slurm.wait_job(job, "COMPLETED")
    assert set(slurm.hosts(job)) in (set(NODES[::2]), set(NODES[1::2]))


def test_nodes_that_are_elsewhere_after_a_replacement_are_found_there(
    slurm: RealSlurm, tmp_path: Path
) -> None:
    """Another answer of EC2 changes the running slurmctld: pairs under leaves, fours under what joins them;
    a node that is not launched is unknown, and is there.
    """
    later = {name: path for name, path in LATER.items() if name != "gpu-8"}
    done = _set_topology(slurm, tmp_path, later)
    assert "8 nodes, 1 of them not known" in done.stdout
    assert _leaves(slurm) == {
        "nn-leaf0": {"gpu-1", "gpu-2"},
        "nn-leaf1": {"gpu-3", "gpu-4"},
        "nn-leaf2": {"gpu-5", "gpu-6"},
        "nn-leaf3": {"gpu-7"},
        "unknown": {"gpu-8"},
    }
    job = slurm.submit("true", "-N4", "--gres=gpu:8")
    slurm.wait_job(job, "COMPLETED")
    assert set(slurm.hosts(job)) == {"gpu-1", "gpu-2", "gpu-3", "gpu-4"}
    assert slurm.complaints() == []


def test_what_makes_no_tree_leaves_slurmctld_alone(slurm: RealSlurm, tmp_path: Path) -> None:
    """Told of a switch under two others, the command ends with 1, and file and slurmctld are as they were."""
    file = slurm.folder / "etc/topology.conf"
    before, had = file.read_text(), _leaves(slurm)
    done = _set_topology(slurm, tmp_path, {"gpu-1": ("a", "x", "l"), "gpu-2": ("b", "x", "m")})
    assert done.returncode == 1
    assert "x is under a and, for gpu-2, under b" in done.stderr
    assert (file.read_text(), _leaves(slurm)) == (before, had)


def test_a_slurmctld_with_an_empty_file_starts_and_takes_the_tree_later(
    start_slurm: Start, tmp_path: Path
) -> None:
    """ParallelCluster starts slurmctld before anybody can be asked where nodes stand. Without the file it
    ends (seen on 22.05: fatal, after a minute); with an empty one it starts.
    """
    slurm = start_slurm(topology="")
    assert slurm.node("gpu-1")["State"].startswith("IDLE")
    done = _set_topology(slurm, tmp_path, FIRST)
    assert done.returncode == 0, done.stderr
    assert _leaves(slurm) == {
        leaf: {name for name, path in FIRST.items() if path[-1] == leaf} for leaf in ("nn-even", "nn-odd")
    }
