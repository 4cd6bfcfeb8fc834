"""Slurm's hooks on simulated nodes that were booted by real user data: drained by us, and put back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bedplate.node.bootstrap.places import HOOKS
from bedplate.sandbox.fleet import Fleet
from bedplate.sandbox.fleet.faults import FaultPlan
from bedplate.sandbox.fleet.shell import ShellResult

from .asking import LOGIN
from .conftest import FleetMaker, bootstrap, fault, node_id

PROLOG, EPILOG, PERIODIC = (f"$BEDPLATE_ROOT{HOOKS[stage]}" for stage in ("prolog", "epilog", "periodic"))


@pytest.fixture(scope="module")
def _booted(tmp_path_factory: pytest.TempPathFactory, node_program: bytes) -> Iterator[Fleet]:
    """Two nodes as the deployment sets them up."""
    maker = FleetMaker(tmp_path_factory.mktemp("hooked"))
    made: Fleet = maker(
        nodes=2,
        user_data=bootstrap(node_program),
        login_user_data=bootstrap(node_program, role="login"),
        fetch=lambda bucket, key: node_program,
    )
    for index in range(2):
        assert made.boot_report(node_id(index)).summary == "booted"
    yield made
    maker.close()


@pytest.fixture
def fleet(_booted: Fleet) -> Fleet:
    """The same nodes without fault and without drain."""
    _booted.inject(FaultPlan("hooks"))
    return _booted


def _hook(fleet: Fleet, script: str, index: int = 0) -> ShellResult:
    """Call a hook as slurmd does, which gives it the node's name."""
    return fleet.run_shell(node_id(index), f"SLURMD_NODENAME=gpu-{index + 1} {script}", 120)


def _sick(fleet: Fleet, cause: str, **detail: float) -> None:
    fleet.inject(FaultPlan.from_json({"faults": [fault(cause, 0, **detail)]}))


def _reason(fleet: Fleet, name: str = "gpu-1") -> str:
    """Slurm's reason for a drained node; empty where it is not drained."""
    shown = fleet.run_shell(LOGIN, f"scontrol show node -o {name}", 60).stdout
    return shown.partition("Reason=")[2].partition(" [")[0] if "DRAIN" in shown else ""


@pytest.mark.parametrize("script", [PROLOG, EPILOG, PERIODIC])
def test_a_healthy_node_is_left_as_it_is(fleet: Fleet, script: str) -> None:
    """The hook ends well, says nothing, and Slurm has no drain."""
    done = _hook(fleet, script)
    assert (done.rc, done.stderr) == (0, "")
    assert _reason(fleet) == ""


def test_a_node_with_a_lost_gpu_starts_no_job_and_is_drained_with_our_reason(fleet: Fleet) -> None:
    """The prolog ends with 1, the reason names the check; the other node is as it was."""
    _sick(fleet, "gpu-lost", gpu=3)
    done = _hook(fleet, PROLOG)
    assert done.rc == 1
    assert "GPU-001 fail" in done.stderr
    assert _reason(fleet).startswith("bedplate GPU-001 (health check): ")
    assert "7 of 8" in _reason(fleet)
    assert _hook(fleet, PROLOG, 1).rc == 0
    assert _reason(fleet, "gpu-2") == ""


@pytest.mark.parametrize(
    ("reason", "stays"),
    [
        ("bedplate FSX-001 (health check): 1 of 1 file systems are not mounted", False),
        ("bedplate GPU-001 (health check): 7 of 8 GPUs answer", True),
        ("bedplate GPU-001, FSX-001 (health check): 7 of 8 GPUs answer", True),
        ("bedplate act-1: efa-device-lost (EFA-001)", True),
        ("maintenance (health check)", True),
    ],
)
def test_only_what_the_hook_drained_and_may_be_well_again_is_put_back(
    fleet: Fleet, reason: str, stays: bool
) -> None:
    """A file system that answers again; not hardware, not another plan's drain, not a person's."""
    drain = f"scontrol update NodeName=gpu-1 State=DRAIN Reason='{reason}'"
    assert fleet.run_shell(LOGIN, drain, 60).rc == 0
    assert _hook(fleet, PERIODIC).rc == 0
    assert _reason(fleet) == (reason if stays else "")


def test_a_drain_that_is_there_keeps_its_reason(fleet: Fleet) -> None:
    """Sick or not, a person's word is not written over."""
    _sick(fleet, "gpu-lost", gpu=3)
    drain = "scontrol update NodeName=gpu-1 State=DRAIN Reason='power work'"
    assert fleet.run_shell(LOGIN, drain, 60).rc == 0
    assert _hook(fleet, PERIODIC).rc == 1
    assert _reason(fleet) == "power work"


def test_a_login_node_has_no_hooks_and_asks_nothing(fleet: Fleet) -> None:
    """Jobs do not run there; called all the same, the program says so and changes nothing."""
    assert fleet.run_shell(LOGIN, "ls $BEDPLATE_ROOT/opt/bedplate/hooks", 60).rc != 0
    program = "$BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz"
    done = fleet.run_shell(LOGIN, f"python3 {program} health-check --stage prolog", 60)
    assert done.rc == 0
    assert "this is a login node" in done.stderr
