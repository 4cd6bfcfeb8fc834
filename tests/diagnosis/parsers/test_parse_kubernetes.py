"""Nodes and resource slices as a Kubernetes API tells them: read whole, or not at all."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.parsers.kubernetes_node import (
    Taint,
    count_of,
    parse_kubernetes_node,
    parse_kubernetes_nodes,
    read_kubernetes_node,
)
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.resource_slices import devices_offered
from tests.diagnosis.kubernetes_objects import DRIVER, INSTANCE, NAME, condition, node, slices

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["kind", "metadata", "name", "spec", "status", "taints", "conditions", "type", "key", "items"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def test_a_node_is_read_with_all_that_is_judged() -> None:
    """Name, instance, type, counts, taints, conditions, address and boot."""
    found = parse_kubernetes_node(json.dumps(node()))
    assert (found.name, found.instance_id, found.instance_type) == (NAME, INSTANCE, "p5.48xlarge")
    assert count_of(found.allocatable, "vpc.amazonaws.com/efa") == 32
    assert found.taints == (Taint("nvidia.com/gpu", "present", "NoSchedule"),)
    assert (found.status_of("Ready"), found.status_of("Nothing")) == ("True", "")
    assert (found.address, found.boot_id, found.resource_version) == ("10.0.3.7", "5b0f", "812")
    assert not found.unschedulable
    assert not found.is_being_deleted


def test_hyperpods_longer_provider_id_names_the_instance_too() -> None:
    """The instance stands last, whatever stands before it."""
    made = node(spec__providerID=f"aws:///usw2-az1/sagemaker/cluster/hyperpod-abc-{INSTANCE}")
    assert read_kubernetes_node(made).instance_id == ""
    made = node(spec__providerID=f"aws:///usw2-az1/sagemaker/cluster/{INSTANCE}")
    assert read_kubernetes_node(made).instance_id == INSTANCE


def test_of_two_conditions_of_one_type_the_worse_counts() -> None:
    """A node that contradicts itself is not ready, in whichever order."""
    both = [condition("Ready", "True"), condition("Ready", "False")]
    for conditions in (both, both[::-1]):
        assert read_kubernetes_node(node(conditions=conditions)).status_of("Ready") == "False"


@pytest.mark.parametrize(
    ("quantity", "count"), [("8", 8), (8, 8), ("8.5", None), ("-8", None), ("8Gi", None), (True, None)]
)
def test_only_whole_numbers_are_counts(quantity: Any, count: int | None) -> None:
    """What is no whole number is no count, rather than nought."""
    made = node(status__capacity={"nvidia.com/gpu": quantity})
    assert count_of(read_kubernetes_node(made).capacity, "nvidia.com/gpu") == count


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No resources found",
        "[]",
        json.dumps(node())[:-40],
        json.dumps({**node(), "kind": "Pod"}),
        json.dumps({"kind": "Node", "metadata": {"name": "a"}}),
        json.dumps(node(spec__taints=[{"key": "k"}])),
        json.dumps(node(spec__taints="none")),
        json.dumps(node(status__conditions=[{"status": "True"}])),
        json.dumps(node()).replace('"status": {', '"status": {}, "status": {', 1),
        json.dumps(node(name="Not_A_Name")),
        json.dumps(node()) + json.dumps(node()),
    ],
)
def test_what_is_no_whole_node_is_refused(text: str) -> None:
    """Nothing, a cut, another kind, no parts, a taint without effect, a key twice, two nodes."""
    with pytest.raises(ParseError):
        parse_kubernetes_node(text)


def test_a_page_of_a_list_is_no_list() -> None:
    """Nodes behind a page's end would be missing; a node twice is a list of something else."""
    whole = {"kind": "NodeList", "metadata": {}, "items": [node(), node(name="other")]}
    assert [each.name for each in parse_kubernetes_nodes(json.dumps(whole))] == [NAME, "other"]
    for bad in (
        {**whole, "metadata": {"continue": "abc"}},
        {**whole, "items": [node(), node()]},
        {**whole, "items": {}},
    ):
        with pytest.raises(ParseError):
            parse_kubernetes_nodes(json.dumps(bad))


def test_the_newest_generation_of_a_pool_of_devices_counts() -> None:
    """Old slices are still there for a moment after a driver's restart."""
    assert devices_offered(slices(32), node=NAME, driver=DRIVER) == 32
    both = [*slices(32), *slices(31, generation=2)]
    assert devices_offered(both, node=NAME, driver=DRIVER) == 31
    assert devices_offered(both, node="other", driver=DRIVER) is None
    assert devices_offered(both, node=NAME, driver="gpu.example") is None


def test_a_pool_that_is_not_there_whole_is_not_counted() -> None:
    """A slice is missing, a device is there twice, or a slice does not say of how many it is one."""
    nameless = slices(4)
    del nameless[0]["spec"]["pool"]["resourceSliceCount"]
    twice = slices(2, each=1)
    twice[1]["spec"]["devices"] = twice[0]["spec"]["devices"]
    for bad in (slices(32)[:1], nameless, twice):
        with pytest.raises(ParseError):
            devices_offered(bad, node=NAME, driver=DRIVER)


@settings(max_examples=150, deadline=None)
@given(JSON, st.text(max_size=60))
def test_whatever_comes_gives_a_record_or_a_parse_error(value: Any, text: str) -> None:
    """Another exception would end the gate's run for one odd object."""
    for asked in (
        text,
        json.dumps(value),
        json.dumps({"kind": "Node", "metadata": {"name": "a"}, **_of(value)}),
    ):
        with contextlib.suppress(ParseError):
            parse_kubernetes_node(asked)
        with contextlib.suppress(ParseError):
            parse_kubernetes_nodes(asked)
    with contextlib.suppress(ParseError):
        devices_offered([value, *slices(1)], node=NAME, driver=DRIVER)
    assert read_kubernetes_node(node()).name == NAME


def _of(value: Any) -> dict[str, Any]:
    return {"spec": value, "status": value}
