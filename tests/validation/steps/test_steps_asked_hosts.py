"""SIMULATED: the host names that nodes told in their probe go along with each collective's log."""

from __future__ import annotations

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.steps.collective_tests import GroupTest, run_groups
from tests.validation.steps.simulated_runs import SimulatedRuns
from tests.validation.steps.small_cluster import context_of

# As the simulated runs name them.
NAMES = [f"ip-10-0-0-{index + 1}" for index in range(2)]


def _run(hostnames: list[str]) -> GroupTest:
    context = context_of({"run-jobs": SimulatedRuns(size=2)}, nodes=2)
    for node, hostname in zip(context.record.nodes, hostnames, strict=True):
        node.hostname = hostname
    (test,) = run_groups(
        context,
        name="pairs/0",
        groups=[context.record.nodes],
        collective="all_reduce",
        scope="pair",
        deadline_seconds=60,
    )
    return test


def test_the_log_of_the_nodes_that_were_asked_for_passes() -> None:
    """Whole names as well as short ones; a name that is not known leaves it at counting."""
    for hostnames in (NAMES, [f"{each}.ec2.internal" for each in NAMES], [NAMES[0], ""]):
        judged = _run(hostnames).judgement
        assert judged is not None
        assert judged.transport.outcome is Outcome.PASS, judged.transport.summary


def test_the_log_of_another_node_is_an_error_that_names_it() -> None:
    """Two hosts, all well, and one of them is not the node that was asked for."""
    judged = _run([NAMES[0], "ip-10-0-0-9"]).judgement
    assert judged is not None
    assert {verdict.outcome for verdict in judged.verdicts} == {Outcome.ERROR}
    assert (
        "ranks ran on ip-10-0-0-2, which was not asked, and none on ip-10-0-0-9" in judged.transport.summary
    )
