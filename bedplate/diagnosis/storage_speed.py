"""What an exercise measured of a node's disks and file systems, read once and small enough to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bedplate.diagnosis import tools
from bedplate.diagnosis.parsers.disk_speed import DiskSpeed, parse_disk_speed
from bedplate.diagnosis.parsers.lnet import LnetState, parse_lnet
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.storage_tools import DISK_SPEED, LNET


@dataclass(frozen=True)
class LnetTraffic:
    """Messages that LNet counted while a file system was written and read, by the kind of network."""

    efa: int
    tcp: int


_NOT_ASKED: Reading[LnetTraffic] = Reading(None, "LNet was not asked")


@dataclass(frozen=True)
class PlaceSpeed:
    """One place's speed; ``left_behind``: its folder may still be there. ``traffic`` is for Lustre."""

    place: str
    speed: Reading[DiskSpeed]
    left_behind: bool = False
    traffic: Reading[LnetTraffic] = _NOT_ASKED


@dataclass(frozen=True)
class StorageSpeeds:
    """What the stages ``nvme`` and ``lustre`` told; a stage that did not run has nothing here."""

    scratch: PlaceSpeed | None = None
    mounts: tuple[PlaceSpeed, ...] = ()

    def at(self, path: str) -> PlaceSpeed | None:
        """The file system that is mounted at this path; None where it was not measured once."""
        found = [each for each in self.mounts if each.place == path]
        return found[0] if len(found) == 1 else None


def read_storage_speeds(*, answer: Mapping[str, object], scratch: str, run_id: str) -> StorageSpeeds:
    """Read an exercise's ``stages``; what is malformed is a reading without a record, never left out."""
    stages = answer.get("stages")
    told = stages if isinstance(stages, dict) else {}
    nvme = told.get("nvme")
    lustre = told.get("lustre")
    rows = lustre.get("mounts") if isinstance(lustre, dict) else None
    return StorageSpeeds(
        scratch=None if nvme is None else _place(nvme, scratch, run_id),
        mounts=tuple(_mount(row, run_id) for row in rows if isinstance(row, dict))
        if isinstance(rows, list)
        else (),
    )


def _mount(row: Mapping[str, object], run_id: str) -> PlaceSpeed:
    read = _place(row, str(row.get("path", "")), run_id)
    return PlaceSpeed(read.place, read.speed, read.left_behind, _traffic(row))


def _place(row: object, place: str, run_id: str) -> PlaceSpeed:
    if not isinstance(row, dict):
        return PlaceSpeed(place, Reading(None, "the stage's answer cannot be read"), left_behind=True)
    return PlaceSpeed(place, _speed(row.get("run"), place, run_id), row.get("removed") is not True)


def _speed(entry: object, place: str, run_id: str) -> Reading[DiskSpeed]:
    run = tools.run_of(entry)
    if run is None or run.argv[:1] != (DISK_SPEED,):
        return Reading(None, f"the answer holds no run of `{DISK_SPEED}`")
    problem = run.problem()
    if problem:
        return Reading(None, problem)
    try:
        record = parse_disk_speed(run.stdout)
    except ParseError as error:
        return Reading(None, str(error))
    if (record.place, record.run_id) != (place, run_id):
        return Reading(None, f"it is of {record.place} in run {record.run_id}, not of {place} in {run_id}")
    return Reading(record)


def _traffic(row: Mapping[str, object]) -> Reading[LnetTraffic]:
    states: list[LnetState] = []
    for key in ("lnet_before", "lnet_after"):
        run = tools.run_of(row.get(key))
        if run is None or run.argv != LNET:
            return Reading(None, "the answer holds no run of `lnetctl net show -v`")
        if run.problem():
            return Reading(None, run.problem() or "")
        try:
            states.append(parse_lnet(run.stdout))
        except ParseError as error:
            return Reading(None, str(error))
    before, after = ([each.nid for each in state.interfaces] for state in states)
    if before != after:
        return Reading(None, "LNet showed other interfaces before than after")
    efa, tcp = _grown(states, "efa"), _grown(states, "tcp")
    if efa is None or tcp is None:
        return Reading(None, "LNet does not tell how many messages its interfaces carried")
    if efa < 0 or tcp < 0:
        return Reading(None, "LNet's counters went back: it was set up anew meanwhile")
    return Reading(LnetTraffic(efa, tcp))


def _grown(states: Sequence[LnetState], net: str) -> int | None:
    before, after = states[0].messages(net), states[1].messages(net)
    return None if before is None or after is None else after - before
