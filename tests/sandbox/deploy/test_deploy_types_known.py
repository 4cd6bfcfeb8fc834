"""Every resource of every example is known to the sandbox, every property too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.sandbox.cloudformation.moto_handler import moto_types
from bedplate.sandbox.cloudformation.precheck import NO_SCHEMA, template_problems
from bedplate.sandbox.cloudformation.schema import is_free_type
from bedplate.sandbox.cloudformation.template import Template, parse_template
from bedplate.sandbox.resources.table import OWN_TYPES
from bedplate.spec import load_environment
from tests.sandbox.deploy.conftest import EXAMPLES, REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# Played by their schema alone: nothing that the product reads depends on what they do. Reviewed one by one.
REMEMBERED_ONLY: frozenset[str] = frozenset(
    [
        "AWS::CloudWatch::Alarm",  # on the scaler of blocks and HyperPod's agents; no metrics ring it
        "AWS::Logs::Delivery",  # PCS writes its logs; no slurmctld runs behind the stand-in
        "AWS::Logs::DeliveryDestination",
        "AWS::Logs::DeliverySource",
        "AWS::Logs::MetricFilter",  # of what HyperPod's health agents find, which nothing here finds
        "AWS::SSM::Association",  # accounts need a slurmdbd; users are set by their own command in a test
    ]
)


def _templates(assembly: Path) -> dict[str, Template]:
    found = {path.name: parse_template(path.read_text()) for path in assembly.glob("*.template.json")}
    assert found, f"{assembly} holds no template"
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_property_is_known(name: str, synthesised: Callable[[str], Path]) -> None:
    """No type and no property of an example is unknown to AWS's schemas in its Region."""
    region = load_environment(REPOSITORY / "environments" / f"{name}.yaml").region
    problems = {
        file: found
        for file, template in _templates(synthesised(name)).items()
        if (found := template_problems(template, region))
    }
    assert problems == {}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type_is_played(name: str, synthesised: Callable[[str], Path]) -> None:
    """Each type is played by hand, by moto, or by its schema alone with our knowledge."""
    types = {
        resource["Type"]
        for template in _templates(synthesised(name)).values()
        for resource in template.resources.values()
    }
    types = {kind for kind in types if not is_free_type(kind) and kind not in NO_SCHEMA}
    assert types - OWN_TYPES - moto_types() <= REMEMBERED_ONLY
