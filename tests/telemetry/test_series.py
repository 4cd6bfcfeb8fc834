"""Series of a node, against what a workspace takes."""

from __future__ import annotations

import pytest

from bedplate.hardware import instance_type
from bedplate.hardware.catalogue import INSTANCE_TYPES
from bedplate.node.bootstrap.exporters.units import SERIES_AN_HOUR
from bedplate.telemetry.amp_alarms import DEFAULT_SERIES
from bedplate.telemetry.series import series_of_node

LARGEST_NODES = 1024


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
def test_a_large_cluster_of_any_type_fits_the_quota(name: str) -> None:
    """1,024 nodes with jobs that tell of themselves stay below half of AMP's default, and one node far below
    what its agent sends in an hour.
    """
    series = series_of_node(instance_type(name))
    assert series * LARGEST_NODES < DEFAULT_SERIES / 2
    assert series < SERIES_AN_HOUR / 5


def test_the_number_is_the_hardwares() -> None:
    """32 EFA devices have more counters than 16, and no GPU counts another's links."""
    p5, p5en = series_of_node(instance_type("p5.48xlarge")), series_of_node(instance_type("p5en.48xlarge"))
    assert p5 - p5en == 16 * 23
    assert series_of_node(instance_type("p5en.48xlarge"), jobs_tell=False) < p5en
    assert 1_000 < p5en < 2_500
