"""The mark of a boot, whose job a prolog lets through, and what a node tells at the gate."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bedplate.node.gate import set_mark
from bedplate.node.gate.mark import read_mark, write_mark
from bedplate.node.gate.memory import Failure, Memory, read_memory
from bedplate.node.gate.names import is_gate_job, plain_reason
from bedplate.node.gate.told import NotToldError, Told, read_told

BOOT = "proc/sys/kernel/random/boot_id"
TOLD = Told("n1", "gpu-1", "ip-10-0-1-5", "h200", "p5en.48xlarge", "", "", (("GPU-001", "7 of 8"),))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node of its own."""
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    (tmp_path / BOOT).parent.mkdir(parents=True)
    (tmp_path / BOOT).write_text("first\n")
    return tmp_path


def test_a_mark_is_of_one_boot(root: Path) -> None:
    """After a reboot it holds good no more, wherever it lies."""
    write_mark(how="pair", told="480 GB/s")
    mark = read_mark()
    assert mark is not None
    assert (mark.how, mark.told) == ("pair", "480 GB/s")
    (root / BOOT).write_text("second\n")
    assert read_mark() is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"boot_id": "first"}', '{"how": "pair", "told": "", "at": ""}']
)
def test_a_mark_that_cannot_be_read_is_none(root: Path, text: str) -> None:
    """The gate stays closed."""
    (root / "run/bedplate").mkdir(parents=True)
    (root / "run/bedplate/gate.json").write_text(text)
    assert read_mark() is None


def test_the_command_opens_and_closes(root: Path) -> None:
    """By hand too, with what a person says."""
    assert set_mark.main(_words("--how", "hand", "--because", "no partner today")) == 0
    mark = read_mark()
    assert mark is not None
    assert mark.told == "no partner today"
    assert set_mark.main(_words("--close")) == 0
    assert read_mark() is None
    assert set_mark.main(_words("--close")) == 0


@pytest.mark.parametrize(
    ("uid", "reservation", "is_ours"),
    [
        ("0", "bedplate-pair-ip-10-0-0-5-gpu-2", True),
        ("0", "bedplate-gate-gpu-2", True),
        ("1000", "bedplate-pair-ip-10-0-0-5-gpu-2", False),
        ("0", "", False),
        ("0", "maintenance", False),
    ],
)
def test_only_roots_jobs_in_a_reservation_of_the_gate_pass(uid: str, reservation: str, is_ours: bool) -> None:
    """A user's job does not, whatever it is called."""
    assert is_gate_job({"SLURM_JOB_UID": uid, "SLURM_JOB_RESERVATION": reservation}) is is_ours
    assert not is_gate_job({})


def test_what_a_node_tells_is_read_as_it_was_told() -> None:
    """Among whatever else a job prints; another node's, an older one and a torn one are refused."""
    assert read_told(f"welcome\n{TOLD.to_json()}\n", node="gpu-1", nonce="n1") == TOLD
    for text, node, nonce in (
        (TOLD.to_json(), "gpu-2", "n1"),
        (TOLD.to_json(), "gpu-1", "n2"),
        (TOLD.to_json()[:-9], "gpu-1", "n1"),
        ("", "gpu-1", "n1"),
        ("{}", "gpu-1", "n1"),
    ):
        with pytest.raises(NotToldError):
            read_told(text, node=node, nonce=nonce)


def test_memory_is_kept_whole_or_begun_anew(tmp_path: Path) -> None:
    """What was written is read; a file that is torn is as none."""
    failure = Failure(("a", "b"), "NCL-003", "slow", 5.0, ("b",), {"a": "2026"}, ("b",))
    memory = Memory([failure], [("a", "c")], {"a": 7.0})
    place = tmp_path / "run/memory.json"
    memory.write(place)
    assert read_memory(place) == memory
    place.write_text(place.read_text()[:40])
    assert read_memory(place) == Memory()
    assert read_memory(tmp_path / "none") == Memory()


def test_a_reason_is_plain_and_short() -> None:
    """Nothing in it that Slurm, or who reads its output, takes for more than text."""
    assert plain_reason("bedplate x: 'a'\nb=c; \"d\"") == "bedplate x: a b c; d"
    assert len(plain_reason("x" * 500)) == 180


def _words(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    set_mark.add_arguments(parser)
    return parser.parse_args(words)
