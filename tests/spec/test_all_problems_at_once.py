"""One run shows everything that is wrong with a file."""

from __future__ import annotations

from collections.abc import Callable

from bedplate.spec.problems import Problem

Changed = Callable[..., str]
ProblemsOf = Callable[[str], list[Problem]]


def test_shape_and_rules_are_reported_together(changed: Changed, problems_of: ProblemsOf) -> None:
    """A wrong shape in one section does not hide broken rules in others, nor in other pools."""
    text = changed(
        ("region: us-west-2", "regoin: us-west-2\nregion: us-west-2"),
        ("usw2-az2 ", "use1-az2 "),
        ("instance_type: p5en.48xlarge", "instance_type: p5en"),
        ("capacity_gib: 38400", "capacity_gib: 100000"),
        ("retention_days: 150", "retention_days: many"),
        ("pools: [h200]", "pools: [h300]"),
    )
    found = [problem.id for problem in problems_of(text)]
    assert found == ["SPC-002", "NET-001", "ORC-005", "CAP-001", "STO-002", "ORC-002", "SPC-004"]


def test_an_unknown_key_does_not_hide_its_sections_rules(changed: Changed, problems_of: ProblemsOf) -> None:
    """A pool with a key too many is still held against the rules."""
    text = changed(
        ("nodes: 8", "nodes: 65\n    spare: 1"),
        (
            "source: on-demand",
            "source: training-plan\n      plan: arn:aws:sagemaker:us-west-2:123456789012:training-plan/p",
        ),
    )
    assert {problem.id for problem in problems_of(text)} == {"SPC-002", "CAP-004"}


def test_a_wrong_pool_is_still_known_by_name(changed: Changed, problems_of: ProblemsOf) -> None:
    """A partition is not blamed for naming a pool whose shape is wrong."""
    assert [problem.id for problem in problems_of(changed(("nodes: 8", "nodes: eight")))] == ["SPC-004"]


def test_a_misspelt_key_is_one_problem(changed: Changed, problems_of: ProblemsOf) -> None:
    """The key that was meant is not reported as missing beside the one that is unknown."""
    problems = problems_of(changed(("account:", "acount:")))
    assert [problem.remedy for problem in problems] == ["Did you mean 'account'?"]


def test_duplicate_keys_and_rules_are_reported_together(changed: Changed, problems_of: ProblemsOf) -> None:
    """What the YAML reader refuses does not hide what the rules refuse."""
    text = changed(("region: us-west-2", "region: us-west-2\nregion: us-east-1"), ("nodes: 8", "nodes: 0"))
    assert [problem.id for problem in problems_of(text)] == ["SPC-006", "SPC-012"]


def test_every_duplicate_is_reported(changed: Changed, problems_of: ProblemsOf) -> None:
    """A key given three times is two problems, each on its own line."""
    text = changed(("region: us-west-2", "region: us-west-2\nregion: a\nregion: b"))
    assert [(problem.id, problem.line) for problem in problems_of(text)] == [("SPC-006", 7), ("SPC-006", 8)]
