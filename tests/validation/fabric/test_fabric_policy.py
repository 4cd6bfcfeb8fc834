"""Tests of how much proof is asked for."""

import pytest

from bedplate.validation.fabric.policy import Policy


@pytest.mark.parametrize(
    ("nodes", "failures"), [(4, 2), (50, 2), (51, 3), (256, 3), (4096, 3), (5000, 3), (5001, 4)]
)
def test_failures_in_a_row_grow_with_the_logarithm_of_the_nodes(nodes, failures) -> None:
    """ceil(log(2N / risk) / log(1 / f)): 3 at N = 256, f = 1 %, risk 1 %, half of which are the links'."""
    assert Policy().unexplained_failures_of_a_node(nodes) == failures
    assert Policy().failures_of_a_link(nodes) == failures


def test_the_risk_is_kept_by_the_count() -> None:
    """N · f ** r is at most half of the risk, and one failure less would not do."""
    policy = Policy(false_failures=0.02, risk=0.01)
    for nodes in (4, 64, 1024):
        needed = policy.unexplained_failures_of_a_node(nodes)
        assert nodes * policy.false_failures**needed <= policy.risk / 2
        assert needed == 2 or nodes * policy.false_failures ** (needed - 1) > policy.risk / 2


def test_without_noise_one_unexplained_failure_of_two_is_enough() -> None:
    """Then a round that confirms would say nothing new."""
    quiet = Policy(false_failures=0)
    assert (quiet.failures_of_a_node, quiet.unexplained_failures_of_a_node(4096)) == (2, 1)
    assert quiet.failures_of_a_link(4096) == 2
    assert quiet.failures_by_chance(10_000) == 0
    assert Policy().failures_of_a_node == 3


@pytest.mark.parametrize(("nodes", "pairings"), [(2, 1), (4, 3), (8, 4), (12, 4), (13, 2), (4096, 2)])
def test_a_small_cluster_is_paired_more_often_before_its_setting_is_blamed(nodes, pairings) -> None:
    """One bad node in each pair is likely enough among few nodes."""
    assert Policy().pairings_without_a_pass(nodes) == pairings
