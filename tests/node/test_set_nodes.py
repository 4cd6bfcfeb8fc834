"""``set-nodes``: what it takes, and what it refuses before it asks Slurm for anything."""

from __future__ import annotations

import argparse
import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.set_nodes import Change, ChangesRefusedError, decode_changes, encode_changes, run

DRAIN = Change("gpu-1", "10.0.0.5", "DRAIN", "bedplate act-1: efa-device-lost (EFA-001)")
UNDRAIN = Change("gpu-1", "10.0.0.5", "UNDRAIN", "bedplate act-1:")


def _line(*, state: str = "IDLE+CLOUD", address: str = "10.0.0.5", reason: str = "") -> str:
    told = f" Reason={reason}" if reason else ""
    return f"NodeName=gpu-1 NodeAddr={address} NodeHostName=ip-1 State={state} AllocTRES={told}"


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A program that shows what a test says, and writes down what it is asked to update."""

    def install(line: str, *, rc: int = 0) -> Path:
        asked = tmp_path / "asked"
        program = tmp_path / "scontrol"
        show = f"if [ $1 = show ]; then echo '{line}'; exit {rc}; fi"
        program.write_text(f"#!/bin/sh\n{show}\nprintf '%s\\n' \"$@\" >>{asked}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return asked

    return install


def _run(changes: Sequence[Change]) -> dict[str, Any]:
    return run(argparse.Namespace(changes=encode_changes(changes), slurm=""))


def test_changes_travel_unchanged() -> None:
    """What is encoded is decoded, in letters that the SSM document's pattern takes."""
    assert decode_changes(encode_changes([DRAIN])) == [DRAIN]
    assert set(encode_changes([DRAIN])) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"name": "gpu-1"}],
        [DRAIN.__dict__, UNDRAIN.__dict__],
        [{**DRAIN.__dict__, "name": "gpu-1 State=DOWN"}],
        [{**DRAIN.__dict__, "name": "-r"}],
        [{**DRAIN.__dict__, "name": "gpu-[1-9]"}],
        [{**DRAIN.__dict__, "address": "localhost"}],
        [{**DRAIN.__dict__, "state": "DOWN"}],
        [{**DRAIN.__dict__, "reason": ""}],
        [{**DRAIN.__dict__, "reason": "a\nb"}],
        [{**DRAIN.__dict__, "reason": "$(reboot)"}],
        "gpu-1",
        {"name": "gpu-1"},
    ],
)
def test_a_list_that_is_not_as_it_must_be_is_refused_whole(rows: Any) -> None:
    """One bad row, a list of hosts, or words that are more than text: nothing is changed."""
    with pytest.raises(ChangesRefusedError):
        decode_changes(base64.b64encode(json.dumps(rows).encode()).decode())


def test_an_idle_node_is_drained_with_its_reason(scontrol: Any) -> None:
    """Slurm gets name, state and reason, each as one argument."""
    asked = scontrol(_line())
    body = _run([DRAIN])
    assert asked.read_text().splitlines() == [
        "update",
        "NodeName=gpu-1",
        "State=DRAIN",
        f"Reason={DRAIN.reason}",
    ]
    assert body["changes"][0]["refused"] == ""
    assert body["changes"][0]["update"]["rc"] == 0
    assert "NodeName=gpu-1" in body["after"]["stdout"]


@pytest.mark.parametrize(
    ("change", "line", "word"),
    [
        (DRAIN, _line(address="10.0.0.9"), "another instance"),
        (DRAIN, _line(state="IDLE+CLOUD+DRAIN", reason="by hand [bob@1]"), "drained already"),
        (UNDRAIN, _line(), "not drained"),
        (UNDRAIN, _line(state="IDLE+CLOUD+DRAIN", reason="by hand [bob@1]"), "another reason"),
        (
            UNDRAIN,
            _line(state="IDLE+DRAIN", address="10.0.0.9", reason="bedplate act-1: x"),
            "another instance",
        ),
        (DRAIN, "nothing that can be read", "no"),
    ],
)
def test_what_does_not_agree_is_left_as_it_is(scontrol: Any, change: Change, line: str, word: str) -> None:
    """Another address, another owner, or a Slurm that says nothing: no update is asked for."""
    asked = scontrol(line)
    body = _run([change])
    assert word in body["changes"][0]["refused"]
    assert not asked.exists()


def test_a_listing_that_failed_changes_nothing(scontrol: Any) -> None:
    """A node that scontrol names while it fails is not trusted to be there."""
    asked = scontrol(_line(), rc=1)
    assert _run([DRAIN])["changes"][0]["refused"]
    assert not asked.exists()


def test_our_own_drain_is_lifted(scontrol: Any) -> None:
    """A reason that begins as it was given is ours, with Slurm's stamp behind it."""
    asked = scontrol(_line(state="IDLE+CLOUD+DRAIN", reason="bedplate act-1: efa-device-lost [root@1]"))
    assert _run([UNDRAIN])["changes"][0]["refused"] == ""
    assert asked.read_text().splitlines() == ["update", "NodeName=gpu-1", "State=UNDRAIN"]
