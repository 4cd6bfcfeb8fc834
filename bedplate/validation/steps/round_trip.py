"""One file each way between every tied folder and its bucket, by one node that has the file systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bedplate.diagnosis.association_legs import UNKNOWN, Leg, leg_in, leg_out, written
from bedplate.diagnosis.checks import association_round_trip
from bedplate.diagnosis.expected import ExpectedAssociation
from bedplate.errors import AwsRefused
from bedplate.node.association import encode_settings
from bedplate.validation.association_objects import AssociationObjects
from bedplate.validation.deadlines import deadlines
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question

_MARGIN_SECONDS = 120
_PAUSE_SECONDS = 2.0
_QUIET_LOOKS = 2
_MOST_LOOKS = 10


@dataclass
class _Trip:
    """One association: its folder on the node, its objects, and what is known of both ways."""

    folder: str
    wanted: ExpectedAssociation
    objects: AssociationObjects
    sha256: str = ""
    legs: list[Leg] = field(default_factory=list)

    @property
    def goes_in(self) -> bool:
        """Whether what is new in the bucket shows by itself."""
        return "new" in self.wanted.imports

    @property
    def goes_out(self) -> bool:
        """Whether what is new in the folder is exported by itself."""
        return "new" in self.wanted.exports

    def unknown(self, why: str) -> None:
        """Nothing can be said of the ways that nothing is known of yet."""
        known = {leg.direction for leg in self.legs}
        for direction, wanted in (("in", self.goes_in), ("out", self.goes_out)):
            if wanted and direction not in known:
                self.legs.append(Leg(direction, UNKNOWN, why))


def round_trip(context: Context) -> None:
    """FSX-003. What was written is removed on both sides, whatever happens meanwhile; what could not be is
    told, also where the run ends here. Raises ``AwsRefused`` where the node cannot be asked.
    """
    trips = _trips(context)
    if not trips:
        return
    node = _node(context)
    if not node:
        context.record.add([association_round_trip.check(legs={}, problem="no node with the file systems")])
        return
    context.progress.phase("Send files between folders and buckets", len(trips))
    evidence: list[str] = []
    try:
        _travel(context, node, trips, evidence)
    except AwsRefused as refused:
        for trip in trips:
            trip.unknown(str(refused))
        raise
    finally:
        left = _clean(context, node, trips)
        for trip in trips:
            trip.unknown("the run was ended before it was known")
        legs = {f"{trip.folder} ({trip.wanted.data_repository})": trip.legs for trip in trips}
        verdict = association_round_trip.check(legs=legs, left_behind=left, evidence=evidence)
        context.record.add([verdict])


def _trips(context: Context) -> list[_Trip]:
    record = context.record
    found = {}
    for pool in record.manifest.pools:
        for path, each in association_round_trip.automatic_associations(record.expected_of(pool)):
            folder = path.rstrip("/") + each.path.rstrip("/")
            objects = AssociationObjects(context.clients, each.data_repository, context.evidence.run_id)
            found[folder] = _Trip(folder, each, objects)
    return list(found.values())


def _node(context: Context) -> str:
    """A node whose file systems are well; else the login node; empty where there is neither."""
    well = [
        node.node
        for node in context.record.nodes
        if node.answered and "FSX-001" not in context.record.failed_checks(node.node)
    ]
    return well[0] if well else context.logins[0].instance_id if context.logins else ""


def _travel(context: Context, node: str, trips: Sequence[_Trip], evidence: list[str]) -> None:
    for trip in trips:
        if trip.goes_in:
            try:
                trip.sha256 = trip.objects.put()
            except AwsRefused as refused:
                trip.legs.append(Leg("in", UNKNOWN, str(refused)))
    seconds = deadlines(simulated=context.record.simulated).association_seconds
    places = [
        {"folder": trip.folder, "in": trip.goes_in and bool(trip.sha256), "out": trip.goes_out}
        for trip in trips
    ]
    rows = _ask(context, node, "trip", places, seconds, evidence)
    if isinstance(rows, str):
        for trip in trips:
            trip.unknown(f"{node} gave no answer: {rows}")
        return
    begun = context.transport.clock()
    for trip in trips:
        row = rows.get(trip.folder, {})
        if trip.sha256:
            trip.legs.append(leg_in(row.get("in"), sha256=trip.sha256))
        if trip.goes_out:
            trip.legs.append(_out(context, trip, row.get("out"), begun, seconds))
        context.progress.advance(trip.folder)


def _out(context: Context, trip: _Trip, row: object, begun: float, seconds: float) -> Leg:
    digest, problem = written(row)
    if problem:
        return Leg("out", UNKNOWN, problem)
    while True:
        waited = context.transport.clock() - begun
        try:
            found = trip.objects.arrived()
        except AwsRefused as refused:
            return Leg("out", UNKNOWN, str(refused))
        if found is not None or waited >= seconds:
            return leg_out(found_sha256=found, sha256=digest, seconds=waited)
        context.transport.sleep(_PAUSE_SECONDS)


def _clean(context: Context, node: str, trips: Sequence[_Trip]) -> list[str]:
    """Remove everything on both sides; the places where something may be left."""
    places = [{"folder": trip.folder} for trip in trips]
    try:
        rows = _ask(context, node, "clean", places, 0.0, [])
    except AwsRefused as refused:
        rows = str(refused)
    left = [
        trip.folder
        for trip in trips
        if isinstance(rows, str) or rows.get(trip.folder, {}).get("removed") is not True
    ]
    return left + [
        f"s3://{trip.objects.bucket}/{trip.objects.prefix}" for trip in trips if not _remove(context, trip)
    ]


def _remove(context: Context, trip: _Trip) -> bool:
    """Whether the bucket is clean: an export that was still under way may come after the first look."""
    quiet = 0
    try:
        for _ in range(_MOST_LOOKS):
            quiet = 0 if trip.objects.remove() else quiet + 1
            if quiet == _QUIET_LOOKS or not trip.goes_out:
                return True
            context.transport.sleep(_PAUSE_SECONDS)
    except AwsRefused as refused:
        context.progress.note(str(refused))
    return False


def _ask(
    context: Context,
    node: str,
    action: str,
    places: list[dict[str, Any]],
    seconds: float,
    evidence: list[str],
) -> dict[str, Mapping[str, Any]] | str:
    """The node's rows by folder, or why there are none."""
    settings = encode_settings(run_id=context.evidence.run_id, action=action, seconds=seconds, places=places)
    question = Question("association", ("--settings", settings), int(seconds) + _MARGIN_SECONDS)
    reply = context.transport.ask(instance_ids=[node], question=question)[node]
    if reply.answer is None:
        return reply.problem or "no reason given"
    body = reply.answer.body
    evidence.append(context.evidence.keep_json(f"nodes/{node}/association-{action}.json", body))
    rows = body.get("places")
    return {
        str(row.get("folder")): row
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    }
