"""What the gatekeeper does in Slurm around a pair, with a Slurm and jobs that answer by a table."""

from __future__ import annotations

import fcntl
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.__main__ import main
from bedplate.node.bootstrap.places import GATEKEEPER_LOCK
from bedplate.node.gate.bench import Bench, SlurmSilentError
from bedplate.node.gate.judge import FAILED, NOT_RUN, PASSED, PairVerdict
from bedplate.node.gate.names import WAITS
from bedplate.node.gate.told import Told
from bedplate.node.process import ToolRun
from tests.node.gate.worlds import slurm_node

HELD = ("MAINTENANCE", "RESERVED")
NEW, GOOD = slurm_node("gpu-2", flags=HELD), slurm_node("gpu-1")


class PlayedSlurm:
    """Remembers what it was told; ``refuses`` maps the beginning of a command to what it answers."""

    path = "/usr/bin"

    def __init__(self, *nodes: SlurmNode, shown: str = "No reservations in the system\n") -> None:
        self._nodes, self.shown = nodes, shown
        self.refuses: dict[str, str] = {}
        self.calls: list[str] = []

    def scontrol(self, *words: str, quiet: bool = False) -> ToolRun:
        """Answer; ``quiet`` says nothing here."""
        assert isinstance(quiet, bool)
        line = " ".join(words)
        if line.startswith("show reservations"):
            return ToolRun("scontrol", words, 0, False, False, 0.0, self.shown, "")
        self.calls.append(line)
        why = next((why for begin, why in self.refuses.items() if line.startswith(begin)), "")
        return ToolRun("scontrol", words, 1 if why else 0, False, False, 0.0, "", why)

    def nodes(self, *names: str) -> Sequence[SlurmNode]:
        """Those named, all where none is."""
        wanted = {each for name in names for each in name.split(",")}
        return [node for node in self._nodes if not wanted or node.name in wanted]


class PlayedJobs:
    """What nodes tell, and what a collective comes to."""

    def __init__(self, outcome: str = PASSED, **changes: Any) -> None:
        self.outcome, self.marks_taken, self.marked = outcome, True, list[str]()
        self.told = {
            "gpu-1": _told("gpu-1", mark="pair"),
            "gpu-2": _told("gpu-2"),
            **changes,
        }

    def ask(self, node: SlurmNode, *, reservation: str) -> tuple[Told | None, str]:
        """What it tells, in a reservation of the gate."""
        assert reservation.startswith("bedplate-")
        found = self.told[node.name]
        return (found, "") if isinstance(found, Told) else (None, str(found))

    def mark(self, node: SlurmNode, *, reservation: str, how: str, told: str) -> bool:
        """Taken or not."""
        assert reservation.startswith("bedplate-")
        assert told
        self.marked.append(f"{node.name} {how}")
        return self.marks_taken

    def collective(self, *_: Any, reservation: str) -> PairVerdict:
        """As the test says."""
        assert reservation.startswith("bedplate-pair-")
        return PairVerdict(self.outcome, "NCL-003", "480 GB/s")


def _told(name: str, *, mark: str = "", pool: str = "gpu") -> Told:
    return Told("n", name, name, pool, "p5en.48xlarge", mark, "")


def _bench(slurm: PlayedSlurm, jobs: PlayedJobs) -> Bench:
    return Bench(slurm=cast("Any", slurm), jobs=cast("Any", jobs))


def test_a_pair_that_passes_marks_the_new_node_and_ends_its_reservation() -> None:
    """The partner has its mark already."""
    slurm, jobs = PlayedSlurm(NEW, GOOD), PlayedJobs()
    (tried,) = _bench(slurm, jobs).try_pairs([(NEW, GOOD)])
    assert (tried.verdict.outcome, jobs.marked) == (PASSED, ["gpu-2 pair"])
    made, ended = slurm.calls
    assert "Nodes=gpu-2,gpu-1 Users=root StartTime=now Duration=10 Flags=MAINT" in made
    assert ended.startswith("delete ReservationName=bedplate-pair-")


def test_a_pair_that_fails_marks_nobody() -> None:
    """And its reservation ends as well."""
    slurm, jobs = PlayedSlurm(slurm_node("gpu-2"), GOOD), PlayedJobs(FAILED)
    (tried,) = _bench(slurm, jobs).try_pairs([(NEW, GOOD)])
    assert (tried.verdict.outcome, jobs.marked) == (FAILED, [])
    assert slurm.calls[-1].startswith("delete ReservationName=bedplate-pair-")


def test_a_mark_that_is_not_taken_is_no_pass() -> None:
    """The prolog would go on refusing jobs."""
    slurm, jobs = PlayedSlurm(NEW, GOOD), PlayedJobs()
    jobs.marks_taken = False
    (tried,) = _bench(slurm, jobs).try_pairs([(NEW, GOOD)])
    assert (tried.verdict.outcome, tried.stuck) == (NOT_RUN, ("gpu-2",))


def test_a_partner_that_has_got_a_job_is_busy_and_another_refusal_is_told() -> None:
    """The first is nobody's concern; the second would keep the gate closed, so the node says it."""
    slurm, jobs = PlayedSlurm(NEW, GOOD), PlayedJobs()
    slurm.refuses = {"create": "Error creating the reservation: Requested nodes are busy"}
    (tried,) = _bench(slurm, jobs).try_pairs([(NEW, GOOD)])
    assert (tried.busy, tried.stuck) == (True, ())
    slurm.refuses = {"create": "Error creating the reservation: Access/permission denied"}
    (tried,) = _bench(slurm, jobs).try_pairs([(NEW, GOOD)])
    assert (tried.busy, tried.stuck) == (False, ("gpu-2",))
    assert "permission denied" in tried.verdict.told


def test_of_two_gatekeepers_the_first_goes_on() -> None:
    """The other gives its reservation back and has run nothing."""
    line = "ReservationName={} StartTime=2026-02-03T09:00:0{} Nodes=gpu-[1-2] State=ACTIVE\n"
    slurm, jobs = PlayedSlurm(NEW, GOOD), PlayedJobs()
    bench = _bench(slurm, jobs)
    bench.try_pairs([(NEW, GOOD)])
    own = slurm.calls[-1].partition("=")[2]
    slurm.shown = line.format("bedplate-pair-other-gpu-2", 1) + line.format(own, 2)
    (tried,) = bench.try_pairs([(NEW, GOOD)])
    assert (tried.busy, tried.verdict.told) == (True, "another gatekeeper was first")
    assert slurm.calls[-1] == f"delete ReservationName={own}"
    slurm.shown = line.format("bedplate-pair-other-gpu-2", 3) + line.format(own, 2)
    (tried,) = bench.try_pairs([(NEW, GOOD)])
    assert tried.verdict.outcome == PASSED


def test_nodes_of_two_pools_do_not_fit_and_a_silent_one_is_named() -> None:
    """Neither says anything of the other's health."""
    slurm = PlayedSlurm(NEW, GOOD)
    (tried,) = _bench(slurm, PlayedJobs(**{"gpu-1": _told("gpu-1", pool="other")})).try_pairs([(NEW, GOOD)])
    assert tried.unfit
    (tried,) = _bench(slurm, PlayedJobs(**{"gpu-1": "srun: error: x"})).try_pairs([(NEW, GOOD)])
    assert (tried.stuck, tried.verdict.outcome) == (("gpu-1",), NOT_RUN)


def test_only_the_gates_own_drain_is_lifted_for_a_pair() -> None:
    """Before its jobs, since a drained node takes none."""
    drained = slurm_node("gpu-2", flags=("DRAIN",), reason=f"{WAITS} [root@2026-02-03T09:00:00]")
    slurm = PlayedSlurm(drained, GOOD)
    _bench(slurm, PlayedJobs()).try_pairs([(drained, GOOD)])
    assert slurm.calls[1] == "update NodeName=gpu-2 State=UNDRAIN"


@pytest.mark.parametrize(
    "reason", ["swap a cable", "bedplate GPU-001 (health check): x", "bedplate act-1: x"]
)
def test_a_drain_that_came_meanwhile_keeps_its_reason(reason: str) -> None:
    """Neither written over where the gate would drain, nor lifted where it lets in."""
    slurm = PlayedSlurm(slurm_node("gpu-2", flags=("DRAIN",), reason=reason))
    bench = _bench(slurm, PlayedJobs())
    bench.drain("gpu-2", "bedplate NCL-003 (gate): x")
    assert slurm.calls == []
    bench.release("gpu-2")
    assert slurm.calls == ["delete ReservationName=bedplate-gate-gpu-2"]


def test_a_comment_of_somebody_else_stays() -> None:
    """The gate writes its own alone, and takes it away with the node's release."""
    node = SlurmNode("gpu-2", "", "", "IDLE", HELD, ("gpu",), "gpu:h200:8", "", "", "bought in May")
    slurm = PlayedSlurm(node)
    bench = _bench(slurm, PlayedJobs())
    bench.say(node, "bedplate gate: x")
    bench.release("gpu-2")
    assert slurm.calls == ["delete ReservationName=bedplate-gate-gpu-2"]


def test_only_its_own_leftovers_are_ended() -> None:
    """Another login node's gatekeeper may be at work in its reservation."""
    line = "ReservationName={} StartTime=2026-02-03T09:00:00 Nodes=gpu-1 State=ACTIVE\n"
    slurm, jobs = PlayedSlurm(NEW, GOOD), PlayedJobs()
    bench = _bench(slurm, jobs)
    bench.try_pairs([(NEW, GOOD)])
    own = slurm.calls[-1].partition("=")[2]
    slurm.calls.clear()
    slurm.shown = "".join(
        line.format(name) for name in (own, "bedplate-pair-other-gpu-2", "bedplate-gate-gpu-2", "training")
    )
    bench.clear_leftovers()
    assert slurm.calls == [f"delete ReservationName={own}"]


def test_a_slurm_that_says_nothing_has_nothing_done() -> None:
    """No nodes, or reservations that cannot be read."""
    with pytest.raises(SlurmSilentError, match="shows no nodes"):
        _bench(PlayedSlurm(), PlayedJobs()).view()
    with pytest.raises(SlurmSilentError, match="is no reservation"):
        _bench(PlayedSlurm(NEW, shown="error: no contact\n"), PlayedJobs()).view()


def test_the_command_ends_with_1_where_slurm_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """systemd shows the unit as failed; a second gatekeeper on one host leaves the first alone."""
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["open-gate"]) == 1
    assert "scontrol shows no reservations" in capsys.readouterr().err
    with (tmp_path / GATEKEEPER_LOCK.lstrip("/")).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert main(["open-gate"]) == 0
    assert "another gatekeeper is at work here" in capsys.readouterr().out
