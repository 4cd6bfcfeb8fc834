"""VER-001 and VER-002: versions that go together on a node, and over a pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bedplate.diagnosis.checks import software_versions, version_skew
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type

P, F, E, N = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED
WELL = {
    "kernel": "6.8.0-1021-aws",
    "nvidia-driver": "570.172.08",
    "efa-installer": "1.43.2",
    "efa-driver": "2.17.2g",
    "dcgm": "4.4.1",
    "libfabric": "2.1.0amzn5.0",
    "nccl": "2.27.7",
    "aws-ofi-nccl": "1.16.3",
    "libfabric-api": "2.1",
}


def _node(kind: InstanceType, *, exercised: bool = True, **changes: str) -> Verdict:
    versions = {**WELL, **{name.replace("_", "-"): version for name, version in changes.items()}}
    told = {name: version for name, version in versions.items() if version}
    return software_versions.check(node="i-1", versions=told, exercised=exercised, instance_type=kind)


CASES: list[tuple[str, str, dict[str, Any], Outcome]] = [
    ("well", "p5en.48xlarge", {}, P),
    ("well on B200", "p6-b200.48xlarge", {}, P),
    ("plugin of before B300", "p6-b300.48xlarge", {}, F),
    ("plugin of B300", "p6-b300.48xlarge", {"aws_ofi_nccl": "1.18.0", "nccl": "2.29.2"}, P),
    ("plugin of before B200", "p6-b200.48xlarge", {"aws_ofi_nccl": "1.14.2"}, F),
    ("that plugin elsewhere", "p5en.48xlarge", {"aws_ofi_nccl": "1.14.2"}, P),
    ("driver of before B200", "p6-b200.48xlarge", {"nvidia_driver": "570.124.06"}, F),
    ("first driver of B200", "p6-b200.48xlarge", {"nvidia_driver": "570.133.20"}, P),
    ("known regression", "p5en.48xlarge", {"aws_ofi_nccl": "1.12.0"}, F),
    ("its mend", "p5en.48xlarge", {"aws_ofi_nccl": "1.12.1"}, P),
    ("the other regression", "p5.48xlarge", {"aws_ofi_nccl": "1.11.0"}, F),
    ("libfabric too old", "p5en.48xlarge", {"libfabric": "1.21.0"}, F),
    ("libfabric old enough", "p5en.48xlarge", {"libfabric": "1.22.0amzn4.0"}, P),
    ("NCCL too old", "p5en.48xlarge", {"nccl": "2.16.5"}, F),
    ("no driver told", "p5en.48xlarge", {"nvidia_driver": ""}, E),
    ("an EFA driver of the kernel's", "p5en.48xlarge", {"efa_driver": ""}, P),
    ("no libfabric told", "p5en.48xlarge", {"libfabric": ""}, E),
    ("no NCCL told", "p5en.48xlarge", {"nccl": ""}, E),
    ("no plugin told", "p5en.48xlarge", {"aws_ofi_nccl": ""}, E),
    ("two plugins", "p5en.48xlarge", {"aws_ofi_nccl": "1.16.3, 1.17.0"}, E),
    ("not exercised", "p5en.48xlarge", {"exercised": False, "nccl": "", "aws_ofi_nccl": ""}, N),
    ("not exercised and silent", "p5en.48xlarge", {"exercised": False, "libfabric": ""}, E),
    ("one GPU needs no NCCL", "p5.4xlarge", {"exercised": False, "nccl": "", "aws_ofi_nccl": ""}, P),
]


@pytest.mark.parametrize(("name", "kind", "changes", "outcome"), CASES, ids=[case[0] for case in CASES])
def test_versions_of_a_node_are_held_to_the_table(
    name: str, kind: str, changes: dict[str, Any], outcome: Outcome
) -> None:
    """What the table forbids fails, what is not told is no pass, what it does not know decides nothing."""
    verdict = _node(instance_type(kind), **changes)
    assert verdict.outcome is outcome, f"{name}: {verdict.summary}"
    assert (verdict.cause == "software-incompatible") is (outcome is F)


def test_a_violation_names_both_versions_and_its_source(p5en: InstanceType) -> None:
    """Who mends it must know to what."""
    verdict = _node(p5en, libfabric="1.21.0")
    assert "1.21.0" in verdict.summary
    assert "1.22.0" in verdict.summary
    assert "release notes" in verdict.excerpt


def test_what_is_unusual_is_told_and_passes(p5en: InstanceType) -> None:
    """libfabric of another installer, and NCCL of another series than the plugin was tested with."""
    texts = [each.text for each in _node(p5en, libfabric="2.3.0amzn1.0", nccl="2.29.2").findings]
    assert len(texts) == 2
    assert "EFA installer 1.43.2 brings 2.1.0amzn5.0" in texts[0]
    assert "tested with NCCL 2.27" in texts[1]
    assert not _node(p5en).findings
    assert "EFA driver" in _node(p5en, efa_driver="").findings[0].text


def _pool(versions: Mapping[str, Mapping[str, str]], **changes: Any) -> Verdict:
    return version_skew.check(pool="gpu", versions=versions, **changes)


def _nodes(*changes: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {
        f"i-{index}": {name: version for name, version in {**WELL, **change}.items() if version}
        for index, change in enumerate(changes)
    }


@pytest.mark.parametrize("component", ["kernel", "nvidia-driver", "efa-driver", "efa-installer", "dcgm"])
def test_a_version_that_could_not_be_read_is_no_pass(component: str) -> None:
    """Though one stands beside it; where the type has no EFA, nothing of EFA was asked."""
    without_efa = replace(instance_type("p5.4xlarge"), interfaces=())
    for kind, asked in ((instance_type("p5en.48xlarge"), True), (without_efa, "efa" not in component)):
        verdict = software_versions.check(
            node="i-1",
            versions=WELL,
            exercised=True,
            unread={component: "it ended with status 1"},
            instance_type=kind,
        )
        assert verdict.outcome is (E if asked else P)
        assert (f"{component}: it ended with status 1" in verdict.summary) is asked


POOLS: list[tuple[str, list[dict[str, str]], dict[str, Any], Outcome]] = [
    ("alike", [{}, {}, {}], {}, P),
    ("another driver", [{}, {}, {"nvidia-driver": "580.95.05"}], {}, F),
    ("another plugin", [{}, {}, {"aws-ofi-nccl": "1.17.2"}], {}, F),
    ("half and half", [{}, {"efa-driver": "2.17.3g"}], {}, F),
    ("another kernel", [{}, {}, {"kernel": "6.8.0-1036-aws"}], {}, P),
    ("one not exercised", [{}, {}, {"nccl": "", "aws-ofi-nccl": "", "libfabric-api": ""}], {}, N),
    ("one silent", [{}, {}], {"silent": ["i-9"]}, N),
    ("one at fault already", [{}, {}], {"left_out": ["i-9"]}, N),
    ("skew beside a silent one", [{}, {"nccl": "2.28.3"}], {"silent": ["i-9"]}, F),
    ("one told", [{}], {"silent": ["i-9"]}, N),
    ("none told", [], {"silent": ["i-8", "i-9"]}, N),
    ("nothing told by any", [dict.fromkeys(WELL, ""), dict.fromkeys(WELL, "")], {}, N),
]


@pytest.mark.parametrize(("name", "changes", "others", "outcome"), POOLS, ids=[case[0] for case in POOLS])
def test_nodes_of_a_pool_must_carry_the_same(
    name: str, changes: list[dict[str, str]], others: dict[str, Any], outcome: Outcome
) -> None:
    """What takes part in a collective must be alike on every node; who told nothing is not alike."""
    verdict = _pool(_nodes(*changes), **others)
    assert verdict.outcome is outcome, f"{name}: {verdict.summary}"
    assert verdict.subject == CLUSTER
    assert (verdict.cause == "version-skew") is (outcome is F)


def test_the_odd_node_is_named_and_the_many_are_counted() -> None:
    """The excerpt says which node carries what."""
    odd = {"nvidia-driver": "580.95.05", "kernel": "6.8.0-1036-aws"}
    verdict = _pool(_nodes({}, {}, {}, odd))
    assert verdict.excerpt == "nvidia-driver: 570.172.08 on 3 nodes, 580.95.05 on i-3"
    assert "kernel" in verdict.findings[0].text
