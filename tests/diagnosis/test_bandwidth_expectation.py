"""What a collective must reach, and on what ground: a table of cases for every rule."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.bandwidth_expectation import (
    BASELINE,
    NAMED_SIZES,
    PUBLISHED,
    RELATIVE,
    Accepted,
    Expectation,
    Reference,
    Shape,
    expectations,
)
from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.verdict import Outcome, Severity
from bedplate.hardware import INSTANCE_TYPES, instance_type
from tests.diagnosis import texts

P5EN = instance_type("p5en.48xlarge")
SIZE = NAMED_SIZES[-1]
ACCEPTED = Accepted(355.0, 64, "run-1")


def _largest(
    nodes: int,
    *,
    collective: str = "all_reduce",
    accepted: Accepted | None = None,
    reference: Reference | None = None,
) -> Expectation:
    stored = () if accepted is None else ((SIZE, accepted),)
    return expectations(shape=Shape(P5EN, collective, nodes), accepted=stored, reference=reference)[-1]


@pytest.mark.parametrize(
    ("nodes", "accepted", "reference", "basis", "floor"),
    [
        (16, None, None, PUBLISHED, 332.4),
        (64, None, None, "", None),
        (64, ACCEPTED, None, BASELINE, 337.2),
        # The higher of both is asked, whichever it is.
        (16, Accepted(300.0, 16, "run-1"), None, PUBLISHED, 332.4),
        (16, Accepted(380.0, 16, "run-1"), None, BASELINE, 361.0),
        # Groups of 16 at 370: 0.8 × 370 × what the wires allow 64 nodes beside 16.
        (64, None, Reference(16, (371.0, 369.0, 370.0, 370.0), 332.4), RELATIVE, 283.6),
        # An absolute bound leaves nothing to groups of another shape.
        (16, None, Reference(8, (400.0, 400.0)), PUBLISHED, 332.4),
        (64, ACCEPTED, Reference(16, (371.0, 369.0), 332.4), BASELINE, 337.2),
        # One group is no median.
        (64, None, Reference(16, (370.0,), 332.4), "", None),
        # Peers of the same shape count beside an absolute bound, where they ask for more.
        (1, None, Reference(1, (480.0, 482.0, 478.0)), PUBLISHED, 434.0),
        (1, None, Reference(1, (490.0, 490.0, 490.0)), RELATIVE, 441.0),
    ],
)
def test_the_highest_ground_counts(
    nodes: int, accepted: Accepted | None, reference: Reference | None, basis: str, floor: float | None
) -> None:
    """Published figure, baseline, groups of the same run: each case by its ground and its bound, GB/s."""
    expected = _largest(nodes, accepted=accepted, reference=reference)
    assert expected.basis == basis
    assert expected.floor_gb_per_s == (None if floor is None else pytest.approx(floor, abs=0.1))


def test_each_bound_says_where_it_comes_from() -> None:
    """Source, run or groups, in one line."""
    assert "topology-aware" in _largest(16).source
    assert "run-1" in _largest(64, accepted=ACCEPTED).source
    groups = _largest(64, reference=Reference(16, (370.0, 370.0), 332.4))
    assert "2 groups of 16" in groups.source
    assert "332.4" in groups.source
    assert groups.anchored
    loose = _largest(64, reference=Reference(32, (360.0, 360.0)))
    assert "no published figure holds for either" in loose.source
    assert not loose.anchored


def test_smaller_sizes_are_never_held_to_groups() -> None:
    """Where bandwidth still rises with the size, more nodes are slower for no fault of theirs."""
    small, large = expectations(
        shape=Shape(P5EN, "all_reduce", 64), reference=Reference(16, (370.0,) * 4, 1.0)
    )
    assert (small.size_bytes, small.basis) == (NAMED_SIZES[0], "")
    assert large.basis == RELATIVE


@pytest.mark.parametrize("kind", INSTANCE_TYPES.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("path", [None, "efa"])
def test_no_bound_is_above_its_ceiling(kind: object, path: str | None) -> None:
    """Whatever the type, nodes, collective and size; groups that are as fast as can be included."""
    assert isinstance(kind, type(P5EN))
    for nodes in (1, 2, 4, 16, 64):
        for collective in ("all_reduce", "all_gather", "reduce_scatter", "alltoall"):
            shape = Shape(kind, collective, nodes, path)
            for each in expectations(shape=shape):
                assert (
                    each.floor_gb_per_s is None
                    or each.ceiling_gb_per_s is None
                    or (each.floor_gb_per_s <= each.ceiling_gb_per_s)
                )
            half = expectations(shape=Shape(kind, collective, max(nodes // 2, 1), path))[-1]
            if half.ceiling is None or nodes < 4:
                continue
            fastest = Reference(nodes // 2, (half.ceiling.value_gb_per_s,) * 2)
            bound = expectations(shape=shape, reference=fastest)[-1]
            assert bound.ceiling is not None
            assert bound.floor_gb_per_s is not None
            assert bound.floor_gb_per_s <= bound.ceiling.value_gb_per_s


def _run(peak: float, *, nodes: int = 20, **changes: object) -> CollectiveJudgement:
    hosts = [f"ip-10-1-0-{index}" for index in range(nodes)]
    return judge_collective(
        log=texts.between_log(hosts=hosts, peak=peak),
        rc=0,
        timed_out=False,
        nodes=[f"i-{index}" for index in range(nodes)],
        instance_type=P5EN,
        **changes,  # type: ignore[arg-type]
    )


def test_a_pass_on_groups_alone_says_that_it_is_relative_only() -> None:
    """It is a pass, its ground is told in a field and in words, and words are louder without any anchor."""
    anchored = _run(360.0, reference=Reference(10, (390.0, 392.0), 332.4)).bandwidth
    assert (anchored.outcome, anchored.basis) == (Outcome.PASS, RELATIVE)
    told = [each for each in anchored.findings if each.text.startswith("Relative only")]
    assert [each.severity for each in told] == [Severity.INFO]
    loose = _run(360.0, reference=Reference(10, (390.0, 392.0))).bandwidth
    assert (loose.outcome, loose.basis) == (Outcome.PASS, RELATIVE)
    told = [each for each in loose.findings if each.text.startswith("Relative only")]
    assert [each.severity for each in told] == [Severity.WARNING]
    assert "bedplate baseline accept" in told[0].remedy


@pytest.mark.parametrize(
    ("peak", "reference", "outcome"),
    [
        (360.0, None, Outcome.NOT_TESTED),
        (280.0, Reference(10, (390.0, 392.0), 332.4), Outcome.FAIL),
        # All slow alike: no group is faster, and the wires could carry far more.
        (200.0, Reference(10, (210.0, 210.0)), Outcome.NOT_TESTED),
    ],
)
def test_what_groups_cannot_prove_is_no_pass(
    peak: float, reference: Reference | None, outcome: Outcome
) -> None:
    """No groups, slower than they, and as slow as they with most of the wires idle."""
    assert _run(peak, reference=reference).bandwidth.outcome is outcome


def test_a_named_size_below_its_floor_fails_the_run_whatever_the_largest_reaches() -> None:
    """1 GiB is judged for itself: latency and protocol show there, and not at 16 GiB."""
    kind = instance_type("p5.48xlarge")
    nics = {"nics": dict.fromkeys(("ip-10-1-0-11", "ip-10-1-0-12"), 32)}
    for value, outcome in ((430.0, Outcome.PASS), (300.0, Outcome.FAIL)):
        log = texts.between_log(peak=487.0, peaks={texts.GIB: (value, value)}, info=nics)
        judged = judge_collective(log=log, rc=0, timed_out=False, nodes=["i-1", "i-2"], instance_type=kind)
        assert judged.bandwidth.outcome is outcome
        assert (f"{value:g} GB/s at 1 GiB" in judged.bandwidth.summary) is (outcome is Outcome.FAIL)


def test_a_run_near_its_baseline_passes_with_a_warning_and_below_it_fails() -> None:
    """95 % is asked, 96.5 % warns."""
    outcomes = {}
    for peak in (355.0, 341.0, 335.0):
        verdict = _run(peak, accepted=((SIZE, ACCEPTED),)).bandwidth
        warned = any(each.severity is Severity.WARNING for each in verdict.findings)
        outcomes[peak] = (verdict.outcome, verdict.basis, warned)
    assert outcomes == {
        355.0: (Outcome.PASS, BASELINE, False),
        341.0: (Outcome.PASS, BASELINE, True),
        335.0: (Outcome.FAIL, BASELINE, False),
    }
