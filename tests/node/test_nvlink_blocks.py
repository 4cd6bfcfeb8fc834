"""topology.conf of blocks: whole NVLink domains, filled up with what is not launched yet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.host_ranges import names_in
from bedplate.node.nvlink_blocks import SPARE, block_conf
from bedplate.node.switch_tree import TopologyRefusedError


def _rack(name: str, first: int, count: int) -> dict[str, str]:
    return {f"gb-{number}": name for number in range(first, first + count)}


def _blocks(text: str) -> dict[str, list[str]]:
    """Block → its nodes."""
    rows = [dict(word.split("=", 1) for word in line.split()) for line in text.splitlines()]
    return {row["BlockName"]: names_in(row["Nodes"]) for row in rows if "BlockName" in row}


def test_each_domain_is_a_block_and_pairs_of_them_are_the_next_size() -> None:
    """Two whole UltraServers of 18 nodes."""
    text = block_conf({**_rack("cb-2", 19, 18), **_rack("cb-1", 1, 18)}, size=18)
    assert text.splitlines() == [
        "BlockName=cb-1 Nodes=gb-[1-18]",
        "BlockName=cb-2 Nodes=gb-[19-36]",
        "BlockSizes=18,36",
    ]


def test_a_domain_with_a_missing_node_is_filled_with_one_that_is_not_launched() -> None:
    """The one that was replaced and is not back; slurmctld would end at 8 of 9."""
    text = block_conf({**_rack("cb-1", 1, 8), "gb-9": ""}, size=9)
    assert text.splitlines() == ["BlockName=cb-1 Nodes=gb-[1-9]", "BlockSizes=9"]


def test_nodes_that_are_not_launched_make_whole_blocks_and_what_is_left_of_them_none() -> None:
    """Before the first launch there is a file that slurmctld takes."""
    assert _blocks(block_conf(dict.fromkeys(_rack("", 1, 20), ""), size=9)) == {
        f"{SPARE}1": [f"gb-{number}" for number in range(1, 10)],
        f"{SPARE}2": [f"gb-{number}" for number in range(10, 19)],
    }


@pytest.mark.parametrize(
    ("domains", "told"),
    [
        (_rack("cb-1", 1, 10), "cb-1 has 10 nodes, and 9 are the most"),
        (_rack("cb-1", 1, 8), r"cb-1 has 8 of 9 nodes: gb-\[1-8\]"),
        (dict.fromkeys(_rack("", 1, 8), ""), "make no block"),
        ({}, "make no block"),
    ],
)
def test_what_slurmctld_would_end_at_is_refused(domains: dict[str, str], told: str) -> None:
    """Each with the domain and its nodes."""
    with pytest.raises(TopologyRefusedError, match=told):
        block_conf(domains, size=9)


@given(st.lists(st.integers(1, 4), max_size=5), st.integers(0, 30))
def test_every_file_has_each_node_once_and_blocks_of_one_size(domains: list[int], spare: int) -> None:
    """Whatever is launched: a file of whole blocks with each launched node in its own, or a refusal."""
    told, number = {}, 0
    for index, count in enumerate(domains):
        told.update(_rack(f"cb-{index}", number, count))
        number += count
    told.update(dict.fromkeys(_rack("", number, spare), ""))
    try:
        text = block_conf(told, size=4)
    except TopologyRefusedError:
        assert sum(4 - count for count in domains) > spare or not (domains or spare >= 4)
        return
    blocks = _blocks(text)
    placed = [node for nodes in blocks.values() for node in nodes]
    assert len(placed) == len(set(placed))
    assert {len(nodes) for nodes in blocks.values()} == {4}
    assert {node for node, domain in told.items() if domain} <= set(placed)
    for name, nodes in blocks.items():
        assert {told[node] for node in nodes} <= {name if not name.startswith(SPARE) else "", ""}
