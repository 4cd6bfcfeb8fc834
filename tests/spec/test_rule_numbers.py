"""Numbers that AWS sets, written out by hand from its documents, against what the rules let through."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.problems import Problem

ProblemsOf = Callable[[str], list[Problem]]
SECTION = "storage:\n  file_systems:\n"


def _file(demo_text: str, *fields: str) -> str:
    """The demo with one further file system of these fields."""
    assert SECTION in demo_text
    return demo_text.replace(SECTION, f"{SECTION}    - {{mount: /probe, {', '.join(fields)}}}\n", 1)


# FSx for Lustre User Guide, "EFA-enabled file systems" and StorageCapacity of CreateFileSystem.
@pytest.mark.parametrize(
    ("throughput", "efa", "legal", "refused"),
    [
        (125, True, (38400, 76800), (1200, 19200, 38399, 57600)),
        (250, True, (19200, 38400), (2400, 9600, 28800)),
        (500, True, (9600, 28800), (2400, 4800, 14400)),
        (1000, True, (4800, 14400), (1200, 2400, 7200)),
        *((each, False, (1200, 2400, 4800, 7200), (1201, 3600, 6000)) for each in (125, 250, 500, 1000)),
    ],
)
def test_lustre_comes_in_the_steps_of_its_throughput(
    throughput: int,
    efa: bool,
    legal: tuple[int, ...],
    refused: tuple[int, ...],
    demo_text: str,
    problems_of: ProblemsOf,
) -> None:
    """Multiples of the step are let through; the next smaller step and what lies between are refused."""
    for size in (*legal, *refused):
        fields = ("kind: lustre", f"throughput_mbps_per_tib: {throughput}", f"efa: {str(efa).lower()}")
        found = [each.id for each in problems_of(_file(demo_text, *fields, f"capacity_gib: {size}"))]
        wrong = "STO-002" if efa else "STO-001"
        assert found == ([] if size in legal else [wrong]), size


# FSx API, CreateFileSystemLustreMetadataConfiguration.
@pytest.mark.parametrize("iops", [1500, 3000, 6000, 12000, 24000, 96000, 180000, 192000])
def test_metadata_iops_that_fsx_has(iops: int, demo_text: str, problems_of: ProblemsOf) -> None:
    """The three small numbers, then steps of 12000 up to 192000."""
    fields = ("kind: lustre", "capacity_gib: 19200", f"metadata_iops: {iops}")
    assert problems_of(_file(demo_text, *fields)) == []


@pytest.mark.parametrize("iops", [1, 4500, 9000, 18000, 30000, 191999, 204000])
def test_metadata_iops_that_fsx_has_not(iops: int, demo_text: str, problems_of: ProblemsOf) -> None:
    """What lies between the steps, or above the last, is refused."""
    fields = ("kind: lustre", "capacity_gib: 19200", f"metadata_iops: {iops}")
    assert [each.id for each in problems_of(_file(demo_text, *fields))] == ["STO-003"]


# FSx API, ThroughputCapacity and LustreReadCacheConfiguration: 8 to 32768 GiB for each 1000 MB/s.
@pytest.mark.parametrize(
    ("throughput", "cache", "refused"),
    [
        (4000, 0, []),
        (4000, 31, ["STO-011"]),
        (4000, 32, []),
        (4000, 131_072, []),
        (4000, 131_073, ["STO-011"]),
        (12000, 95, ["STO-011"]),
        (12000, 96, []),
        (5000, 0, ["STO-010"]),
        (6000, 0, ["STO-010"]),
        (2_000_000, 16_000, []),
    ],
)
def test_tiering_and_its_cache(
    throughput: int, cache: int, refused: list[str], demo_text: str, problems_of: ProblemsOf
) -> None:
    """Throughput goes in steps of 4000, and the range of the cache follows it."""
    fields = ("kind: lustre-tiering", f"throughput_mbps: {throughput}", f"read_cache_gib: {cache}")
    found = problems_of(_file(demo_text, *fields))
    assert [each.id for each in found] == refused


# EC2 User Guide, "Capacity Blocks for ML": up to 64 instances; UltraServers of 9 and of 18 instances.
@pytest.mark.parametrize(("nodes", "refused"), [(1, []), (64, []), (65, ["CAP-005"]), (100, ["CAP-005"])])
def test_a_block_has_up_to_64_nodes(
    nodes: int, refused: list[str], changed: Callable[..., str], problems_of: ProblemsOf
) -> None:
    """The sixty-fifth node is refused."""
    text = changed(
        ("nodes: 8", f"nodes: {nodes}"),
        ("source: on-demand", "source: capacity-block\n      reservation: cr-0123456789abcdef0"),
    )
    assert [each.id for each in problems_of(text)] == refused


@pytest.mark.parametrize(
    ("server", "nodes", "refused"),
    [
        ("x36", 9, []),
        ("x36", 18, []),
        ("x36", 10, ["CAP-007"]),
        ("x72", 18, []),
        ("x72", 9, ["CAP-007"]),
        ("x72", 27, ["CAP-007"]),
    ],
)
def test_ultraservers_are_whole(
    server: str, nodes: int, refused: list[str], changed: Callable[..., str], problems_of: ProblemsOf
) -> None:
    """Nine nodes for each small UltraServer, eighteen for each large one."""
    text = changed(
        ("region: us-west-2", "region: us-east-1"),
        ("usw2-az2 ", "use1-dfw2-az1 "),
        ("[usw2-az1, usw2-az2]", "[use1-az4, use1-az6]"),
        (
            "instance_type: p5en.48xlarge",
            f"instance_type: p6e-gb200.36xlarge\n    ultraserver: u-p6e-gb200{server}",
        ),
        ("nodes: 8", f"nodes: {nodes}"),
        ("source: on-demand", "source: ultraserver-block\n      reservation: cr-0123456789abcdef0"),
        ("m7i.4xlarge", "m7g.4xlarge"),
        ("efa: true", "efa: false"),
    )
    assert [each.id for each in problems_of(text)] == refused
