"""What a deploy left behind, and who can be validated."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.errors import AwsRefused, UsageError
from bedplate.manifest import Orchestrator
from bedplate.validation.deployed import VALIDATED, read_manifest
from tests.validation.steps.small_cluster import manifest


class _Missing(Exception):
    pass


def _clients(kind: str) -> Any:
    there = manifest()
    cluster = Orchestrator.model_construct(**{**there.orchestrator.model_dump(), "kind": kind})
    body = there.model_copy(update={"orchestrator": cluster}).model_dump_json().encode()
    return SimpleNamespace(
        region="us-west-2",
        ssm=SimpleNamespace(
            exceptions=SimpleNamespace(ParameterNotFound=_Missing),
            get_parameter=lambda **_: {"Parameter": {"Value": "s3://bucket/manifest.json"}},
        ),
        s3=SimpleNamespace(get_object=lambda **_: {"Body": io.BytesIO(body)}),
    )


@pytest.mark.parametrize("kind", VALIDATED)
def test_slurm_is_validated(kind: str) -> None:
    """Whoever runs Slurm: its manifest is what was written."""
    name = manifest().environment
    assert read_manifest(clients=_clients(kind), environment=name).orchestrator.kind == kind


def test_kubernetes_is_refused() -> None:
    """A run that could ask no node does not begin, and says so with its id."""
    with pytest.raises(UsageError, match="nodes of `eks` are not validated in this version") as refused:
        read_manifest(clients=_clients("eks"), environment=manifest().environment)
    assert refused.value.error_id == "RUN-005"


def test_a_kind_that_nobody_knows_is_no_manifest() -> None:
    """What another version wrote is told as unreadable, by its field."""
    with pytest.raises(AwsRefused, match=r"orchestrator\.kind") as refused:
        read_manifest(clients=_clients("nomad"), environment=manifest().environment)
    assert refused.value.error_id == "AWS-005"
