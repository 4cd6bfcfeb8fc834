"""The instance-store disks in the probe's listing of ``/sys/block``.

A disk counts by its model number, ``Amazon EC2 NVMe Instance Storage``; an EBS volume is ``Amazon Elastic
Block Store`` (EC2 User Guide, "NVMe instance store volumes").
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "listing of /sys/block"
MODEL = "Amazon EC2 NVMe Instance Storage"
_SECTOR_BYTES = 512
_MOST_SECTORS = 2**53


@dataclass(frozen=True)
class InstanceDisk:
    """One disk with its size, its serial number, and the block devices that are made of it."""

    name: str
    serial: str
    size_bytes: int
    holders: tuple[str, ...]


def parse_block_disks(listing: object) -> tuple[InstanceDisk, ...]:
    """Read ``[{"name", "model", "serial", "sectors", "holders"}]``, instance store alone, by name; ParseError
    for any other shape. An empty list is a listing: the folder was read and holds no disk.
    """
    if not isinstance(listing, list):
        raise ParseError(tool=TOOL, reason="it is no list")
    found = []
    for position, entry in enumerate(listing, start=1):
        if not isinstance(entry, dict):
            raise ParseError(tool=TOOL, reason="an entry is no object", line=position)
        name, model, serial = (entry.get(key) for key in ("name", "model", "serial"))
        sectors, holders = entry.get("sectors"), entry.get("holders")
        if not isinstance(name, str) or not name or not isinstance(model, str):
            raise ParseError(tool=TOOL, reason="an entry has no name or no model", line=position)
        if model.strip() != MODEL:
            continue
        held_by = _words(holders)
        if type(sectors) is not int or not 0 <= sectors < _MOST_SECTORS or held_by is None:
            raise ParseError(tool=TOOL, reason=f"{name} has no size or no holders", line=position)
        found.append(InstanceDisk(name, str(serial or "").strip(), sectors * _SECTOR_BYTES, held_by))
    return tuple(sorted(found, key=lambda disk: disk.name))


def _words(value: object) -> tuple[str, ...] | None:
    """The words of a list of words; None for anything else."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return None
    return tuple(value)
