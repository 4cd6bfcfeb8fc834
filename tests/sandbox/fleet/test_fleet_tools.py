"""Stand-ins accept what the node program calls, and refuse everything else as the real tool would."""

from __future__ import annotations

import shlex

import pytest

from bedplate.diagnosis.gpu_tools import NVBANDWIDTH, nvlink_errors_argv, throughput_argv
from bedplate.diagnosis.storage_tools import NFS_DF
from bedplate.diagnosis.tools import PROBE_TOOLS, dcgm_diag_argv, in_node_collective_argv
from bedplate.sandbox.fleet import Fleet

from .conftest import LOGIN, MakeFleet, node_id

SRUN = "srun --nodelist=gpu-1 --nodes=1 --ntasks-per-node=1 --gpus-per-node=8 --exclusive --immediate=1 "


@pytest.fixture(scope="module")
def fleet(make_ready: MakeFleet) -> Fleet:
    """Two healthy nodes."""
    return make_ready(nodes=2)


ACCEPTED = [
    *(argv for argv in PROBE_TOOLS if argv != NFS_DF),
    *(dcgm_diag_argv(level=level) for level in (1, 2, 3, 4)),
]
ACCEPTED += [throughput_argv(model="H200"), NVBANDWIDTH, nvlink_errors_argv(gpu=7)]
ACCEPTED += [
    in_node_collective_argv(collective=name, gpus=8)
    for name in ("all_reduce", "all_gather", "reduce_scatter", "alltoall")
]


@pytest.mark.parametrize("argv", ACCEPTED, ids=" ".join)
def test_every_command_of_the_node_program_is_accepted(fleet: Fleet, argv: tuple[str, ...]) -> None:
    """It ends with 0, prints something, and complains of nothing."""
    result = fleet.run_shell(node_id(0), shlex.join(argv), 20)
    assert (result.rc, result.stderr) == (0, "")
    assert result.stdout.strip()


REFUSED = [
    ("nvidia-smi --query-gpu=index,colour --format=csv", 2),
    ("nvidia-smi --query-gpu=index --format=xml", 2),
    ("nvidia-smi -q", 2),
    ("dcgmi diag -r 9 -j", 255),
    ("dcgmi diag -r 2", 255),
    ("dcgmi health -c", 255),
    ("dcgmi diag -r memory,none -j", 255),
    ("dcgmi diag -r memory -j -p memory.colour=1", 255),
    ("nvbandwidth -t host_to_device_memcpy_ce", 1),
    ("nvidia-imex-ctl -q", 1),
    ("nvidia-imex-ctl -N -j", 1),
    ("dcgmi nvlink -e", 255),
    ("dcgmi nvlink -e -g 8 -j", 255),
    ("fi_info -p tcp", 61),
    ("fi_info --list", 1),
    ("journalctl -k -b -1 -o short-iso", 1),
    ("journalctl -u slurmd", 1),
    ("uname -a", 1),
    ("modinfo -F version floppy", 1),
    ("all_reduce_perf -b 8 -e 16G -f 2 -g 9", 6),
    ("all_reduce_perf -Z 1", 255),
    ("all_reduce_perf -b", 255),
    ("all_reduce_perf -b 8 -e lots", 255),
    ("broadcast_perf -g 9", 6),
    ("df -P -k -t nfs4", 1),
    ("mount -t nfs a b", 1),
    ("modprobe floppy", 1),
    ("aws ec2 describe-instances", 252),
    ("srun --version", 127),
    ("ip link", 255),
    ("blkid /dev/nvme1n1", 4),
    ("blkid -p -o export /dev/nvme99n1", 2),
    ("mdadm --zero-superblock /dev/nvme1n1", 2),
    ("mdadm --create /dev/md/x --level=5 --name=x --uuid=1 --raid-devices=1 /dev/nvme1n1", 2),
    ("mdadm --assemble /dev/md/x --uuid=1:2:3:4 /dev/nvme1n1", 1),
    ("mdadm --detail --export /dev/md9", 1),
    ("mkfs.xfs -f /dev/nvme1n1", 1),
    ("mount -t xfs /dev/nvme1n1 /tmp", 32),
    ("mount -t nfs4 server:/ /tmp", 22),
    ("mount.lustre a b", 1),
    ("systemctl stop slurmd", 1),
    ("systemctl show a.service --property=Colour", 1),
    ("aws s3 cp /a /b", 252),
    ("aws s3 cp /nowhere s3://b/k", 255),
]


@pytest.mark.parametrize(("command", "code"), REFUSED, ids=[command for command, _ in REFUSED])
def test_everything_else_is_refused_with_a_word_and_a_code(fleet: Fleet, command: str, code: int) -> None:
    """No stand-in is silent about what it does not play, and none prints an answer to it."""
    result = fleet.run_shell(node_id(0), command, 20)
    assert result.rc == code
    assert result.stderr.strip()
    assert result.stdout == ""


def test_disks_keep_what_is_put_on_them(make_fleet: MakeFleet) -> None:
    """An array is made of blank disks, formatted once, and refuses to be formatted again."""
    lines = (
        "mdadm --create /dev/md/x --level=0 --name=x --uuid=1:2 --raid-devices=2 /dev/nvme7n1 /dev/nvme8n1",
        "blkid -p -o export /dev/nvme8n1 | grep TYPE",
        "mdadm --detail --export /dev/md127 | grep DEVICES",
        "mkfs.xfs -K -L x /dev/md127 >/dev/null",
        "blkid -p -o export /dev/md/x | grep LABEL",
        "mkfs.xfs /dev/md127",
    )
    result = make_fleet(nodes=2).run_shell(node_id(1), "; ".join(lines), 30)
    assert result.stdout.split() == ["TYPE=linux_raid_member", "MD_DEVICES=2", "LABEL=x"]
    assert "appears to contain an existing filesystem" in result.stderr
    assert result.rc == 1


SLURM_REFUSED = [
    ("srun --nodelist=gpu-1 --colour=red true", 255, "unrecognized option"),
    ("srun --nodelist=gpu-1", 1, "No command"),
    ("srun --nodelist=gpu-9 --immediate=1 true", 1, "Invalid node name specified"),
    ("srun --nodelist=gpu-1,gpu-2 --nodes=1 true", 1, "more nodes than permitted"),
    ("srun --nodelist=gpu-1 --gpus-per-node=9 true", 1, "Requested node configuration is not available"),
    ("srun --nodelist=gpu-1 --partition=cpu true", 1, "Invalid partition name specified"),
    ("srun --nodelist=gpu-1 --mpi=lam true", 1, "plugin"),
    (SRUN + "no-such-program", 2, "No such file or directory"),
    ("scontrol show node gpu-9", 1, "not found"),
    ("scontrol reboot gpu-1", 1, "invalid keyword"),
    ("sinfo --colour", 1, "unrecognized option"),
    ("squeue --me", 1, "takes --noheader"),
    ("nvidia-smi", 127, "command not found"),
]


@pytest.mark.parametrize(("command", "code", "text"), SLURM_REFUSED, ids=[row[0] for row in SLURM_REFUSED])
def test_slurm_refuses_in_its_own_words(fleet: Fleet, command: str, code: int, text: str) -> None:
    """Exit codes and messages are those that a user of Slurm knows."""
    result = fleet.run_shell(LOGIN, command, 20)
    assert result.rc == code
    assert text in result.stderr


def test_a_node_can_be_moved_to_other_partitions(make_fleet: MakeFleet) -> None:
    """Slurm shows them, leaves the field out where there are none, and runs jobs in no other."""
    fleet = make_fleet(nodes=3)
    fleet.put_in_partitions(node_id(1), ("cpu", "debug"))
    fleet.put_in_partitions(node_id(2), ())
    told = fleet.run_shell(LOGIN, "scontrol show node -o", 20).stdout.splitlines()
    shown = [[word for word in line.split() if word.startswith("Partitions=")] for line in told]
    assert shown == [["Partitions=gpu"], ["Partitions=cpu,debug"], []]
    assert "gpu-3" not in fleet.run_shell(LOGIN, "sinfo", 20).stdout
    assert fleet.run_shell(LOGIN, "srun --nodelist=gpu-2 --partition=debug true", 20).rc == 0
    refused = fleet.run_shell(LOGIN, "srun --nodelist=gpu-1 --partition=debug true", 20)
    assert "Requested node configuration is not available" in refused.stderr


def test_srun_runs_a_program_once_a_node_in_its_own_environment(fleet: Fleet) -> None:
    """Each task sees its own host, tree and task number; labels are padded as Slurm pads them."""
    command = (
        "srun --nodelist=gpu-[1-2] --nodes=2 --ntasks-per-node=1 --label "
        "bash -c 'echo $(hostname) $SLURM_PROCID $SLURMD_NODENAME $(cat $BEDPLATE_ROOT/etc/hostname)'"
    )
    lines = sorted(fleet.run_shell(LOGIN, command, 20).stdout.splitlines())
    assert lines == ["0: ip-10-0-1-5 0 gpu-1 ip-10-0-1-5", "1: ip-10-0-1-6 1 gpu-2 ip-10-0-1-6"]


def test_a_task_is_not_led_to_the_callers_services(fleet: Fleet) -> None:
    """The login node's own way to its bucket does not go along with a job."""
    names = ("BEDPLATE_SANDBOX_S3=", "BEDPLATE_SANDBOX_S3_LIST=")
    there = fleet.run_shell(LOGIN, "env", 20).stdout
    on_node = fleet.run_shell(LOGIN, "srun --nodelist=gpu-1 bash -c env", 20).stdout
    assert [name in there for name in names] == [True, True]
    assert "SLURMD_NODENAME=gpu-1" in on_node
    assert [name in on_node for name in names] == [False, False]


def test_srun_returns_the_worst_exit_code_of_its_tasks(fleet: Fleet) -> None:
    """One failing task of two fails the step and is named."""
    command = "srun --nodelist=gpu-1,gpu-2 --nodes=2 bash -c 'exit $((SLURM_PROCID * 7))'"
    result = fleet.run_shell(LOGIN, command, 20)
    assert result.rc == 7
    assert "gpu-2: task 1: Exited with exit code 7" in result.stderr


def test_a_node_with_a_job_is_not_given_to_another(fleet: Fleet) -> None:
    """While a job runs the node is shown as allocated and is refused; afterwards it is idle again."""
    command = (
        "srun --nodelist=gpu-1 --nodes=1 sleep 3 & sleep 1; scontrol show node gpu-1 -o; " + SRUN + "true; "
        "echo refused=$?; wait; scontrol show node gpu-1 -o"
    )
    result = fleet.run_shell(LOGIN, command, 30)
    assert "State=ALLOCATED" in result.stdout.splitlines()[0]
    assert "refused=1" in result.stdout
    assert "Requested nodes are busy" in result.stderr
    assert "State=IDLE" in result.stdout.splitlines()[-1]


def test_a_killed_job_leaves_its_nodes_free(fleet: Fleet) -> None:
    """Even after SIGKILL the node is idle, since what held it is gone."""
    command = (
        "srun --nodelist=gpu-2 --nodes=1 sleep 60 & pid=$!; sleep 1; kill -9 $pid; sleep 0.3; "
        "scontrol show node gpu-2 -o"
    )
    assert "State=IDLE" in fleet.run_shell(LOGIN, command, 30).stdout


def test_a_users_job_and_a_down_node_are_refused(make_fleet: MakeFleet) -> None:
    """Nodes that are occupied by a user, or down, are never taken."""
    from .conftest import fault

    fleet = make_fleet(fault("node-unreachable", 1), nodes=2)
    fleet.occupy(node_id(0))
    busy = fleet.run_shell(LOGIN, SRUN + "true", 20)
    down = fleet.run_shell(LOGIN, SRUN.replace("gpu-1", "gpu-2") + "true", 20)
    assert (busy.rc, down.rc) == (1, 1)
    assert "Requested nodes are busy" in busy.stderr
    assert "Required node not available" in down.stderr


def test_squeue_names_the_jobs_that_run(fleet: Fleet) -> None:
    """A job has its name and what is left of its time; when it has ended there is none."""
    argv = "--noheader '--format=%L|%j'"
    sleeping = "srun --nodelist=gpu-1 --job-name=bedplate-abc-1 --time=5 sleep 2 &"
    seen = f"for try in $(seq 40); do squeue {argv} | grep . && break; sleep 0.05; done"
    result = fleet.run_shell(LOGIN, f"{sleeping} {seen}; wait; echo ended; squeue {argv}", 30)
    left, name = result.stdout.splitlines()[0].split("|")
    assert name == "bedplate-abc-1"
    assert left == "5:00" or left.startswith("4:")
    assert result.stdout.splitlines()[1:] == ["ended"]
