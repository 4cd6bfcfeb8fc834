"""topology.conf of a tree: complete, one root, the same for the same paths; what slurmctld would end at is
refused.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.host_ranges import names_in
from bedplate.node.switch_tree import TopologyRefusedError, check_tree, tree_conf

P5 = {
    "gpu-1": ("nn-top", "nn-mid", "nn-a"),
    "gpu-2": ("nn-top", "nn-mid", "nn-b"),
    "gpu-10": ("nn-top", "nn-mid", "nn-a"),
}


@st.composite
def placed(draw):
    """Paths of a network of three or four levels, some nodes unknown."""
    depth = draw(st.sampled_from([3, 4]))
    paths = {}
    for number in range(draw(st.integers(1, 24))):
        if draw(st.integers(0, 5)) == 0:
            paths[f"gpu-{number}"] = ()
            continue
        choices = [draw(st.integers(0, 2)) for _ in range(depth)]
        paths[f"gpu-{number}"] = tuple("nn-" + "".join(map(str, choices[: i + 1])) for i in range(depth))
    return paths


def test_each_network_node_is_a_switch_and_the_last_one_has_the_nodes() -> None:
    """Three levels of P5."""
    assert tree_conf(P5).splitlines() == [
        "SwitchName=nn-a Nodes=gpu-[1,10]",
        "SwitchName=nn-b Nodes=gpu-2",
        "SwitchName=nn-mid Switches=nn-a,nn-b",
        "SwitchName=nn-top Switches=nn-mid",
    ]


def test_nodes_without_a_path_are_in_the_file_and_reachable() -> None:
    """A node that is not launched yet is under a switch of its own, joined with the others."""
    lines = tree_conf({**P5, "gpu-11": (), "gpu-12": ()}).splitlines()
    assert "SwitchName=unknown Nodes=gpu-[11-12]" in lines
    assert lines[-1] == "SwitchName=root Switches=nn-top,unknown"


def test_four_levels_and_three_may_share_switches() -> None:
    """Instances that hang on what is an upper switch to another type get a switch below it."""
    text = tree_conf({**P5, "b300-1": ("nn-top", "nn-mid", "nn-a", "nn-deep")})
    assert "SwitchName=nn-a-nodes Nodes=gpu-[1,10]" in text
    assert "SwitchName=nn-a Switches=nn-deep,nn-a-nodes" in text


@given(placed())
def test_every_tree_is_complete_and_the_same_in_any_order(paths) -> None:
    """What is written passes the check, has each node under its own last network node, and is stable."""
    text = tree_conf(paths)
    assert text == tree_conf(dict(reversed(paths.items())))
    for line in text.splitlines():
        words = dict(word.split("=") for word in line.split())
        for node in names_in(words["Nodes"]) if "Nodes" in words else ():
            assert words["SwitchName"] == (paths[node][-1] if paths[node] else "unknown")


@given(placed(), st.data())
def test_a_tree_that_lost_or_doubled_a_line_is_refused(paths, data) -> None:
    """A file that was cut or glued does not reach slurmctld: no node is lost, no switch defined twice."""
    lines = tree_conf(paths).splitlines()
    lost = data.draw(st.sampled_from([line for line in lines if "Nodes=" in line]))
    doubled = data.draw(st.sampled_from(lines))
    for changed in ([line for line in lines if line != lost], [*lines, doubled]):
        with pytest.raises(TopologyRefusedError):
            check_tree("\n".join(changed), nodes=list(paths))


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ({}, "no node"),
        ({"a": ("x", "y"), "b": ("z", "y")}, "y is under x and, for b, under z"),
        ({"a": ("x", "y"), "b": ("y", "z")}, "y is on top"),
        ({"a": ("x", "x")}, "no path"),
        ({"a": ("root", "x")}, "no path"),
    ],
)
def test_paths_that_make_no_tree_are_refused(paths, told) -> None:
    """Each with what is wrong."""
    with pytest.raises(TopologyRefusedError, match=told):
        tree_conf(paths)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SwitchName=a Nodes=gpu-1\nSwitchName=b Nodes=gpu-1\nSwitchName=r Switches=a,b", "two switches"),
        ("SwitchName=a Nodes=gpu-[1-2]", "there is no node gpu-2"),
        ("SwitchName=a Nodes=gpu-1\nSwitchName=b Nodes=", "switch b"),
        ("SwitchName=a Nodes=gpu-1\nSwitchName=b Switches=c", "nowhere defined"),
        ("SwitchName=a Nodes=gpu-1\nSwitchName=b Switches=c\nSwitchName=c Switches=b", "circle"),
        ("BlockName=a Nodes=gpu-1", "not a line"),
        ("SwitchName=a Nodes=gpu-1 Switches=b", "not a line"),
        ("", "missing: gpu-1"),
    ],
)
def test_what_slurmctld_would_end_at_is_refused(text, told) -> None:
    """Each with the switch or the node."""
    with pytest.raises(TopologyRefusedError, match=told):
        check_tree(text, nodes=["gpu-1"])
