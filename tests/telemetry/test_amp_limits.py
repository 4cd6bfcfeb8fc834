"""What AMP takes of rules and of an alert manager's definition."""

from __future__ import annotations

import yaml

from bedplate.hardware.xids.policy import POLICIES
from bedplate.telemetry.alert_rules import rule_file
from tests.telemetry.alertmanager import definition

_FILE_BYTES = 1_000_000
"""Of a rule groups namespace, and of an alert manager's definition (AMP user guide, quotas)."""
_RULES_A_GROUP = 20
"""The default of Cortex, on which AMP rests; AMP's own figure is higher. Small groups are evaluated beside
each other.
"""
_ROUTES, _INHIBITIONS = 100, 100


def _files() -> list[str]:
    every = dict(zip(range(1, 200), POLICIES * 40, strict=False))
    return [rule_file(environment="demo"), rule_file(environment="e" * 40, xid_policies=every)]


def test_the_rule_file_is_small_enough() -> None:
    """Also with a policy of its own for each Xid; a text over a tenth of the limit would be a surprise."""
    assert all(len(text.encode()) < _FILE_BYTES / 10 for text in _files())


def test_no_group_has_more_rules_than_an_evaluator_takes() -> None:
    """Groups have names of their own, and are none of them empty."""
    for text in _files():
        groups = yaml.safe_load(text)["groups"]
        assert all(0 < len(group["rules"]) <= _RULES_A_GROUP for group in groups)
        assert len({group["name"] for group in groups}) == len(groups)


def test_the_definition_is_small_enough() -> None:
    """Bytes, routes and inhibitions."""
    config = definition()
    assert len(yaml.safe_dump(config).encode()) < _FILE_BYTES / 10
    assert len(config["route"]["routes"]) < _ROUTES
    assert len(config["inhibit_rules"]) < _INHIBITIONS


def test_groups_are_keyed_by_labels_that_are_bounded() -> None:
    """AMP takes a thousand groups at once: one a node and one a sort of alert, never one a GPU."""
    config = definition()
    keys = {label for route in (config["route"], *config["route"]["routes"]) for label in route["group_by"]}
    assert keys == {"alertname", "environment", "cluster", "node"}
