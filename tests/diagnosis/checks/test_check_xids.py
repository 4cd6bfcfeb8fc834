"""GPU-004: what each XID means for the node."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.checks import gpu_xid
from bedplate.diagnosis.expected import XidPolicy
from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from tests.diagnosis import gpu_texts, texts


def _ask(*messages: str, boot: bool = True, problem: str = "") -> Verdict:
    log = parse_kernel_log(texts.kernel_log(*messages, boot=boot))
    return gpu_xid.check(node="i-1", log=Reading(log, problem))


def _xid(code: int, rest: str = "pid=1, name=a", device: str = "0000:53:00") -> str:
    return f"NVRM: Xid (PCI:{device}): {code}, {rest}"


def test_a_log_of_the_whole_boot_without_xids_passes() -> None:
    """Silence since the kernel's first line."""
    assert _ask("usb 1-1: new device").outcome is Outcome.PASS


def test_silence_of_a_partial_log_proves_nothing() -> None:
    """Without the kernel's first line, with a tool that ended badly, or without a log, there is no pass."""
    assert _ask("usb 1-1: new device", boot=False).outcome is Outcome.ERROR
    assert _ask(problem="journalctl ended with status 1").outcome is Outcome.ERROR
    assert gpu_xid.check(node="i-1", log=Reading(None, "no rights")).outcome is Outcome.ERROR


@pytest.mark.parametrize("code", [48, 62, 64, 74, 79, 95, 119, 120, 140])
def test_codes_that_ask_for_a_reset_or_more_fail(code: int) -> None:
    """Each names its own cause, also in a log that is partial."""
    for boot in (True, False):
        verdict = _ask(_xid(code), boot=boot)
        assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, f"xid-{code}")
        assert verdict.remedy


@pytest.mark.parametrize(
    ("code", "severity"), [(63, "warning"), (94, "warning"), (13, "warning"), (31, "warning"), (43, "info")]
)
def test_milder_codes_are_findings_on_a_pass(code: int, severity: str) -> None:
    """A remapped row, a contained error, an application's fault."""
    verdict = _ask(_xid(code))
    assert verdict.outcome is Outcome.PASS
    assert [finding.severity.value for finding in verdict.findings] == [severity]


def test_xid_63_asks_for_a_reboot_in_the_next_window() -> None:
    """It is the success event: the row becomes active at the next reset."""
    assert _ask(_xid(63)).findings[0].remedy == "Reboot the node in the next window."


def test_xid_45_follows_the_other_xid_on_its_gpu() -> None:
    """Alone it is an application's matter; beside another it says nothing of its own."""
    alone = _ask(_xid(45))
    assert (alone.outcome, alone.findings[0].severity.value) == (Outcome.PASS, "warning")
    beside = _ask(_xid(79), _xid(45))
    assert beside.cause == "xid-79"
    assert "follows another" in beside.findings[0].text
    elsewhere = _ask(_xid(79), _xid(45, device="0000:54:00"))
    assert "follows another" not in elsewhere.findings[0].text


def test_a_45_is_excused_by_another_only_where_that_one_is_there() -> None:
    """`caused by previous Xid 79` excuses nothing in a log without a 79."""
    rest = "pid=1, name=a, caused by previous Xid 79"
    assert "follows another" not in _ask(_xid(45, rest)).findings[0].text
    assert "follows another" in _ask(_xid(45, rest), _xid(79)).findings[0].text


def test_no_code_but_45_is_excused_by_another() -> None:
    """Two events that name each other, or a 45, as their cause must not excuse each other away."""
    assert _ask(_xid(45), _xid(95, "caused by previous Xid 45")).cause == "xid-95"
    both = _ask(_xid(95, "caused by previous Xid 48"), _xid(48, "caused by previous Xid 95"))
    assert (both.outcome, both.measured) == (Outcome.FAIL, 2)


@pytest.mark.parametrize(
    ("number", "words", "outcome"),
    [
        ("0x0", "None", Outcome.PASS),
        ("0x1", "GPU Reset Required", Outcome.FAIL),
        ("0x2", "Node Reboot Required", Outcome.FAIL),
        ("0x4", "Drain and Reset", Outcome.FAIL),
    ],
)
def test_xid_154_is_obeyed(number: str, words: str, outcome: Outcome) -> None:
    """The driver says what the GPU needs; None means that it needs nothing any more."""
    verdict = _ask(_xid(154, f"GPU recovery action changed from 0x0 (None) to {number} ({words})"))
    assert verdict.outcome is outcome
    assert verdict.cause == (None if outcome is Outcome.PASS else "xid-154")


def test_a_fatal_link_event_that_leaves_the_decision_to_xid_154_is_no_pass_without_one() -> None:
    """NVIDIA's table says to do what XID 154 says; in a log without it nothing says that the GPU is well."""
    event = _xid(145, "RLW_REMAP Fatal XC0 i0 Link 01 (0x00000000 0x00000004 0x0 0x0 0x0 0x0)")
    assert _ask(event).outcome is Outcome.ERROR
    action = "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"
    assert _ask(event, _xid(154, action)).outcome is Outcome.PASS
    assert _ask(event, _xid(154, action, device="0000:54:00")).outcome is Outcome.ERROR
    assert _ask(event.replace("Fatal", "Nonfatal")).outcome is Outcome.PASS


def test_the_root_is_named_before_what_repeats_it() -> None:
    """XID 154 asks for the reset that another XID is the reason of."""
    verdict = _ask(
        _xid(154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"), _xid(119)
    )
    assert verdict.cause == "xid-119"
    assert [finding.severity.value for finding in verdict.findings] == ["critical"]


def test_a_gpu_off_the_bus_without_an_xid_is_a_lost_gpu() -> None:
    """And with its XID 79 the XID is the cause, once."""
    line = "NVRM: GPU 0000:53:00.0: GPU has fallen off the bus."
    assert _ask(line).cause == "gpu-lost"
    both = _ask(_xid(79, "pid=1, name=a, GPU has fallen off the bus."), line)
    assert (both.cause, both.measured) == ("xid-79", 1)


def test_switch_events_fail_where_they_are_fatal() -> None:
    """Non-fatal is a finding, unknown gravity is an error."""
    start = "nvidia-nvswitch2: SXid (PCI:0000:85:00.0): "
    assert _ask(f"{start}20034, Fatal, Link 3").cause == "sxid-20034"
    assert _ask(f"{start}12028, Non-fatal, Link 61").outcome is Outcome.PASS
    assert _ask(f"{start}12028, Link 61").outcome is Outcome.ERROR


def test_what_nobody_knows_is_no_pass() -> None:
    """A code outside the catalogue, and a line that cannot be read."""
    assert _ask(_xid(9999)).outcome is Outcome.ERROR
    assert _ask("NVRM: Xid (GPU#3): seventy-nine").outcome is Outcome.ERROR


def _under(policies: list[XidPolicy], *messages: str) -> Verdict:
    log = parse_kernel_log(texts.kernel_log(*messages))
    return gpu_xid.check(node="i-1", log=Reading(log), policies=policies)


@pytest.mark.parametrize("policy", ["reset", "reboot", "replace"])
def test_an_environment_may_be_stricter(policy: str) -> None:
    """EC2's own agent replaces after 63, where NVIDIA says ignore."""
    verdict = _under([XidPolicy(63, policy, "as EC2 does")], _xid(63))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "xid-63")
    assert f"this environment says {policy}: as EC2 does" in verdict.summary


@pytest.mark.parametrize("policy", ["ignore", "monitor", "restart-app"])
def test_an_environment_may_be_milder_and_it_shows(policy: str) -> None:
    """The event stays on the page, with the policy and its reason."""
    verdict = _under([XidPolicy(119, policy, "a known driver")], _xid(119))
    assert verdict.outcome is Outcome.PASS
    assert [each.severity.value for each in verdict.findings] == ["warning"]
    assert "a known driver" in verdict.findings[0].text


def test_a_policy_counts_for_its_code_alone() -> None:
    """The other XID of the log fails as ever."""
    verdict = _under([XidPolicy(119, "ignore", "a known driver")], _xid(119), _xid(64))
    assert (verdict.cause, verdict.measured) == ("xid-64", 1)


def test_a_policy_makes_a_code_known_that_no_catalogue_has() -> None:
    """Newer than the table: the operator's word is all there is."""
    assert _under([], _xid(998)).outcome is Outcome.ERROR
    assert _under([XidPolicy(998, "monitor", "new in driver 600")], _xid(998)).outcome is Outcome.PASS
    assert _under([XidPolicy(998, "replace", "new in driver 600")], _xid(998)).cause == "xid-998"


def test_what_follows_another_xid_stays_a_consequence() -> None:
    """A stricter policy for 45 is for one that stands alone."""
    policies = [XidPolicy(45, "replace", "we want to know")]
    assert _under(policies, _xid(45)).cause == "xid-45"
    beside = _under(policies, _xid(79), _xid(45))
    assert (beside.cause, beside.measured) == ("xid-79", 1)


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("None", Outcome.PASS),
        ("N/A", Outcome.PASS),
        ("Drain P2P", Outcome.PASS),
        ("Reset", Outcome.FAIL),
        ("Reboot", Outcome.FAIL),
        ("Drain and Reset", Outcome.FAIL),
        ("Something New", Outcome.FAIL),
    ],
)
def test_what_the_driver_asks_for_now_counts_without_a_line(word: str, outcome: Outcome) -> None:
    """A log that was cut or rotated may have lost the XID; the driver has not."""
    details = Reading(parse_nvidia_smi_xml(gpu_texts.gpu_details(changes={2: {"gpu_recovery_action": word}})))
    log = Reading(parse_kernel_log(texts.kernel_log()))
    verdict = gpu_xid.check(node="i-1", log=log, details=details)
    assert verdict.outcome is outcome
    assert verdict.cause == ("xid-154" if outcome is Outcome.FAIL else None)


@pytest.mark.parametrize("problem", ["`nvidia-smi -q -x` ended with status 15: x", "it is empty"])
def test_a_driver_that_cannot_be_asked_leaves_no_pass(problem: str) -> None:
    """What it would ask for now is not known; a record beside a bad status is no better."""
    log = Reading(parse_kernel_log(texts.kernel_log()))
    for record in (None, parse_nvidia_smi_xml(gpu_texts.gpu_details())):
        verdict = gpu_xid.check(node="i-1", log=log, details=Reading(record, problem))
        assert verdict.outcome is Outcome.ERROR
        assert problem in verdict.summary


def test_a_log_without_its_end_is_no_pass() -> None:
    """What follows the place at which it breaks off is not known; what stands before it still counts."""
    whole = texts.kernel_log(_xid(13), _xid(64)).splitlines()
    told = [
        gpu_xid.check(node="i-1", log=Reading(parse_kernel_log("\n".join(whole[:lines]))))
        for lines in range(2, len(whole))
    ]
    assert [verdict.outcome for verdict in told] == [Outcome.ERROR, Outcome.ERROR, Outcome.FAIL]
    assert "no end mark" in told[0].summary


def test_two_boots_are_two_events() -> None:
    """The same fault before and after a reboot is told twice, and both count."""
    log = parse_kernel_log(texts.kernel_log(_xid(64)) + texts.kernel_log(_xid(64), _xid(64)))
    assert [(event.code, event.boot, event.count) for event in log.events] == [(64, 1, 1), (64, 2, 2)]
    assert gpu_xid.check(node="i-1", log=Reading(log)).measured == 2
