"""The life-cycle script, run for real in a folder, with stand-ins for the tools that need a node."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.bootstrap import gate

SCRIPTS = Path(__file__).parents[2] / "bedplate/constructs/hyperpod_life_cycle"
PROGRAM = b"import sys\nprint('the program runs with', *sys.argv[1:])\nsys.exit(0)\n"
FAILING = b"import sys\nprint('step make_scratch: failed')\nsys.exit(1)\n"
CONTROLLER, LOGIN, COMPUTE = "10.0.0.4", "10.0.0.5", "10.0.1.6"
UNIT = "[Service]\nExecStart=/opt/slurm/sbin/slurmd -D $SLURMD_OPTIONS\nExecReload=/bin/kill -HUP $MAINPID\n"


@dataclass
class Node:
    """A node's root folder, the folder that HyperPod downloaded, its tools, and what was called."""

    root: Path
    folder: Path
    tools: Path

    def stand_in(self, name: str, body: str = "exit 0") -> None:
        """Put a tool on the node's PATH; the call is written down first."""
        tool = self.tools / name
        tool.write_text(f'#!/bin/bash\nprintf "%s\\n" "{name} $*" >> "{self.root}/calls"\n{body}\n')
        tool.chmod(0o755)

    def put(self, path: str, text: str) -> None:
        """A file of the node."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def text(self, path: str) -> str:
        """A file of the node."""
        return (self.root / path).read_text()

    @property
    def calls(self) -> list[str]:
        """Every call of a tool, in order."""
        return self.text("calls").splitlines() if (self.root / "calls").exists() else []

    def deploy(self, program: bytes, digest: str | None = None) -> None:
        """Put a program beside the script."""
        (self.folder / "bedplate-node.pyz").write_bytes(program)
        right = hashlib.sha256(program).hexdigest()
        (self.folder / "bedplate-node.sha256").write_text(f"{digest or right}\n")

    def create(self, address: str) -> subprocess.CompletedProcess[str]:
        """Run the script as HyperPod does, from another folder."""
        return subprocess.run(
            ["bash", str(self.folder / "on_create.sh")],
            env={
                "PATH": f"{self.tools}:{os.environ['PATH']}",
                "BEDPLATE_ROOT": str(self.root),
                "BEDPLATE_PAUSE_SCALE": "0",
                "BEDPLATE_ADDRESS": address,
            },
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def _config(**changes: Any) -> str:
    groups = {"controller": [CONTROLLER], "login": [LOGIN], "h200": ["10.0.1.5", COMPUTE], **changes}
    return json.dumps(
        {
            "ClusterConfig": {"ClusterName": "proof"},
            "InstanceGroups": [
                {
                    "Name": name,
                    "InstanceType": "ml.m7i.4xlarge",
                    "Instances": [
                        {"InstanceName": f"{name}-{index}", "CustomerIpAddress": each}
                        for index, each in enumerate(found)
                    ]
                    or None,
                }
                for name, found in groups.items()
            ],
        }
    )


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node of a cluster of three groups, as HyperPod hands it to the script."""
    made = Node(tmp_path / "root", tmp_path / "folder", tmp_path / "bin")
    for each in (made.root, made.folder, made.tools):
        each.mkdir()
    for name in ("on_create.sh", "place.py", "keep_partitions.sh"):
        (made.folder / name).write_bytes((SCRIPTS / name).read_bytes())
    (made.folder / "groups").write_text("controller Controller\nlogin Login\nh200 Compute\n")
    (made.folder / "slurm-settings.conf").write_text("KillWait=60\n")
    (made.folder / "slurmd-gate.conf").write_text(gate.DROP_IN)
    for name in ("controller", "login", "h200"):
        (made.folder / f"settings-{name}.json").write_text(f'{{"pool": "{name}"}}\n')
    made.deploy(PROGRAM)
    made.put("opt/ml/config/resource_config.json", _config())
    made.put("opt/slurm/etc/slurm.conf", f"SlurmctldHost=head({CONTROLLER})\n")
    made.put("etc/systemd/system/slurmd.service", UNIT)
    made.stand_in("systemctl")
    return made


def test_the_script_has_no_syntax_that_bash_refuses() -> None:
    """By bash itself, and no line ends that HyperPod's nodes would stumble over."""
    subprocess.run(["bash", "-n", str(SCRIPTS / "on_create.sh")], check=True)
    assert b"\r" not in (SCRIPTS / "on_create.sh").read_bytes()


def test_nothing_is_fetched() -> None:
    """No program that goes out to a network is called."""
    words = set((SCRIPTS / "on_create.sh").read_text().split())
    assert not words & {"curl", "wget", "aws", "apt-get", "pip", "git", "docker"}


def test_a_compute_node_is_set_up_before_slurmd_starts(node: Node) -> None:
    """Gate, program, its group's settings, bootstrap; slurmd last, told where slurm.conf is."""
    done = node.create(COMPUTE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert node.text("opt/bedplate/settings.json") == '{"pool": "h200"}\n'
    assert (node.root / "opt/bedplate/bedplate-node.pyz").read_bytes() == PROGRAM
    assert (node.root / "opt/bedplate/bedplate-node.pyz").stat().st_mode & 0o111
    settings = node.root / "opt/bedplate/settings.json"
    assert f"the program runs with bootstrap --settings {settings}" in done.stdout
    unit = node.text("etc/systemd/system/slurmd.service")
    assert f"slurmd -D --conf-server {CONTROLLER}\n" in unit
    assert "kill -HUP $MAINPID" in unit
    assert node.calls == [
        "systemctl daemon-reload",
        "systemctl daemon-reload",
        "systemctl enable --now slurmd",
    ]
    for drop_in in gate.DROP_INS:
        assert node.text(drop_in.lstrip("/")) == gate.DROP_IN
    assert not (node.root / "opt/slurm/etc/bedplate.conf").exists()


def test_the_controller_gets_its_settings_and_starts(node: Node) -> None:
    """Included once, by name alone, in what HyperPod's agent wrote; slurmctld, which runs, takes them."""
    assert node.create(CONTROLLER).returncode == 0
    assert node.text("opt/slurm/etc/bedplate.conf") == "KillWait=60\n"
    assert node.text("opt/slurm/etc/slurm.conf") == (
        f"SlurmctldHost=head({CONTROLLER})\n\nInclude bedplate.conf\n"
    )
    assert node.calls == ["systemctl restart slurmctld"]
    assert node.create(CONTROLLER).returncode == 0
    assert node.text("opt/slurm/etc/slurm.conf").count("Include") == 1


def test_the_controller_keeps_the_partitions(node: Node) -> None:
    """By a timer, since a partition comes with its first nodes; other nodes, and an empty list, have none."""
    line = "train Default=YES MaxTime=3-0\n"
    (node.folder / "partitions").write_text(line)
    assert node.create(CONTROLLER).returncode == 0
    assert node.text("opt/bedplate/partitions") == line
    assert "keep_partitions.sh\n" in node.text("etc/systemd/system/bedplate-partitions.service")
    assert node.calls[-1] == "systemctl enable --now bedplate-partitions.timer"
    assert node.create(LOGIN).returncode == 0
    assert len(_starts(node)) == 1


def test_each_partition_is_told_to_slurm(node: Node) -> None:
    """One that is not there yet is an error, and keeps none of the others from its own."""
    node.put("opt/bedplate/partitions", "frontier PriorityTier=2\ntrain Default=YES MaxTime=3-0\n")
    node.stand_in("scontrol", '[ "$2" != PartitionName=frontier ]')
    done = subprocess.run(
        ["bash", str(node.folder / "keep_partitions.sh")],
        env={"PATH": f"{node.tools}:{os.environ['PATH']}", "BEDPLATE_ROOT": str(node.root)},
        check=False,
    )
    assert done.returncode == 1
    assert node.calls == [
        "scontrol update PartitionName=frontier PriorityTier=2",
        "scontrol update PartitionName=train Default=YES MaxTime=3-0",
    ]


def test_a_login_node_has_no_gate(node: Node) -> None:
    """It is no place for jobs of ours, and HyperPod has set its Slurm up."""
    assert node.create(LOGIN).returncode == 0
    assert not (node.root / "etc/systemd/system/slurmd.service.d").exists()
    assert node.calls == []
    assert node.text("opt/bedplate/settings.json") == '{"pool": "login"}\n'


def _starts(node: Node) -> list[str]:
    return [call for call in node.calls if "enable" in call]


def test_a_failed_bootstrap_fails_the_node(node: Node) -> None:
    """Slurm's daemon is never started, and its gate stands for whoever starts it."""
    node.deploy(FAILING)
    done = node.create(COMPUTE)
    assert done.returncode == 1
    assert _starts(node) == []
    assert (node.root / "etc/systemd/system/slurmd.service.d/10-bedplate-gate.conf").exists()
    assert "step make_scratch: failed" in node.text("var/log/provision/provisioning.log")


def test_another_program_than_the_deployed_one_is_not_run(node: Node) -> None:
    """The digest decides, and nothing is installed."""
    node.deploy(PROGRAM, digest="0" * 64)
    done = node.create(COMPUTE)
    assert done.returncode == 1
    assert "is not the one that was deployed" in done.stdout
    assert not (node.root / "opt/bedplate/bedplate-node.pyz").exists()
    assert _starts(node) == []


@pytest.mark.parametrize(
    "config",
    [
        pytest.param("{", id="no JSON"),
        pytest.param("[]", id="no object"),
        pytest.param(_config(h200=[]), id="not listed"),
        pytest.param(_config(login=[COMPUTE]), id="listed twice"),
        pytest.param(_config(controller=[]), id="no controller"),
        pytest.param(
            '{"InstanceGroups": [{"Instances": [{"CustomerIpAddress": "10.0.1.6"}]}]}', id="no name"
        ),
    ],
)
def test_a_node_that_cannot_tell_its_group_fails(node: Node, config: str) -> None:
    """After as many tries as HyperPod's list may need to come, with the reason in the log."""
    node.put("opt/ml/config/resource_config.json", config)
    done = node.create(COMPUTE)
    assert done.returncode == 1
    assert "try 12 of 12: find_place" in done.stdout
    assert "place: " in node.text("var/log/provision/provisioning.log")
    assert node.calls == []


def test_a_list_that_comes_late_is_waited_for(node: Node) -> None:
    """HyperPod's list lags behind: the second look finds the node."""
    folder = node.root / "opt/ml/config"
    node.put("opt/ml/config/late.json", _config())
    node.put("opt/ml/config/resource_config.json", _config(h200=[]))
    node.stand_in("sleep", f'cp "{folder}/late.json" "{folder}/resource_config.json"')
    assert node.create(COMPUTE).returncode == 0
    assert [call for call in node.calls if call.startswith("sleep")] == ["sleep 0"]


def test_a_group_without_settings_fails(node: Node) -> None:
    """Such as one that was added beside the deploy."""
    (node.folder / "groups").write_text("controller Controller\n")
    assert node.create(COMPUTE).returncode == 1
    assert "has no settings" in node.text("var/log/provision/provisioning.log")


def test_a_controller_that_hyperpod_did_not_set_up_fails(node: Node) -> None:
    """A slurm.conf of another cluster, or none: slurmctld is not started."""
    node.put("opt/slurm/etc/slurm.conf", "SlurmctldHost=other(10.9.9.9)\n")
    done = node.create(CONTROLLER)
    assert done.returncode == 1
    assert "does not name 10.0.0.4" in done.stdout
    assert _starts(node) == []


def test_a_unit_that_takes_no_address_fails(node: Node) -> None:
    """A slurmd that would look for slurm.conf elsewhere is not started."""
    node.put("etc/systemd/system/slurmd.service", "[Service]\nExecStart=/opt/slurm/sbin/slurmd -D\n")
    assert node.create(COMPUTE).returncode == 1
    assert _starts(node) == []


def test_braces_around_the_units_variable_make_no_difference(node: Node) -> None:
    """``${SLURMD_OPTIONS}`` is filled like ``$SLURMD_OPTIONS``."""
    node.put("etc/systemd/system/slurmd.service", UNIT.replace("$SLURMD_OPTIONS", "${SLURMD_OPTIONS}"))
    assert node.create(COMPUTE).returncode == 0
    assert f"-D --conf-server {CONTROLLER}\n" in node.text("etc/systemd/system/slurmd.service")


def test_a_daemon_that_does_not_start_fails_the_node(node: Node) -> None:
    """After several tries; HyperPod hears of it by the status."""
    node.stand_in("systemctl", '[ "$1" = enable ] && exit 1; exit 0')
    done = node.create(COMPUTE)
    assert done.returncode == 1
    assert len(_starts(node)) == 6
    assert "slurmd does not start" in done.stdout
