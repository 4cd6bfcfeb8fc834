"""Every alert fires by Prometheus' own rules, at its minute, and is silent where it should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.telemetry.alerts.catalogue import alerts, families
from tests.telemetry.promtool import unit_tests
from tests.telemetry.promtool.all_cases import CASES

FAMILY = {each.name: family for family, members in families().items() for each in members}


def test_each_alert_has_a_case_that_fires_and_one_that_does_not() -> None:
    """Each case is silent without its fault, so one case is both."""
    assert {case.alert for case in CASES} == {each.name for each in alerts()}
    assert all(unit_tests.stays_silent(case) for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.alert)
def test_no_case_is_told_before_its_time(case: object) -> None:
    """An alert holds for as long as its data says before anybody hears of it."""
    from tests.telemetry.promtool.case import Case

    assert isinstance(case, Case)
    assert case.after_minutes >= unit_tests.ALERTS[case.alert].hold_for_minutes


@pytest.mark.real("promtool")
@pytest.mark.parametrize("family", families())
def test_alerts_fire_at_their_minute_and_are_silent_else(family: str, tmp_path: Path) -> None:
    """With the real times: one minute before it is silent, then it names the node and says what is wrong."""
    tests = [
        test
        for case in CASES
        if FAMILY[case.alert] == family
        for test in (unit_tests.fires(case), *unit_tests.stays_silent(case))
    ]
    rules = unit_tests.rules_for({case.alert for case in CASES if FAMILY[case.alert] == family})
    status, said = unit_tests.run(tmp_path, tests, rules=rules)
    assert status == 0, said


@pytest.mark.real("promtool")
def test_a_case_that_is_wrong_is_seen(tmp_path: Path) -> None:
    """promtool compares words and minutes: with another text, or a minute late, the run fails."""
    test, rules = unit_tests.fires(CASES[0]), unit_tests.rules_for([CASES[0].alert])
    test["alert_rule_test"][1]["exp_alerts"][0]["exp_annotations"]["summary"] = "Something else."
    assert unit_tests.run(tmp_path, [test], rules=rules)[0] == 1
    late = unit_tests.fires(CASES[0])
    late["alert_rule_test"][0]["eval_time"] = late["alert_rule_test"][1]["eval_time"]
    assert unit_tests.run(tmp_path, [late], rules=rules)[0] == 1


@pytest.mark.real("promtool")
def test_promtool_takes_the_rule_file(tmp_path: Path) -> None:
    """Also under an environment's own policies for Xids."""
    from bedplate.telemetry.alert_rules import rule_file

    own = rule_file(environment="demo", xid_policies={45: "reset", 999: "replace", 79: "monitor"})
    assert unit_tests.run(tmp_path, [], rules=own)[0] == 0
