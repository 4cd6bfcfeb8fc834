"""The launch templates of every instance type, interface by interface, against a list written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bedplate.capacity import launch_plan
from bedplate.hardware import INSTANCE_TYPES, instance_type
from bedplate.spec.pools import Pool

Resources = Callable[[Any, str], dict[str, Any]]
LAYOUTS: Mapping[str, Mapping[str, list[str]]] = json.loads(
    (Path(__file__).parent / "interface_layouts.json").read_text(encoding="utf-8")
)["layouts"]
CASES = [(name, layout) for name, layouts in LAYOUTS.items() for layout in layouts]


def _pool(name: str, layout: str) -> Pool:
    choice, efas = layout.split(", ")
    block = name == "p6e-gb200.36xlarge"
    data = {
        "name": "pool",
        "instance_type": name,
        "interfaces": choice,
        "nodes": 9,
        "capacity": {"source": "ultraserver-block", "reservation": "cr-0123456789abcdef0"}
        if block
        else {"source": "on-demand"},
    }
    return Pool.model_validate({**data, "efas": int(efas.split()[0])} if block else data)


def test_every_layout_of_every_type_is_in_the_list() -> None:
    """Nothing that a pool can choose is left out of the list, and nothing is in it that cannot be chosen."""
    offered = {
        (name, f"{layout.choice}, {layout.efa_count} EFA{'s' if layout.efa_count > 1 else ''}")
        for name, row in INSTANCE_TYPES.items()
        for layout in row.layouts
    }
    assert offered == set(CASES)


@pytest.mark.parametrize(("name", "layout"), CASES)
def test_the_template_is_the_layout(resources: Resources, name: str, layout: str) -> None:
    """Each interface of the template has card, device and kind as in the list, in any order."""
    plan = launch_plan(pool=_pool(name, layout), instance_type=instance_type(name), zone_id="usw2-az2")

    def build(stack: Any) -> None:
        from bedplate.constructs.node_launch_template import NodeLaunchTemplate

        NodeLaunchTemplate(
            stack,
            "Launch",
            security_group_ids=["sg-1"],
            user_data="#!/bin/bash\n",
            instance_type=name,
            interfaces=plan.interfaces,
        )

    (template,) = resources(build, "AWS::EC2::LaunchTemplate").values()
    found = [
        f"card {each['NetworkCardIndex']} device {each['DeviceIndex']}: {each['InterfaceType']}"
        for each in template["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]
    ]
    assert sorted(found) == sorted(LAYOUTS[name][layout])
    assert found[0] == "card 0 device 0: interface"
