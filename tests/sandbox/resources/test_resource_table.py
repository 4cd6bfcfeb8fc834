"""The table of resource types that the sandbox plays by hand."""

from __future__ import annotations

from pathlib import Path

from bedplate.sandbox.cloudformation.schema import resource_schema
from bedplate.sandbox.resources.table import OWN_TYPES, own_handlers
from bedplate.sandbox.sandbox import Sandbox
from tests.sandbox.stand_in import FakeFleet


def test_table_lists_what_has_a_handler() -> None:
    """The list of types and the handlers agree, and AWS has every type that is no custom resource."""
    sandbox = Sandbox(state_dir=Path(), endpoint="http://localhost:1", fleet=FakeFleet())
    assert set(own_handlers(sandbox)) == OWN_TYPES
    of_aws = {name for name in OWN_TYPES if not name.startswith("Custom::")}
    assert OWN_TYPES - of_aws == {
        "Custom::AWSCDK-EKS-HelmChart",
        "Custom::AWSCDK-EKS-KubernetesResource",
        "Custom::PclusterCluster",
    }
    assert all(resource_schema(name, "us-west-2") is not None for name in of_aws)
