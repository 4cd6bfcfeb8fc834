"""Nodes are judged by the interfaces that their pool was deployed with, not by what the type usually has."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bedplate.manifest import PoolManifest
from bedplate.validation.record import Node
from tests.validation.steps.small_cluster import POOL


def _pool(*, efas: int, instance_type: str = "p6e-gb200.36xlarge") -> PoolManifest:
    data = POOL.model_dump()
    return PoolManifest.model_validate(
        {**data, "instance_type": instance_type, "expected_gpus_per_node": 4, "expected_efas_per_node": efas}
    )


@pytest.mark.parametrize(("efas", "gbps"), [(4, 400), (8, 200)])
def test_a_node_has_its_pools_efas(efas: int, gbps: int) -> None:
    """A GB200 pool of 8 EFAs must show 8, and is as fast between nodes as one of 4."""
    hardware = Node("i-1", _pool(efas=efas), "10.0.0.5").hardware
    assert (hardware.efa_count, hardware.efa_gbps_each, hardware.lnet_efa_count) == (efas, gbps, efas)
    assert hardware.efa_gbps_total == 1600


def test_a_number_of_efas_that_no_layout_has_is_refused() -> None:
    """A manifest that was written for something else is not read as if it were right."""
    with pytest.raises(ValidationError, match="no layout save-addresses with 15 EFAs"):
        _pool(efas=15, instance_type="p5en.48xlarge")


def test_types_that_are_not_known_have_no_row() -> None:
    """The manifest of a newer version is read; its type has no hardware to judge by."""
    pool = _pool(efas=3, instance_type="p9.48xlarge")
    with pytest.raises(LookupError):
        _ = pool.hardware
