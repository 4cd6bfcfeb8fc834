"""What both ways to run HyperPod say of a pool's group."""

from __future__ import annotations

import pytest

from bedplate.capacity.hyperpod_group import capacity_words, check_words
from tests.slurm.pools import pool


def test_a_way_of_buying_that_hyperpod_has_not_is_refused() -> None:
    """By the pool's name and the source's."""
    assert capacity_words(pool()) == {"CapacityRequirements": {"OnDemand": {}}}
    with pytest.raises(ValueError, match="pool h200: HyperPod cannot launch from a open-reservation"):
        capacity_words(pool(capacity={"source": "open-reservation"}))


def test_each_check_is_named_once() -> None:
    """In the order of the file."""
    assert check_words(["connectivity", "stress", "connectivity"]) == [
        "InstanceConnectivity",
        "InstanceStress",
    ]
