"""Nodes boot by their real user data, answer commands, and go away."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import UnknownInstanceType
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.record import BootRecord, read_record
from bedplate.sandbox.fleet import Fleet, FleetError, NodeUnreachable, UnknownNode

from .asking import probe
from .conftest import LOGIN, MakeFleet, bootstrap, fault, node_id


def injected(fleet: Fleet) -> dict[str, object]:
    """What the fleet says it injected."""
    data: dict[str, object] = json.loads((fleet._state_dir / "injected.json").read_text(encoding="utf-8"))
    return data


def record_of(fleet: Fleet, node: str) -> BootRecord:
    """What the node's bootstrap left."""
    text = fleet.run_shell(node, "cat $BEDPLATE_ROOT/opt/bedplate/bootstrap.json", 20).stdout
    record = read_record(text)
    assert record is not None, text
    return record


def outcomes(record: BootRecord) -> dict[str, str]:
    """Step → how it ended."""
    return {step.name: step.outcome for step in record.steps}


def test_the_real_bootstrap_runs_whole_on_a_compute_node(make_fleet: MakeFleet, node_program: bytes) -> None:
    """The deployment's user data fetches the program, which does every step but those for NFS and users."""
    stored: dict[str, bytes] = {}
    fleet = make_fleet(
        nodes=1,
        user_data=bootstrap(node_program),
        fetch=lambda bucket, key: node_program,
        put=lambda bucket, key, body: stored.update({f"{bucket}/{key}": body}),
    )
    assert fleet.boot_report(node_id(0)).summary == "booted"
    record = record_of(fleet, node_id(0))
    left_out = [name for name, outcome in outcomes(record).items() if outcome != "done"]
    assert left_out == [
        "keep_topology",
        "keep_desk",
        "keep_gate",
        "install_nfs_client",
        "make_users",
        "follow_lists",
        "install_containers",
        "keep_exporters",
    ]
    shown = fleet.run_shell(node_id(0), "mount; lnetctl net show --net efa", 20).stdout
    assert "@tcp:/abcdef12 on /fsx type lustre (noatime,flock)" in shown
    assert "/dev/md127 on /scratch type xfs (noatime,discard)" in shown
    assert shown.count("rdmap") == 8
    report = json.loads(stored[f"results/bootstrap/{node_id(0)}/{record.boot_id}.json"])
    assert report["record"]["outcome"] == "done"
    assert "State=IDLE" in fleet.run_shell(LOGIN, "scontrol show node gpu-1 -o", 10).stdout


@pytest.mark.parametrize("role", ["compute", "login"])
def test_an_images_containers_are_switched_on(role: str, make_fleet: MakeFleet, node_program: bytes) -> None:
    """The step is done on both kinds of nodes, and the file that was named has the line for Pyxis."""
    told = Containers(slurm="/opt/slurm", plugstack="/opt/slurm/etc/plugstack.conf")
    user_data = bootstrap(node_program, role=role, containers=told)
    node = LOGIN if role == "login" else node_id(0)
    given = {"login_user_data" if role == "login" else "user_data": user_data}
    fleet = make_fleet(nodes=int(role == "compute"), fetch=lambda bucket, key: node_program, **given)
    assert fleet.boot_report(node).ok
    assert outcomes(record_of(fleet, node))["install_containers"] == "done"
    shown = fleet.run_shell(
        node, f"cat $BEDPLATE_ROOT{told.plugstack} $BEDPLATE_ROOT/etc/enroot/enroot.conf", 20
    )
    assert "/usr/local/lib/slurm/spank_pyxis.so runtime_path=/run/pyxis" in shown.stdout
    folder = "/scratch/enroot" if role == "compute" else "/var/lib/enroot"
    assert f"ENROOT_DATA_PATH {folder}/data/" in shown.stdout


def test_a_second_boot_does_nothing_twice(make_fleet: MakeFleet, node_program: bytes) -> None:
    """The unit's command ends well again; no disk is formatted, no device bound and nothing mounted anew."""
    fleet = make_fleet(nodes=1, user_data=bootstrap(node_program), fetch=lambda bucket, key: node_program)
    again = fleet.run_shell(
        node_id(0),
        ": >$BEDPLATE_ROOT/var/log/bedplate-bootstrap.log; python3 "
        "$BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz bootstrap "
        "--settings $BEDPLATE_ROOT/opt/bedplate/settings.json; "
        "echo status $?; cat $BEDPLATE_ROOT/var/log/bedplate-bootstrap.log",
        60,
    )
    assert "status 0" in again.stdout
    commands = [line for line in again.stdout.splitlines() if " $ " in line]
    assert commands
    assert not [line for line in commands if "mkfs" in line or "net add" in line or " $ mount" in line]


def test_the_real_bootstrap_runs_whole_on_a_login_node(make_fleet: MakeFleet, node_program: bytes) -> None:
    """A login node mounts Lustre over TCP, has no disks to stripe and no gate before a daemon."""
    user_data = bootstrap(node_program, role="login")
    fleet = make_fleet(nodes=0, login_user_data=user_data, fetch=lambda bucket, key: node_program)
    assert fleet.boot_report(LOGIN).ok
    record = record_of(fleet, LOGIN)
    assert {"make_scratch", "set_up_lnet", "set_persistence"} <= {
        name for name, outcome in outcomes(record).items() if outcome == "skipped"
    }
    assert "/fsx type lustre" in fleet.run_shell(LOGIN, "mount", 20).stdout
    assert "slurmd" not in fleet.run_shell(LOGIN, "ls $BEDPLATE_ROOT/etc/systemd/system", 20).stdout


def test_a_node_whose_user_data_fails_answers_and_takes_no_jobs(
    make_fleet: MakeFleet, node_program: bytes
) -> None:
    """Without the program the record names the step, the agent answers, and Slurm never hears of it."""

    def missing(bucket: str, key: str) -> bytes:
        raise KeyError(key)

    stored: list[str] = []
    fleet = make_fleet(
        nodes=1,
        user_data=bootstrap(node_program),
        fetch=missing,
        put=lambda bucket, key, body: stored.append(key),
    )
    assert not fleet.boot_report(node_id(0)).ok
    assert fleet.answers(node_id(0))
    record = record_of(fleet, node_id(0))
    assert [step.name for step in record.failed] == ["install_program"]
    assert stored == [f"bootstrap/{node_id(0)}/{record.boot_id}.json"]
    assert "State=DOWN" in fleet.run_shell(LOGIN, "scontrol show node gpu-1 -o", 10).stdout


def test_a_node_with_a_failed_step_takes_no_jobs(make_fleet: MakeFleet, node_program: bytes) -> None:
    """One EFA too few for LNet fails the node: it is down in Slurm, and its record says why."""
    kind = "p6-b200.48xlarge"
    fleet = make_fleet(
        fault("efa-device-lost", 0, device=3),
        nodes=2,
        user_data=bootstrap(node_program, kind=kind),
        fetch=lambda bucket, key: node_program,
        instance_type=kind,
    )
    failed = {step.name: step.reason for step in record_of(fleet, node_id(0)).failed}
    assert set(failed) == {"set_up_lnet", "mount_file_systems"}
    assert "7 EFAs carry LNet, 8 are wanted" in failed["set_up_lnet"]
    states = fleet.run_shell(LOGIN, "scontrol show node -o", 10).stdout.splitlines()
    assert ["DOWN" in line for line in states] == [True, False]
    told = [one for one in probe(fleet, node_id(0), kind=kind) if one.check_id == "NOD-002"]
    assert [(one.outcome, one.cause) for one in told] == [(Outcome.FAIL, "bootstrap-incomplete")]


def test_a_script_cannot_reach_the_machine_that_plays_the_node(make_fleet: MakeFleet) -> None:
    """Other programs than stand-ins and harmless tools are not found; no setting leaks in."""
    fleet = make_fleet(nodes=1)
    result = fleet.run_shell(node_id(0), "apt-get install x; iptables -F; env", 10)
    assert result.stderr.count("command not found") == 2
    names = {line.partition("=")[0] for line in result.stdout.splitlines()}
    assert names <= {
        "BEDPLATE_IMDS_ENDPOINT",
        "BEDPLATE_PAUSE_SCALE",
        "BEDPLATE_ROOT",
        "BEDPLATE_SANDBOX_S3",
        "BEDPLATE_SANDBOX_S3_LIST",
        "BEDPLATE_SIMULATED",
        "HOME",
        "HOSTNAME",
        "LANG",
        "PATH",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "TMPDIR",
        "USER",
        "_",
    }


def test_a_script_past_its_deadline_is_killed(make_fleet: MakeFleet) -> None:
    """The result says so, and what was printed before is kept."""
    fleet = make_fleet(nodes=1)
    begun = time.monotonic()
    result = fleet.run_shell(node_id(0), "echo begun; sleep 60", 1)
    assert (result.rc, result.timed_out, result.stdout) == (137, True, "begun\n")
    assert time.monotonic() - begun < 20


def test_faults_follow_the_addresses_and_then_stay(make_fleet: MakeFleet) -> None:
    """Index 1 is the second address; after the first command a replacement is healthy and the fault gone."""
    fleet = make_fleet(fault("xid-64", 1, gpu=2), nodes=2)
    log = "journalctl -k -b 0 --no-pager -o short-iso"
    assert ": 64, " not in fleet.run_shell(node_id(0), log, 10).stdout
    assert ": 64, " in fleet.run_shell(node_id(1), log, 10).stdout
    fleet.terminate(node_id(1))
    fleet.boot(
        "i-0bbbbbbbbbbbbbbbb",
        instance_type="p5en.48xlarge",
        role="compute",
        private_ip="10.0.1.6",
        slurm_name="gpu-2",
        user_data="",
        tags={},
        s3_fetch=lambda bucket, key: b"",
    )
    assert ": 64, " not in fleet.run_shell("i-0bbbbbbbbbbbbbbbb", log, 10).stdout
    with pytest.raises(UnknownNode):
        fleet.run_shell(node_id(1), "true", 5)


def test_what_was_injected_is_recorded_by_instance(make_fleet: MakeFleet) -> None:
    """The record names instances, both ends of a link, and faults that found no node."""
    fleet = make_fleet(fault("link-slow", 0, peer_index=1, speed=0.5), fault("gpu-lost", 7), nodes=2)
    record = injected(fleet)
    assert record["faults"] == [
        {
            "cause": "link-slow",
            "kind": "link",
            "subjects": [node_id(0), node_id(1)],
            "detail": {"peer_index": 1, "speed": 0.5},
        }
    ]
    assert record["unbound"] == [{"cause": "gpu-lost", "node_index": 7, "detail": {"gpu": 0}}]


def test_an_unreachable_node_refuses_commands_while_others_answer(make_fleet: MakeFleet) -> None:
    """The agent is gone, Slurm shows the node down, and its neighbour answers."""
    fleet = make_fleet(fault("node-unreachable", 0), nodes=2)
    with pytest.raises(NodeUnreachable):
        fleet.run_shell(node_id(0), "true", 5)
    assert not fleet.answers(node_id(0))
    assert fleet.run_shell(node_id(1), "hostname", 5).stdout == "ip-10-0-1-6\n"
    assert "State=DOWN" in fleet.run_shell(LOGIN, "scontrol show node -o", 10).stdout


def test_the_metadata_service_answers_by_version_two_only(make_fleet: MakeFleet) -> None:
    """A token is needed, and the node gets its own identity."""
    fleet = make_fleet(nodes=1)
    script = (
        "#!/usr/bin/env python3\n"
        "import os, urllib.error, urllib.request as r\n"
        "base = os.environ['BEDPLATE_IMDS_ENDPOINT'] + '/latest/'\n"
        "try:\n    r.urlopen(base + 'meta-data/instance-id')\n"
        "except urllib.error.HTTPError as error:\n    print(error.code)\n"
        "token = r.urlopen(r.Request(base + 'api/token', method='PUT')).read().decode()\n"
        "asked = r.Request(base + 'meta-data/instance-id', headers={'X-aws-ec2-metadata-token': token})\n"
        "print(r.urlopen(asked).read().decode())\n"
    )
    assert fleet.run_shell(node_id(0), script, 20).stdout.split() == ["401", node_id(0)]


def test_a_boot_that_makes_no_sense_is_refused(make_fleet: MakeFleet, tmp_path: Path) -> None:
    """A role that there is not, an instance that runs, and a type without a row are refused by name."""
    fleet = make_fleet(nodes=1)
    common = {"private_ip": "10.0.1.9", "slurm_name": None, "user_data": "", "tags": {}, "s3_fetch": None}
    with pytest.raises(FleetError, match="role"):
        fleet.boot("i-1", instance_type="p5en.48xlarge", role="controller", **common)
    with pytest.raises(FleetError, match="runs already"):
        fleet.boot(node_id(0), instance_type="p5en.48xlarge", role="compute", **common)
    with pytest.raises(UnknownInstanceType):
        fleet.boot("i-2", instance_type="p9.metal", role="compute", **common)


@pytest.mark.slow
def test_sixty_four_nodes_boot_and_answer(make_fleet: MakeFleet) -> None:
    """A fleet of the largest size comes up whole."""
    fleet = make_fleet(nodes=64)
    shown = fleet.run_shell(LOGIN, "scontrol show node -o", 30).stdout
    assert shown.count("State=IDLE+CLOUD") == 64
