"""What the rules must let through: the legal neighbours of what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.problems import Problem

BLOCK = ("source: on-demand", "source: capacity-block\n      reservation: cr-0123456789abcdef0")
ASSOCIATIONS = """      associations:
        - {path: /datasets, bucket: create, import: [new, changed, deleted]}
        - {path: /checkpoints, bucket: create, export: [new, changed, deleted]}
"""
GB200 = (
    ("region: us-west-2", "region: us-east-1"),
    ("usw2-az2 ", "use1-dfw2-az1 "),
    ("[usw2-az1, usw2-az2]", "[use1-az1, use1-az4]"),
    ("instance_type: p5en.48xlarge", "instance_type: p6e-gb200.36xlarge"),
    ("nodes: 8", "nodes: 9"),
    ("source: on-demand", "source: ultraserver-block\n      reservation: cr-0123456789abcdef0"),
    ("m7i.4xlarge", "m7g.4xlarge"),
)
VPC = """vpc:
    id: vpc-0123456789abcdef0
    gpu_subnet: subnet-0123456789abcdef0
    control_subnets: [subnet-0123456789abcdef1, subnet-0123456789abcdef2]"""


@pytest.mark.parametrize(
    "replacements",
    [
        pytest.param((), id="the demo itself"),
        pytest.param((("nodes: 8", "nodes: {min: 0, max: 64}"), BLOCK), id="a block that has not started"),
        pytest.param((("nodes: 8", "nodes: {min: 64, max: 64}"), BLOCK), id="a block as a range of one size"),
        pytest.param((("nodes: 8", "nodes: {min: 2, max: 2}"),), id="a range of one size"),
        pytest.param(GB200, id="one UltraServer"),
        pytest.param((("capacity_gib: 38400", "capacity_gib: 19200"),), id="one EFA step"),
        pytest.param(
            (("capacity_gib: 38400", "capacity_gib: 4800"), ("tib: 250", "tib: 1000")), id="least with EFA"
        ),
        pytest.param(
            (("capacity_gib: 38400", "capacity_gib: 1200"), ("efa: true", "efa: false")), id="1200 GiB"
        ),
        pytest.param((("iops: 12000", "iops: automatic"),), id="automatic metadata"),
        pytest.param((("iops: 12000", "iops: 192000"),), id="most metadata"),
        pytest.param(((ASSOCIATIONS, "      associations: [{path: /, bucket: create}]\n"),), id="root alone"),
        pytest.param((("/checkpoints", "/datasets-new"),), id="a name that begins alike"),
        pytest.param((("cidr: 10.40.0.0/16", VPC),), id="an existing VPC"),
        pytest.param((("10.40.0.0/16", "192.168.0.0/24"),), id="a small range"),
        pytest.param((("pools: [h200]", "pools: &p [h200]"),), id="an anchor"),
        pytest.param((("waivers: []", "waivers: [{check: DCG-002, reason: no time}]"),), id="a waiver"),
    ],
)
def test_legal_files_pass(
    replacements: tuple[tuple[str, str], ...],
    changed: Callable[..., str],
    problems_of: Callable[[str], list[Problem]],
) -> None:
    """No rule refuses what AWS takes."""
    assert problems_of(changed(*replacements)) == []
