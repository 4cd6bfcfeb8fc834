"""The instance table, field by field, against the DescribeInstanceTypes answers that moto ships."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import moto
import pytest

from bedplate.hardware import INSTANCE_TYPES, InstanceType, instance_type

# Types for which moto has no answer: nothing of DescribeInstanceTypes was checked for them.
UNCHECKED = {"p6e-gb200.36xlarge"}

_FILE = Path(moto.__file__).parent / "ec2" / "resources" / "instance_types.json.gz"


@pytest.fixture(scope="module")
def described() -> dict[str, dict[str, Any]]:
    """Every answer that moto ships, by instance type."""
    with gzip.open(_FILE) as file:
        answers: dict[str, dict[str, Any]] = json.load(file)
    return answers


def _as_described(row: InstanceType) -> dict[str, Any]:
    """The row in the words of DescribeInstanceTypes, as far as both know the thing."""
    return {
        "InstanceType": row.name,
        "VCpuInfo.DefaultVCpus": row.vcpus,
        "MemoryInfo.SizeInMiB": row.memory_gib * 1024,
        "ProcessorInfo.SupportedArchitectures": [row.architecture],
        "GpuInfo.Gpus.0.Name": row.gpu.model,
        "GpuInfo.Gpus.0.Count": row.gpus,
        "GpuInfo.Gpus.0.MemoryInfo.SizeInMiB": row.gpu.memory_mib,
        "GpuInfo.TotalGpuMemoryInMiB": row.gpu_memory_mib,
        "InstanceStorageInfo.Disks.0.Count": row.nvme_count,
        "InstanceStorageInfo.Disks.0.SizeInGB": row.nvme_api_gb_each,
        "InstanceStorageInfo.TotalSizeInGB": row.nvme_count * (row.nvme_api_gb_each or 0),
        "NetworkInfo.EfaInfo.MaximumEfaInterfaces": row.efa_max,
        "NetworkInfo.MaximumNetworkCards": len(row.network_cards),
        "NetworkInfo.MaximumNetworkInterfaces": sum(card.max_interfaces for card in row.network_cards),
        "NetworkInfo.NetworkPerformance": f"{row.efa_gbps_total} Gigabit",
        "NetworkInfo.NetworkCards": [
            (card.index, card.max_interfaces, card.efa, card.peak_gbps) for card in row.network_cards
        ],
        "EbsInfo.EbsOptimizedInfo.MaximumBandwidthInMbps": (row.ebs_gbps or 0) * 1000,
        "SupportedUsageClasses": [
            source for source in ("capacity-block", "on-demand", "spot") if source in row.capacity_sources
        ],
    }


def _look_up(answer: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        answer = answer[int(part)] if part.isdigit() else answer[part]
    if dotted == "NetworkInfo.NetworkCards":
        return [
            (
                card["NetworkCardIndex"],
                card["MaximumNetworkInterfaces"],
                "efa-only" in card["InterfaceTypes"],
                card["PeakBandwidthInGbps"],
            )
            for card in answer
        ]
    return answer


def test_the_unchecked_types_are_exactly_those_that_moto_lacks(described: dict[str, Any]) -> None:
    """The list of unchecked types is honest: moto has all others, and none of these."""
    assert {name for name in INSTANCE_TYPES if name not in described} == UNCHECKED


@pytest.mark.parametrize("name", sorted(set(INSTANCE_TYPES) - UNCHECKED))
def test_every_field_agrees_with_the_api(name: str, described: dict[str, Any]) -> None:
    """All that DescribeInstanceTypes says of this type, the table says too."""
    ours = _as_described(instance_type(name))
    theirs = {dotted: _look_up(described[name], dotted) for dotted in ours}
    assert ours == theirs


@pytest.mark.parametrize("name", sorted(set(INSTANCE_TYPES) - UNCHECKED))
def test_no_gpu_or_disk_is_hidden_behind_the_first(name: str, described: dict[str, Any]) -> None:
    """Each answer has one kind of GPU and one kind of disk, so comparing the first compares all."""
    assert len(described[name]["GpuInfo"]["Gpus"]) == 1
    assert len(described[name]["InstanceStorageInfo"]["Disks"]) == 1


def test_a_wrong_field_would_be_seen(described: dict[str, Any]) -> None:
    """The comparison can fail: a row with one card's limit changed no longer agrees."""
    row = instance_type("p6-b300.48xlarge")
    cards = (dataclasses.replace(row.network_cards[0], efa=True), *row.network_cards[1:])
    bent = _as_described(dataclasses.replace(row, network_cards=cards))
    theirs = {dotted: _look_up(described[row.name], dotted) for dotted in bent}
    assert [dotted for dotted in bent if bent[dotted] != theirs[dotted]] == ["NetworkInfo.NetworkCards"]
