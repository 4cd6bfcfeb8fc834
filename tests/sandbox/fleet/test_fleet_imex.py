"""IMEX around jobs on simulated nodes of an UltraServer that were booted by real user data.

SIMULATED: the service and its control program (``bedplate/sandbox/fleet/tools``); the hooks are the real
ones, called as slurmd calls them, on all nodes of the job at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from bedplate.node.bootstrap.places import HOOKS
from bedplate.sandbox.fleet import Fleet
from bedplate.sandbox.fleet.faults import FaultPlan
from bedplate.sandbox.fleet.shell import ShellResult

from .asking import LOGIN
from .conftest import FleetMaker, bootstrap, fault, node_id

GB200 = "p6e-gb200.36xlarge"
NODES = 4
ADDRESSES = [f"10.0.1.{index + 5}" for index in range(NODES)]


@pytest.fixture(scope="module")
def _booted(tmp_path_factory: pytest.TempPathFactory, node_program: bytes) -> Iterator[Fleet]:
    """Four nodes of one UltraServer, as the deployment sets them up."""
    maker = FleetMaker(tmp_path_factory.mktemp("imex"))
    made: Fleet = maker(
        nodes=NODES,
        instance_type=GB200,
        user_data=bootstrap(node_program, kind=GB200),
        login_user_data=bootstrap(node_program, role="login"),
        fetch=lambda bucket, key: node_program,
    )
    for index in range(NODES):
        assert made.boot_report(node_id(index)).summary == "booted"
    yield made
    maker.close()


@pytest.fixture
def fleet(_booted: Fleet) -> Fleet:
    """The same nodes without fault and without drain."""
    _booted.inject(FaultPlan("imex"))
    for index in range(NODES):
        _booted.run_shell(LOGIN, f"scontrol update NodeName=gpu-{index + 1} State=UNDRAIN", 60)
    return _booted


def _hooks(fleet: Fleet, stage: str, job: int, nodes: Sequence[int], shares: str = "NO") -> list[ShellResult]:
    """One hook on each of the job's nodes, all at once."""
    names = ",".join(f"gpu-{index + 1}" for index in nodes)
    told = f"SLURM_JOB_ID={job} SLURM_JOB_NODELIST={names} SLURM_JOB_OVERSUBSCRIBE={shares}"

    def call(index: int) -> ShellResult:
        script = f"SLURMD_NODENAME=gpu-{index + 1} {told} $BEDPLATE_ROOT{HOOKS[stage]}"
        return fleet.run_shell(node_id(index), script, 120)

    with ThreadPoolExecutor(max_workers=len(nodes)) as pool:
        return list(pool.map(call, nodes))


def _peers(fleet: Fleet, index: int) -> list[str]:
    script = 'cat "$BEDPLATE_ROOT/etc/nvidia-imex/nodes_config.cfg"'
    return fleet.run_shell(node_id(index), script, 60).stdout.split()


def _domain(fleet: Fleet, index: int) -> str:
    """The domain's state as the node's own control program says it; empty where the service does not run."""
    said = fleet.run_shell(node_id(index), "nvidia-imex-ctl -N -j", 60)
    return str(json.loads(said.stdout)["status"]) if said.rc == 0 else ""


def _reason(fleet: Fleet, index: int) -> str:
    shown = fleet.run_shell(LOGIN, f"scontrol show node -o gpu-{index + 1}", 60).stdout
    return shown.partition("Reason=")[2].partition(" [")[0] if "DRAIN" in shown else ""


def test_a_jobs_prologs_make_one_domain_and_its_epilogs_end_it(fleet: Fleet) -> None:
    """All four at once; then a job of two, and beside it one of one, each in a domain of its own."""
    done = _hooks(fleet, "prolog", 7, range(NODES))
    assert [(each.rc, each.stderr) for each in done] == [(0, "")] * NODES
    assert [_peers(fleet, index) for index in range(NODES)] == [ADDRESSES] * NODES
    assert [_domain(fleet, index) for index in range(NODES)] == ["UP"] * NODES
    done = _hooks(fleet, "epilog", 7, range(NODES))
    assert [(each.rc, each.stderr) for each in done] == [(0, "")] * NODES
    assert [(_peers(fleet, index), _domain(fleet, index)) for index in range(NODES)] == [([], "")] * NODES
    assert [each.rc for each in (*_hooks(fleet, "prolog", 8, [0, 2]), *_hooks(fleet, "prolog", 9, [3]))] == [
        0
    ] * 3
    assert [_peers(fleet, index) for index in (0, 2, 3)] == [
        [ADDRESSES[0], ADDRESSES[2]],
        [ADDRESSES[0], ADDRESSES[2]],
        [ADDRESSES[3]],
    ]
    assert [_domain(fleet, index) for index in (0, 2, 3)] == ["UP"] * 3
    _hooks(fleet, "epilog", 8, [0, 2])
    _hooks(fleet, "epilog", 9, [3])


def test_a_job_that_shares_its_nodes_changes_nothing(fleet: Fleet) -> None:
    """It starts, without a domain, and its epilog takes nobody else's away."""
    assert [each.rc for each in _hooks(fleet, "prolog", 7, [0, 1])] == [0, 0]
    (done,) = _hooks(fleet, "prolog", 8, [0], shares="OK")
    assert done.rc == 0
    assert "shares its nodes" in done.stderr
    _hooks(fleet, "epilog", 8, [0], shares="OK")
    assert _domain(fleet, 0) == "UP"
    _hooks(fleet, "epilog", 7, [0, 1])


def test_a_job_that_is_queued_again_finds_nothing_of_its_first_start(fleet: Fleet) -> None:
    """The same job on other nodes, one of them as before, whose epilog has not run."""
    _hooks(fleet, "prolog", 7, [0, 1])
    assert [each.rc for each in _hooks(fleet, "prolog", 7, [1, 2])] == [0, 0]
    assert [_domain(fleet, index) for index in (1, 2)] == ["UP", "UP"]
    _hooks(fleet, "epilog", 7, [0, 1, 2])


def test_a_node_without_its_configuration_is_drained_at_once(fleet: Fleet) -> None:
    """With our reason and the check's id; nobody waits for it."""
    config = '"$BEDPLATE_ROOT/etc/nvidia-imex/config.cfg"'
    fleet.run_shell(node_id(3), f"mv {config} {config}.away", 60)
    try:
        (done,) = _hooks(fleet, "prolog", 7, [3])
    finally:
        fleet.run_shell(node_id(3), f"mv {config}.away {config}", 60)
    assert done.rc == 1
    assert _reason(fleet, 3).startswith("bedplate IMX-001 (IMEX): the configuration of nvidia-imex cannot be")


@pytest.mark.slow
def test_the_node_whose_imex_is_down_is_drained_and_its_peers_are_not(fleet: Fleet) -> None:
    """The whole job is queued again for its failed prolog; the others took their time and stay usable."""
    fleet.inject(FaultPlan.from_json({"faults": [fault("imex-down", 2)]}))
    done = _hooks(fleet, "prolog", 7, range(3))
    assert [each.rc for each in done] == [0, 0, 1]
    assert f"{ADDRESSES[2]} is UNAVAILABLE" in done[0].stderr
    assert [_reason(fleet, index) for index in range(3)] == [
        "",
        "",
        "bedplate IMX-001 (IMEX): IMEX of this node is UNAVAILABLE",
    ]
    _hooks(fleet, "epilog", 7, range(3))


def test_a_node_that_was_out_because_slurm_was_silent_is_put_back(fleet: Fleet) -> None:
    """By the next health check, to which Slurm answers; one that was out for its own IMEX stays."""
    for reason, stays in (
        ("bedplate IMX-001 (IMEX, Slurm was silent): Slurm did not say the addresses", False),
        ("bedplate IMX-001 (IMEX): IMEX of this node is UNAVAILABLE", True),
    ):
        drain = f"scontrol update NodeName=gpu-1 State=DRAIN Reason='{reason}'"
        assert fleet.run_shell(LOGIN, drain, 60).rc == 0
        (done,) = _hooks(fleet, "periodic", 7, [0])
        assert done.rc == 0
        assert _reason(fleet, 0) == (reason if stays else "")


def test_nodes_of_other_types_know_nothing_of_it(make_fleet: FleetMaker, node_program: bytes) -> None:
    """Their prolog calls no service, and there is no list."""
    other = make_fleet(nodes=1, user_data=bootstrap(node_program), fetch=lambda bucket, key: node_program)
    settings = other.run_shell(node_id(0), 'cat "$BEDPLATE_ROOT/opt/bedplate/settings.json"', 60).stdout
    assert "imex" not in settings
    (done,) = _hooks(other, "prolog", 7, [0])
    assert done.rc == 0
    for place in ("etc/nvidia-imex", "run/bedplate/imex.json"):
        assert other.run_shell(node_id(0), f'ls "$BEDPLATE_ROOT/{place}"', 60).rc != 0
