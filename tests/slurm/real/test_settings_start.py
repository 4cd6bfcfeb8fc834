"""The settings of each kind are loaded by a real slurmctld without a complaint."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest

from bedplate.node.switch_tree import tree_conf
from bedplate.slurm.settings import cluster_settings
from bedplate.spec.orchestrator import SlurmPcs
from bedplate.spec.slurm_parameters import KINDS
from tests.support.real_slurm.cluster import RealSlurm
from tests.support.real_slurm.log import HARMLESS, unexpected
from tests.support.real_slurm.older import HOST_CANNOT, OLDER_SLURM_CANNOT, loadable
from tests.support.real_slurm.processes import NotReadyError

pytestmark = [
    pytest.mark.real("slurmctld", "munged"),
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd acts for other users only as root"),
]
PARTITION = {"name": "train", "pools": ["h200"], "default": True}


@pytest.mark.parametrize("kind", KINDS)
def test_our_settings_start_without_a_complaint(kind: str, start_slurm: Callable[..., RealSlurm]) -> None:
    """No error and no warning of any daemon, and Slurm has what was written; without accounting."""
    _starts(kind, start_slurm, accounting=False)


@pytest.mark.slow
@pytest.mark.real("slurmdbd", "mariadbd")
@pytest.mark.parametrize("kind", KINDS)
def test_our_settings_start_with_accounting(kind: str, start_slurm: Callable[..., RealSlurm]) -> None:
    """The same with teams and their bounds, before a real database."""
    _starts(kind, start_slurm, accounting=True)


def _starts(kind: str, start_slurm: Callable[..., RealSlurm], *, accounting: bool) -> None:
    asked = {"kind": "slurm-pcs", "partitions": [PARTITION], "accounting": accounting}
    teams = {"teams": [{"name": "vision"}]} if accounting else {}
    settings = cluster_settings(SlurmPcs.model_validate({**asked, **teams}), kind=kind)
    assert not {f"{name}={value}" for name, value in settings.items()} & set(OLDER_SLURM_CANNOT)
    # slurmctld ends without the file, which the head node of a ParallelCluster makes before it.
    tree = tree_conf(dict.fromkeys(("gpu-1", "gpu-2"), ()))
    topology = tree if "TopologyPlugin" in settings else None
    slurm = start_slurm(nodes=2, settings=loadable(settings), accounting=accounting, topology=topology)
    assert slurm.all_complaints() == {}
    shown = slurm.run("scontrol", "show", "config")
    has = {line.split("=", 1)[0].strip().lower(): line.split("=", 1)[1].strip() for line in _rows(shown)}
    assert _same(settings, has) == []
    for unheld in HOST_CANNOT:
        name, value = unheld.split("=", 1)
        assert has.get(name.lower()) != value, f"{unheld} is held here: its row goes"


def test_a_complaint_would_be_seen(start_slurm: Callable[..., RealSlurm]) -> None:
    """A parameter that Slurm no longer has is told in the log, and is no harmless line."""
    slurm = start_slurm(nodes=1, settings={"SchedulerParameters": "bf_window=-5"})
    assert slurm.complaints() != []


@pytest.mark.parametrize("setting", OLDER_SLURM_CANNOT)
def test_what_this_slurm_lacks_it_really_does_not_load(
    setting: str, start_slurm: Callable[..., RealSlurm]
) -> None:
    """slurmctld ends at it; where it does not any more, the row goes and the setting is tried for real."""
    with pytest.raises(NotReadyError, match="slurmctld ended"):
        start_slurm(nodes=1, settings=dict([setting.split("=", 1)]))


def test_what_is_harmless_is_said_with_its_reason() -> None:
    """Each row has a reason, matches no other error, and the host's limits are told."""
    assert all(HARMLESS.values())
    for row in (*OLDER_SLURM_CANNOT.values(), *HOST_CANNOT.values()):
        assert row.source.split(" ")[0].rstrip(",") in ("slurm.conf(5)", "cgroup.conf(5)", "topology.conf(5)")
    assert all(row.why for row in HOST_CANNOT.values())
    line = "[2026-11-30T06:20:20.190] error: Invalid parameter"
    assert unexpected(f"[2026-11-30T06:20:20.190] slurmctld version 22.05.8 started\n{line}") == [line]


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if "=" in line]


def _same(settings: dict[str, str], has: dict[str, str]) -> list[str]:
    """The settings that Slurm shows with another value; it adds units, hours and our pace."""
    return [
        f"{name}: {value} is shown as {has.get(name.lower())}"
        for name, value in settings.items()
        if not set(value.lower().split(",")) <= set(_plain(has.get(name.lower(), "")))
    ]


def _plain(shown: str) -> list[str]:
    return re.sub(r"-00:00:00$", "-0", shown.lower().removesuffix(" sec")).split(",")
