"""slurmctld's own metrics are switched on where Slurm has them."""

from __future__ import annotations

import pytest

from bedplate.slurm.own_metrics import own_metrics
from bedplate.spec.slurm_parameters import settable

ON = {"MetricsType": "metrics/openmetrics", "CommunicationParameters": "enable_http"}


@pytest.mark.parametrize(
    ("version", "settings", "collects", "expected"),
    [
        ("25.11", {}, True, ON),
        ("26.05", {}, True, ON),
        ("25.05", {}, True, {}),
        ("25.11", {}, False, {}),
        ("25.11", {"MetricsType": "metrics/none"}, True, {}),
        (
            "25.11",
            {"CommunicationParameters": "NoAddrCache"},
            True,
            {**ON, "CommunicationParameters": "NoAddrCache,enable_http"},
        ),
        ("25.11", {"CommunicationParameters": "enable_http"}, True, ON),
    ],
)
def test_they_are_on_from_25_11_where_metrics_are_collected(
    version: str, settings: dict[str, str], collects: bool, expected: dict[str, str]
) -> None:
    """What the environment file has set stays, and what it switches off stays off."""
    assert own_metrics(version=version, settings=settings, collects=collects) == expected


def test_pcs_takes_both_parameters() -> None:
    """It refuses what is not in its list."""
    assert all(settable(name, scope="cluster", kind="slurm-pcs") for name in ON)
