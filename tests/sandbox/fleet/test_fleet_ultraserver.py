"""Simulated GB200 nodes: NVLink between nodes and EFA are two things, and each is forced and proven."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.sandbox.fleet import Fleet

from .asking import collective
from .conftest import MakeFleet, fault

GB200 = "p6e-gb200.36xlarge"


@pytest.fixture(scope="module")
def rack(make_ready: MakeFleet) -> Fleet:
    """Five nodes; the IMEX service of the last is down."""
    return make_ready(fault("imex-down", 4), nodes=5, instance_type=GB200)


@pytest.mark.parametrize("name", ["all_reduce", "all_gather", "alltoall"])
@pytest.mark.parametrize(("path", "check"), [("nvlink", "NCL-004"), ("efa", "NCL-003")])
def test_each_path_reaches_the_floor_that_was_published_for_it(
    rack: Fleet, name: str, path: str, check: str
) -> None:
    """Four nodes, as published: over NVLink several times what EFA carries, and each a pass of its own."""
    judged = collective(rack, range(4), name, kind=GB200, path=path)
    assert judged.bandwidth.check_id == check
    assert judged.outcome is Outcome.PASS, judged.bandwidth.summary
    assert judged.ranks == 16


def test_a_switch_that_does_nothing_is_found_by_its_log(rack: Fleet) -> None:
    """A run over NVLink that is taken for one over EFA is no proof of EFA, and the other way about."""
    for ran, taken_for in (("nvlink", "efa"), ("efa", "nvlink")):
        judged = collective(rack, range(4), "all_reduce", kind=GB200, path=ran, judged_as=taken_for)
        assert judged.transport.outcome is not Outcome.PASS
        assert judged.bandwidth.outcome is not Outcome.PASS


def test_an_imex_domain_that_is_down_fails_nvlink_and_leaves_efa_alone(rack: Fleet) -> None:
    """The domain cannot be used, and the cause says so; EFA between the same nodes passes."""
    over_nvlink = collective(rack, range(1, 5), "all_reduce", kind=GB200, path="nvlink")
    assert (over_nvlink.transport.outcome, over_nvlink.transport.cause) == (Outcome.FAIL, "nvlink-domain-off")
    assert collective(rack, range(1, 5), "all_reduce", kind=GB200, path="efa").outcome is Outcome.PASS
