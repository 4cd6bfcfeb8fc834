"""What a node's probe tells of its software, and what of it is no answer."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis import tools
from bedplate.diagnosis.told_versions import read_versions
from tests.diagnosis import answers, texts

NO_INSTALLER = {"efa_installed_packages": None}


def test_versions_are_told_where_they_are_known() -> None:
    """Kernel, driver, EFA, DCGM, libfabric; nothing is missing of a node without EFA's installer."""
    told = read_versions(answers.probe_answer())
    assert told.versions == {
        "kernel": "6.8.0-1021-aws",
        "nvidia-driver": "570.172.08",
        "efa-driver": "2.17.2g",
        "dcgm": "4.3.1",
        "libfabric": "2.1.0amzn5.0",
    }
    assert told.unread == {}
    listed = {"efa_installed_packages": "# EFA installer version: 1.43.2\n# Packages installed\n"}
    assert read_versions(answers.probe_answer(files=listed)).versions["efa-installer"] == "1.43.2"


def test_an_answer_that_holds_nothing_tells_nothing_and_says_so() -> None:
    """Every component has its reason."""
    told = read_versions({})
    assert told.versions == {}
    assert set(told.unread) == {"kernel", "nvidia-driver", "efa-driver", "efa-installer", "dcgm", "libfabric"}


@pytest.mark.parametrize(
    ("argv", "component"),
    [
        (tools.UNAME, "kernel"),
        (tools.EFA_DRIVER_VERSION, "efa-driver"),
        (tools.DCGM_VERSION, "dcgm"),
        (tools.LIBFABRIC_VERSION, "libfabric"),
        (tools.NVIDIA_SMI, "nvidia-driver"),
    ],
)
@pytest.mark.parametrize("how", ["missing", "bad status", "timed out", "noise", "cut"])
def test_a_tool_that_gave_no_answer_leaves_its_version_unread(
    argv: tuple[str, ...], component: str, how: str
) -> None:
    """Missing, ended badly, past its deadline, talking of something else, or broken off within its line."""
    healthy = next(run for run in answers.probe_answer()["tools"] if run["argv"] == list(argv))
    run: Any = {
        "missing": None,
        "bad status": {**healthy, "rc": 1},
        "timed out": {**healthy, "rc": None, "timed_out": True},
        "noise": "Segmentation fault\n",
        "cut": healthy["stdout"][: len(healthy["stdout"].split("\n2.1")[0]) // 2],
    }[how]
    assert set(read_versions(answers.probe_answer(runs={argv: run})).unread) == {component}


def test_the_kernels_own_efa_driver_tells_no_version() -> None:
    """modinfo ends well and prints nothing: that is an answer."""
    told = read_versions(answers.probe_answer(runs={tools.EFA_DRIVER_VERSION: ""}))
    assert "efa-driver" not in told.versions
    assert told.unread == {}
    refused = texts.tool(tools.EFA_DRIVER_VERSION, "", rc=1)
    assert set(read_versions(answers.probe_answer(runs={tools.EFA_DRIVER_VERSION: refused})).unread) == {
        "efa-driver"
    }


@pytest.mark.parametrize("files", [{}, {"efa_installed_packages": ""}, {"efa_installed_packages": "EFA in"}])
def test_a_list_of_the_installer_without_a_version_is_no_answer(files: dict[str, Any]) -> None:
    """An image without the installer has no list at all, which the probe says as null."""
    assert set(read_versions(answers.probe_answer(files=files)).unread) == {"efa-installer"}
    assert read_versions(answers.probe_answer(files=NO_INSTALLER)).unread == {}
