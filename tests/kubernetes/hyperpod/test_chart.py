"""HyperPod's chart: its values, and what is taken of its files.

The chart itself is nowhere in the repository; a made-up one with the same list stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from bedplate.kubernetes.hyperpod import chart
from bedplate.kubernetes.hyperpod.chart import MPI_OPERATOR, SUB_CHARTS, chart_files, chart_values

KEPT = {"health-monitoring-agent", "deep-health-check", "job-auto-restart", "hyperpod-patching"}
OLDER_AGENT = "charts/health-monitoring-agent-0.1.0.tgz"


def _fetched() -> dict[str, bytes]:
    listed = [
        {"name": each.name, "version": "0.1.0", "condition": ".".join(each.switch)} for each in SUB_CHARTS
    ]
    about: dict[str, Any] = {"apiVersion": "v2", "name": "hyperpod-helm-chart", "dependencies": listed}
    files = {f"charts/{each.folder}/Chart.yaml": b"name: x\n" for each in SUB_CHARTS if each.folder}
    files["charts/mpi-operator/templates/rbac.yaml"] = b"kind: Role\n"
    return {"Chart.yaml": yaml.safe_dump(about).encode(), "values.yaml": b"{}\n", OLDER_AGENT: b"x", **files}


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The made-up chart, with its digest as the pinned one."""
    files = _fetched()
    monkeypatch.setattr(chart, "SHA256", chart.content_digest(files))
    return files


def _switched(values: Mapping[str, Any], switch: tuple[str, ...]) -> object:
    found: Any = values
    for key in switch:
        found = found[key]
    return found


def test_every_sub_chart_is_switched_by_name() -> None:
    """On or off, each once, and the region is told."""
    values = chart_values(region="us-east-2")
    assert {each.name for each in SUB_CHARTS if _switched(values, each.switch)} == KEPT
    assert all(isinstance(_switched(values, each.switch), bool) for each in SUB_CHARTS)
    assert values["global"] == {"region": "us-east-2"}
    assert len({each.switch for each in SUB_CHARTS}) == len(SUB_CHARTS)


@pytest.mark.parametrize(
    "twice",
    ["nvidia-device-plugin", "aws-efa-k8s-device-plugin", "gpu-operator", "mpi-operator", "cert-manager"],
)
def test_nothing_comes_that_bedplate_brings(twice: str) -> None:
    """No second device plugin, DCGM, MPI operator or certificate manager."""
    (found,) = [each for each in SUB_CHARTS if each.name == twice]
    assert _switched(chart_values(region="us-east-2"), found.switch) is False
    assert found.why


def test_what_is_off_is_in_neither_folder_nor_list(fetched: dict[str, bytes]) -> None:
    """Helm refuses a list that names what the folder lacks; the agent is there once."""
    made = chart_files(fetched)
    folders = {path.split("/")[1] for path in made if path.startswith("charts/")}
    assert folders == KEPT
    listed = yaml.safe_load(made["Chart.yaml"])
    assert {each["name"] for each in listed["dependencies"]} == KEPT
    assert listed["name"] == "hyperpod-helm-chart"
    assert made["values.yaml"] == fetched["values.yaml"]
    assert OLDER_AGENT not in made


def test_the_charts_own_mpi_operator_can_be_had(fetched: dict[str, bytes]) -> None:
    """Files, list and value together."""
    made = chart_files(fetched, mpi_operator=True)
    assert "charts/mpi-operator/templates/rbac.yaml" in made
    listed = yaml.safe_load(made["Chart.yaml"])["dependencies"]
    assert {each["name"] for each in listed} == {*KEPT, MPI_OPERATOR}
    assert chart_values(region="us-east-2", mpi_operator=True)["mpi-operator"] == {"enabled": True}


def test_other_files_than_the_pinned_ones_are_refused(fetched: dict[str, bytes]) -> None:
    """A changed byte, a missing file, one too many; with the commit that has the right ones."""
    for wrong in (
        {**fetched, "values.yaml": b"{} \n"},
        {path: content for path, content in fetched.items() if path != "values.yaml"},
        {**fetched, "more.yaml": b""},
    ):
        with pytest.raises(ValueError, match=chart.COMMIT):
            chart_files(wrong)


def test_the_pin_is_a_commit_and_a_digest() -> None:
    """Neither a branch nor a tag, which move."""
    assert len(chart.COMMIT) == 40
    assert len(chart.SHA256) == 64
    assert chart.content_digest({"a": b"x", "b": b"y"}) != chart.content_digest({"a": b"y", "b": b"x"})
