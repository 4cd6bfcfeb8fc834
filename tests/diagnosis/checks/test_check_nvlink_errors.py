"""NVL-002: what NVLinks counted under load."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bedplate.diagnosis.checks import nvlink_errors
from bedplate.diagnosis.gpu_tools import nvlink_errors_argv
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import LinkErrors, parse_dcgmi_nvlink_errors
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import gpu_texts

REPLAY, RECOVERY, FLIT = (4, "Replay Error"), (4, "Recovery Error"), (0, "CRC FLIT Error")
ABSENT: Reading[LinkErrors] = Reading(None, "`dcgmi nvlink` did not run or was killed: No such file")
BLACKWELL = "p6-b200.48xlarge"


def _readings(texts: Mapping[int, str] | None = None, gpus: int = 8) -> list[Reading[LinkErrors]]:
    told = {gpu: gpu_texts.link_errors(gpu) for gpu in range(gpus)} | dict(texts or {})
    return [Reading(parse_dcgmi_nvlink_errors(told[gpu])) for gpu in range(gpus)]


def _check(
    after: list[Reading[LinkErrors]], kind: InstanceType, before: list[Reading[LinkErrors]] | None = None
) -> Verdict:
    earlier = _readings() if before is None else before
    return nvlink_errors.check(node="i-1", before=earlier, after=after, instance_type=kind)


def _sums(gpus: int = 8, **counted: float) -> list[Reading[LinkErrors]]:
    texts = [gpu_texts.link_error_sum(gpu, **counted if gpu == 3 else {}) for gpu in range(gpus)]
    return [Reading(parse_dcgmi_nvlink_errors(text)) for text in texts]


def test_links_that_counted_nothing_pass(p5en: InstanceType) -> None:
    """Zero is what is measured."""
    verdict = _check(_readings(), p5en)
    assert (verdict.outcome, verdict.measured, verdict.excerpt) == (Outcome.PASS, 0, "")


def test_what_was_counted_before_the_load_is_no_error_of_the_load(p5en: InstanceType) -> None:
    """Counters hold from the driver's start."""
    old = {2: gpu_texts.link_errors(2, counted={REPLAY: 9, RECOVERY: 1})}
    assert _check(_readings(old), p5en, _readings(old)).outcome is Outcome.PASS


@pytest.mark.parametrize("counter", [REPLAY, RECOVERY])
def test_growth_of_a_counter_that_should_never_grow_fails(
    p5en: InstanceType, counter: tuple[int, str]
) -> None:
    """GPU, link and counter are named, and how much it grew by."""
    before = _readings({2: gpu_texts.link_errors(2, counted={counter: 3})})
    verdict = _check(_readings({2: gpu_texts.link_errors(2, counted={counter: 8})}), p5en, before)
    assert (verdict.outcome, verdict.cause, verdict.measured) == (Outcome.FAIL, "nvlink-errors", 5)
    assert verdict.excerpt == f"GPU 2 Link 4: {counter[1]} +5"


def test_growth_of_other_counters_is_a_finding(p5en: InstanceType) -> None:
    """Links repair single flits as a matter of course."""
    verdict = _check(_readings({0: gpu_texts.link_errors(0, counted={FLIT: 7})}), p5en)
    assert verdict.outcome is Outcome.PASS
    assert [finding.text for finding in verdict.findings] == ["GPU 0 Link 0: CRC FLIT Error +7 under load"]


def test_blackwell_tells_one_sum_a_gpu() -> None:
    """Link integrity errors fail, error rates are no counts, and receive errors are a finding."""
    kind = instance_type(BLACKWELL)
    assert _check(_sums(Symbol_BER=1e-12), kind, _sums()).outcome is Outcome.PASS
    assert len(_check(_sums(Rx_Error=2), kind, _sums()).findings) == 1
    verdict = _check(_sums(Link_Integrity_Error=2), kind, _sums())
    assert (verdict.cause, verdict.excerpt) == (
        "nvlink-errors",
        "GPU 3 Error Detail: Link Integrity Error +2",
    )


UNUSABLE = [
    pytest.param({1: ABSENT}, "GPU 1: `dcgmi nvlink` did not run", id="did-not-run"),
    pytest.param({1: gpu_texts.link_errors(2)}, "GPU 1: the answer is about GPU 2", id="another-gpu"),
    pytest.param({1: gpu_texts.link_errors(1, links=17)}, "GPU 1: counters of 17 of 18 links", id="links"),
    pytest.param({1: gpu_texts.link_error_sum(1)}, "GPU 1: other counters before than after", id="others"),
    pytest.param({1: None}, "GPU 7: not asked", id="too-few"),
]


@pytest.mark.parametrize(("changes", "words"), UNUSABLE)
@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_counters_that_are_missing_are_an_error(
    p5en: InstanceType, changes: Mapping[int, str | Reading[LinkErrors] | None], words: str, late: bool
) -> None:
    """In either of the two readings; no growth is seen in what was not read."""
    told = _readings()
    for gpu, change in changes.items():
        if change is None:
            told.pop()
        else:
            told[gpu] = change if isinstance(change, Reading) else Reading(parse_dcgmi_nvlink_errors(change))
    verdict = _check(told, p5en) if late else _check(_readings(), p5en, told)
    assert verdict.outcome is Outcome.ERROR
    assert words in verdict.excerpt


def test_a_sum_without_a_counter_that_should_never_grow_is_an_error() -> None:
    """Nothing would be judged."""
    text = gpu_texts.link_error_sum(3).replace("Link Integrity Error", "Tx Error")
    told = _sums()
    told[3] = Reading(parse_dcgmi_nvlink_errors(text))
    verdict = _check(told, instance_type(BLACKWELL), told)
    assert (verdict.outcome, verdict.excerpt) == (
        Outcome.ERROR,
        "GPU 3: none of the counters that should never grow",
    )


def test_counters_that_ran_backwards_prove_nothing(p5en: InstanceType) -> None:
    """The driver was loaded anew, or the GPU was reset, in between."""
    before = _readings({2: gpu_texts.link_errors(2, counted={FLIT: 3})})
    verdict = _check(_readings(), p5en, before)
    assert (verdict.outcome, verdict.excerpt) == (Outcome.ERROR, "GPU 2 Link 0: CRC FLIT Error -3")


def test_growth_on_one_gpu_outweighs_another_that_cannot_be_read(p5en: InstanceType) -> None:
    """What was seen counts."""
    after = _readings({2: gpu_texts.link_errors(2, counted={REPLAY: 1})})
    after[5] = ABSENT
    assert _check(after, p5en).cause == "nvlink-errors"


def test_a_type_without_nvlink_is_not_asked() -> None:
    """One GPU has no other to be linked to."""
    assert _check([], instance_type("p5.4xlarge"), []).outcome is Outcome.NOT_APPLICABLE


def test_each_gpu_is_asked_by_its_number() -> None:
    """As `dcgmi` wants it."""
    assert nvlink_errors_argv(gpu=7) == ("dcgmi", "nvlink", "-e", "-g", "7", "-j")
