"""CloudFormation hands scalars of a custom resource over as strings, and ParallelCluster reads them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.slurm.pools import pool
from tests.support.pcluster.accept import ask

from .conftest import made

pytestmark = pytest.mark.real("pcluster")


def _as_cloudformation_hands_over(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_cloudformation_hands_over(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_cloudformation_hands_over(each) for each in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_strings_in_the_place_of_numbers_and_booleans_are_taken() -> None:
    """The schema takes the configuration with strings alone, and reads in it what it read before."""
    found = made(pool(), pool(name="more", nodes=4))
    handed_over = _as_cloudformation_hands_over(found)
    assert handed_over != found
    answer = ask(handed_over)
    assert answer["refused"] is None
    assert answer["queues"] == ask(found)["queues"]
