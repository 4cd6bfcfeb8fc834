"""SIMULATED: tests of what is said about nodes, links and the cluster, over judgements made by hand."""

import pytest

from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.validation.fabric.observation import Ended
from bedplate.validation.steps import between_nodes, collective_tests, reference_groups, search_fabric
from bedplate.validation.steps.collective_tests import GroupTest, observation
from tests.validation.steps.small_cluster import context_of, judgement, name, verdicts_of


class Runs:
    """Plays ``run_groups``: ``slow`` nodes and links halve what a group reaches; ``together`` is for all
    nodes.
    """

    def __init__(
        self, monkeypatch, *, slow=(), links=(), hang=(), socket=(), crash=(), together=Outcome.PASS
    ) -> None:
        self.slow, self.links, self.hang, self.socket = set(slow), set(links), set(hang), set(socket)
        self.crash = set(crash)
        self.together = together
        self.all_nodes: list[tuple[str, ...]] = []
        self.collectives: list[str] = []
        self.pairs: list[tuple[str, ...]] = []
        monkeypatch.setattr(search_fabric, "run_groups", self)
        monkeypatch.setattr(between_nodes, "run_groups", self)
        monkeypatch.setattr(reference_groups, "run_groups", self)

    def __call__(self, context, *, groups, scope, collective, **_) -> list[GroupTest]:
        """One test a group."""
        if scope == "all-nodes":
            self.collectives.append(collective)
        return [self._test(tuple(node.node for node in group), scope) for group in groups]

    def _test(self, nodes: tuple[str, ...], scope: str) -> GroupTest:
        (self.all_nodes if scope == "all-nodes" else self.pairs).append(nodes)
        bad = set(nodes) & self.slow or any(set(link) <= set(nodes) for link in self.links)
        seen = judgement(nodes, scope=scope, gb_per_s=180.0 if bad else 370.0)
        if set(nodes) & self.hang:
            seen = judgement(nodes, scope=scope, gb_per_s=None, hung=True)
        elif set(nodes) & self.crash:
            crashed = {"bandwidth": Outcome.FAIL, "bandwidth_cause": "collective-crash"}
            seen = judgement(nodes, scope=scope, gb_per_s=None, transport=Outcome.ERROR, **crashed)
        elif set(nodes) & self.socket:
            seen = judgement(nodes, scope=scope, transport=Outcome.FAIL, cause="efa-fallback-socket")
        elif scope == "all-nodes":
            outcome = Outcome.FAIL if bad else self.together
            seen = judgement(nodes, scope=scope, gb_per_s=180.0 if bad else 370.0, bandwidth=outcome)
        return GroupTest(nodes, seen, "", ("log",), stopped=seen.hung)


def run(context) -> None:
    """The step."""
    between_nodes.check_between_nodes(context)


def test_healthy_nodes_pass_and_run_together(monkeypatch) -> None:
    """One round, one run over all nodes for each collective, the search's own among them; all passes."""
    runs, context = Runs(monkeypatch), context_of()
    run(context)
    assert {one.outcome for one in context.record.verdicts} == {Outcome.PASS}
    assert [len(nodes) for nodes in runs.all_nodes] == [4, 4]
    assert runs.collectives == ["all_reduce", "all_gather"]
    assert len(context.record.rounds) == 1


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("slow", "efa-device-slow"),
        ("hang", "collective-hang"),
        ("socket", "efa-fallback-socket"),
        ("crash", "collective-crash"),
    ],
)
def test_a_bad_node_is_named_with_its_cause_and_kept_out(monkeypatch, fault, cause) -> None:
    """Slow, hanging, on sockets: the search names the node; the run over the others is no proof for all."""
    runs, context = Runs(monkeypatch, **{fault: [name(2)]}), context_of(nodes=8)
    run(context)
    said = verdicts_of(context, "FAB-001")
    assert said[(name(2),)].outcome is Outcome.FAIL
    assert said[(name(2),)].cause == cause
    assert [one for one, verdict in said.items() if verdict.outcome is Outcome.FAIL] == [(name(2),)]
    assert name(2) not in runs.all_nodes[-1]
    together = verdicts_of(context, "NCL-003")[()]
    assert together.outcome is Outcome.NOT_TESTED
    assert "7 of 8 nodes" in together.summary


def test_a_slow_link_that_the_first_round_misses_is_found_by_covering_all(monkeypatch) -> None:
    """All pairs well, all nodes slow: the remaining links are tested, and the bad one is named."""
    Runs(monkeypatch, links=[(name(0), name(3))])
    context = context_of(nodes=8)
    run(context)
    said = verdicts_of(context, "FAB-002")
    assert said[(name(0), name(3))].cause == "link-slow"
    assert said[()].outcome is Outcome.FAIL
    together = verdicts_of(context, "NCL-003")[()]
    assert together.outcome is Outcome.FAIL
    assert together.cause is None
    assert {one.outcome for one in verdicts_of(context, "FAB-001").values()} == {Outcome.PASS}


def test_slowness_without_a_culprit_is_the_configuration(monkeypatch) -> None:
    """Every pair alike, and all nodes together below the floor: nobody is blamed, the configuration is."""
    Runs(monkeypatch, together=Outcome.FAIL)
    context = context_of(nodes=6)
    run(context)
    assert verdicts_of(context, "NCL-003")[()].cause == "slow-together"
    assert {one.outcome for one in verdicts_of(context, "FAB-001").values()} == {Outcome.PASS}
    assert len(context.record.rounds) == 5


def test_all_nodes_on_sockets_is_a_fault_of_the_cluster(monkeypatch) -> None:
    """Nobody passes: no node is blamed, and FAB-002 says what all tests say."""
    Runs(monkeypatch, socket=[name(number) for number in range(4)])
    context = context_of()
    run(context)
    assert verdicts_of(context, "FAB-002")[()].cause == "efa-fallback-socket"
    assert {one.outcome for one in verdicts_of(context, "FAB-001").values()} == {Outcome.ERROR}
    assert verdicts_of(context, "NCL-003")[()].outcome is Outcome.NOT_TESTED


def test_nodes_at_fault_already_and_busy_nodes_are_kept_out(monkeypatch) -> None:
    """A node with a fault of its own, and one that runs a job, are in no test and not passed."""
    runs, context = Runs(monkeypatch), context_of()
    context.record.add([Verdict("GPU-004", Subject("node", (name(0),)), Outcome.FAIL, "x", cause="xid-79")])
    context.record.nodes[1].why_not_loaded = "Slurm says ALLOCATED (a job runs on it); it is left alone"
    run(context)
    tested = {node for nodes in (*runs.pairs, *runs.all_nodes) for node in nodes}
    assert tested == {name(2), name(3)}
    said = verdicts_of(context, "FAB-001")
    assert said[(name(0),)].outcome is Outcome.NOT_TESTED
    assert "GPU-004" in said[(name(0),)].summary
    assert said[(name(1),)].outcome is Outcome.NOT_TESTED
    assert "a job runs on it" in said[(name(1),)].summary


def test_a_waived_fault_does_not_keep_a_node_out(monkeypatch) -> None:
    """Whoever waives a check wants the node used."""
    runs, context = Runs(monkeypatch), context_of(waivers={"GPU-004": "known"})
    context.record.add([Verdict("GPU-004", Subject("node", (name(0),)), Outcome.FAIL, "x")])
    run(context)
    assert name(0) in runs.all_nodes[0]


def test_one_fit_node_makes_no_statement(monkeypatch) -> None:
    """Fewer than two nodes: everything between nodes is not-tested, never passed."""
    runs, context = Runs(monkeypatch), context_of(nodes=2)
    context.record.nodes[1].why_not_loaded = "Slurm says DOWN"
    run(context)
    assert runs.pairs == []
    for check in ("NCL-002", "NCL-003", "FAB-002"):
        assert verdicts_of(context, check)[()].outcome is Outcome.NOT_TESTED
    assert verdicts_of(context, "FAB-001")[(name(0),)].outcome is Outcome.NOT_TESTED


def test_a_silent_scheduler_makes_it_an_error(monkeypatch) -> None:
    """It was to be asked and could not be: error, not not-tested."""
    Runs(monkeypatch)
    context = context_of()
    context.login, context.login_problem = "", "there is no login node"
    for node in context.record.nodes:
        node.why_not_loaded, node.answered = "the scheduler could not be asked", False
    run(context)
    assert verdicts_of(context, "NCL-003")[()].outcome is Outcome.ERROR
    assert "there is no login node" in verdicts_of(context, "NCL-003")[()].summary


@pytest.mark.parametrize("nodes", [2, 4])
def test_a_launcher_that_starts_nothing_is_an_error_and_not_the_fabrics_fault(monkeypatch, nodes) -> None:
    """srun is not there: FAB-001 and FAB-002 are errors with the reason and what to install; none fails."""
    problem = "could not be started: [Errno 2] No such file or directory: 'srun'"

    def nothing(_context, *, groups, **_):
        return [
            GroupTest(tuple(one.node for one in group), None, problem, (), stopped=True) for group in groups
        ]

    monkeypatch.setattr(search_fabric, "run_groups", nothing)
    monkeypatch.setattr(between_nodes, "run_groups", nothing)
    context = context_of(nodes=nodes)
    run(context)
    assert {one.outcome for one in context.record.verdicts} <= {Outcome.ERROR, Outcome.NOT_TESTED}
    for check in ("FAB-001", "FAB-002"):
        for verdict in verdicts_of(context, check).values():
            assert verdict.outcome is Outcome.ERROR
            assert problem in verdict.summary
            assert verdict.cause is None
            assert verdict.remedy.startswith("Install the Slurm client")
    assert not any(one.failed for one in context.record.rounds)
    assert all(one.unheard for one in context.record.rounds)


def test_two_nodes_that_fail_together_do_not_pass_the_links(monkeypatch) -> None:
    """Nobody passed, so that no link was seen to be well."""
    Runs(monkeypatch, hang={name(0)})
    context = context_of(nodes=2)
    run(context)
    assert verdicts_of(context, "FAB-002")[()].outcome is Outcome.ERROR


@pytest.mark.parametrize(("truncated", "judged"), [(False, 0), (True, None)])
def test_a_log_that_was_cut_counts_as_a_run_without_a_status(monkeypatch, truncated, judged) -> None:
    """A status of 0 beside a cut log proves nothing."""
    given = []

    def judge(*, rc, nodes, **_):
        given.append(rc)
        return judgement(nodes)

    monkeypatch.setattr(collective_tests, "judge_collective", judge)
    monkeypatch.setattr(collective_tests, "settle", lambda *_: None)
    job = {"id": "0", "rc": 0, "timed_out": False, "truncated": truncated, "stdout": "", "stderr": ""}
    context = context_of({"run-jobs": lambda *_: {"jobs": [job]}}, nodes=2)
    collective_tests.run_groups(
        context,
        name="x",
        groups=[context.record.nodes],
        collective="all_reduce",
        scope="pair",
        deadline_seconds=1.0,
    )
    assert given == [judged]


def test_what_a_test_shows_is_told_apart() -> None:
    """Not launched or not judged is unknown; a hang, another transport, wrong data are broken."""
    pair = (name(0), name(1))

    def seen(problem: str = "", **made) -> Ended:
        one = judgement(pair, **made) if made else None
        return observation(GroupTest(pair, one, problem, (), stopped=False)).ended

    assert seen("no answer") is Ended.UNKNOWN
    assert seen(launch_failed=True, gb_per_s=None) is Ended.UNKNOWN
    assert seen(gb_per_s=None) is Ended.UNKNOWN
    assert seen(transport=Outcome.ERROR) is Ended.UNKNOWN
    assert seen(hung=True, gb_per_s=None) is Ended.BROKEN
    assert seen(transport=Outcome.FAIL) is Ended.BROKEN
    assert seen(bandwidth=Outcome.NOT_TESTED) is Ended.MEASURED


@pytest.mark.parametrize("told", [True, False])
def test_half_of_the_nodes_slow_alike_blames_nobody_and_names_what_divides_them(monkeypatch, told) -> None:
    """No majority: two groups differ, by the version that divides them so, or by nothing that was read."""
    Runs(monkeypatch, slow=[name(0), name(2)])
    context = context_of(nodes=4)
    for index, node in enumerate(context.record.nodes):
        node.versions = {"libfabric": "2.1" if told and index in (0, 2) else "1.9", "driver": "570"}
    run(context)
    nodes = verdicts_of(context, "FAB-001").values()
    assert not [one for one in nodes if one.outcome is Outcome.FAIL]
    links = verdicts_of(context, "FAB-002")[()]
    assert "two groups of nodes differ" in links.summary
    assert ("libfabric is 2.1 on the first and 1.9 on the others" in links.summary) is told
    wanted = (Outcome.FAIL, "fabric-configuration") if told else (Outcome.ERROR, None)
    assert (links.outcome, links.cause) == wanted
