"""FSX-003 by its step: what is put where, who is asked, and that nothing stays, whatever happens."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.errors import AwsRefused
from bedplate.manifest import AssociationManifest, FileSystemManifest
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.round_trip import round_trip
from bedplate.validation.transports.question import Question
from tests.validation.steps import small_cluster

HERE = ".bedplate-validation/run-1/"
IN, OUT = f"v1/{HERE}in.bin", f"{HERE}out.bin"
RELEASED = "x: (0x0000000d) released exists archived, archive_id:1"


class Buckets:
    """S3 with versions; ``refused`` are the operations that the caller may not make."""

    def __init__(self) -> None:
        self.versions: dict[tuple[str, str], list[bytes]] = {}
        self.refused: set[str] = set()

    def _allow(self, operation: str) -> None:
        if operation in self.refused:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": operation}}, operation)

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **_: Any) -> None:  # noqa: N803
        """A new version; evidence is not kept here."""
        if Bucket != "bucket":
            self._allow("PutObject")
            self.versions.setdefault((Bucket, Key), []).append(Body)

    def get_object(self, *, Bucket: str, Key: str) -> Mapping[str, Any]:  # noqa: N803
        """The newest version."""
        return {"Body": io.BytesIO(self.versions[Bucket, Key][-1])}

    def list_objects_v2(self, *, Bucket: str, Prefix: str, **_: Any) -> Mapping[str, Any]:  # noqa: N803
        """Keys that begin so."""
        self._allow("ListObjectsV2")
        return {"Contents": [{"Key": key} for name, key in self.versions if (name, key) >= (Bucket, Prefix)]}

    def list_object_versions(self, *, Bucket: str, Prefix: str) -> Mapping[str, Any]:  # noqa: N803
        """Every version of the keys that begin so."""
        self._allow("ListObjectVersions")
        found = [
            {"Key": key, "VersionId": str(number)}
            for (name, key), bodies in self.versions.items()
            for number in range(len(bodies))
            if name == Bucket and key.startswith(Prefix)
        ]
        return {"Versions": found}

    def delete_object(self, *, Bucket: str, Key: str, VersionId: str) -> None:  # noqa: N803
        """One version goes."""
        self._allow("DeleteObject")
        assert VersionId
        bodies = self.versions[Bucket, Key]
        bodies.pop()
        if not bodies:
            del self.versions[Bucket, Key]


class Clock:
    """Time passes when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds

    def now(self) -> float:
        """Seconds."""
        return self.seconds


Node = Callable[[str, dict[str, Any], Buckets], dict[str, Any] | str]


def honest(_node: str, settings: dict[str, Any], buckets: Buckets) -> dict[str, Any] | str:
    """A node whose file system and buckets are one."""
    if settings["action"] == "clean":
        return {"places": [{"folder": each["folder"], "removed": True} for each in settings["places"]]}
    rows = []
    for place in settings["places"]:
        row: dict[str, Any] = {"folder": place["folder"], "in": None, "out": None}
        if place["in"]:
            digest = hashlib.sha256(buckets.versions["data", IN][-1]).hexdigest()
            row["in"] = {"appeared": True, "seconds": 9.0, "sha256": digest, "state_before": RELEASED}
        if place["out"]:
            buckets.put_object(Bucket="checkpoints", Key=OUT, Body=b"from Lustre")
            buckets.put_object(Bucket="checkpoints", Key=HERE, Body=b"")
            row["out"] = {"sha256": hashlib.sha256(b"from Lustre").hexdigest(), "problem": ""}
        rows.append(row)
    return {"places": rows}


def run(
    node: Node = honest, *, buckets: Buckets | None = None, prepare: Callable[[Context], None] | None = None
) -> tuple[Verdict, Buckets, Context]:
    """The step on a cluster whose Lustre has one folder each way; the verdict, and what stays in S3."""
    there = buckets or Buckets()

    def answer(instance_id: str, question: Question) -> dict[str, Any] | str:
        settings = json.loads(base64.urlsafe_b64decode(question.options[1]))
        assert settings["run_id"] == "run-1"
        return node(instance_id, settings, there)

    context = small_cluster.context_of({"association": answer})
    context.record.manifest = context.record.manifest.model_copy(update={"file_systems": [_LUSTRE]})
    clock, transport = Clock(), context.transport
    transport.sleep, transport.clock = clock.sleep, clock.now  # type: ignore[method-assign]
    context.clients.s3 = there  # type: ignore[misc, assignment]
    if prepare is not None:
        prepare(context)
    round_trip(context)
    (verdict,) = context.record.verdicts[-1:]
    assert verdict.check_id == "FSX-003"
    return verdict, there, context


_LUSTRE = FileSystemManifest(
    kind="lustre",
    created=True,
    file_system_id="fs-1",
    mount_source="fs-1@tcp:/a",
    mount_path="/fsx",
    efa=True,
    associations=[
        AssociationManifest(path="/datasets", data_repository="s3://data/v1/", imports=["new", "changed"]),
        AssociationManifest(path="/checkpoints", data_repository="s3://checkpoints/", exports=["new"]),
        AssociationManifest(path="/by-hand", data_repository="s3://by-hand/", imports=["deleted"]),
    ],
)


def test_files_that_travel_both_ways_pass_and_nothing_stays() -> None:
    """One folder each way; the one in which nothing travels by itself is left alone."""
    verdict, buckets, context = run()
    assert (verdict.outcome, verdict.measured, verdict.findings) == (Outcome.PASS, 2, ()), verdict.summary
    assert buckets.versions == {}
    asked = context.transport.asked  # type: ignore[attr-defined]
    assert asked == [("association", (small_cluster.name(0),))] * 2


def test_nothing_is_asked_where_nothing_travels_by_itself() -> None:
    """No verdict, no object."""
    context = small_cluster.context_of({})
    round_trip(context)
    assert context.record.verdicts == []


def test_a_file_that_never_reaches_the_bucket_is_a_broken_association() -> None:
    """It is looked for until the time is over."""

    def mute(node: str, settings: dict[str, Any], buckets: Buckets) -> dict[str, Any] | str:
        told = honest(node, settings, buckets)
        buckets.versions.pop(("checkpoints", OUT), None)
        return told

    verdict, buckets, _ = run(mute)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "association-broken")
    assert "/fsx/checkpoints" in verdict.summary
    assert buckets.versions == {}


def test_a_file_that_arrives_changed_is_a_broken_association() -> None:
    """The object's digest is not the file's."""

    def forge(node: str, settings: dict[str, Any], buckets: Buckets) -> dict[str, Any] | str:
        told = honest(node, settings, buckets)
        if settings["action"] == "trip":
            buckets.put_object(Bucket="checkpoints", Key=OUT, Body=b"something else")
        return told

    verdict, buckets, _ = run(forge)
    assert (verdict.outcome, "not what was written" in verdict.summary) == (Outcome.FAIL, True)
    assert buckets.versions == {}


@pytest.mark.parametrize(
    ("operation", "outcome", "left"),
    [
        ("PutObject", Outcome.ERROR, 0),
        ("ListObjectsV2", Outcome.ERROR, 0),
        ("ListObjectVersions", Outcome.PASS, 2),
        ("DeleteObject", Outcome.PASS, 2),
    ],
)
def test_a_right_that_is_missing_is_an_error_or_a_finding(
    operation: str, outcome: Outcome, left: int
) -> None:
    """What cannot be tried is not known; what cannot be removed is told."""
    buckets = Buckets()
    buckets.refused = {operation}
    if operation == "PutObject":
        real = buckets.put_object

        def only_fsx(*, Bucket: str, Key: str, Body: bytes, **_: Any) -> None:  # noqa: N803
            if Bucket == "data":
                real(Bucket=Bucket, Key=Key, Body=Body)
            buckets.versions.setdefault((Bucket, Key), []).append(Body)

        buckets.put_object = only_fsx  # type: ignore[method-assign]
    verdict, _, _ = run(buckets=buckets)
    assert verdict.outcome is outcome, verdict.summary
    assert sum("may still be there" in each.text for each in verdict.findings) == left


@pytest.mark.parametrize("told", ["cut off", {}, {"places": None}, {"places": [1]}, {"places": []}])
def test_an_answer_that_cannot_be_used_is_an_error_and_the_object_goes(told: Any) -> None:
    """Nothing is known of either way; what was put into S3 is removed, what the node has left is told."""

    def silent(_node: str, _settings: dict[str, Any], _buckets: Buckets) -> dict[str, Any] | str:
        answer: dict[str, Any] | str = told
        return answer

    verdict, buckets, _ = run(silent)
    assert (verdict.outcome, verdict.measured) == (Outcome.ERROR, 0)
    assert buckets.versions == {}
    assert sum("may still be there" in each.text for each in verdict.findings) == 2


def test_an_interrupt_leaves_nothing_behind_either() -> None:
    """Whoever stops the run while the node waits: both sides are cleaned, and the interrupt goes on."""
    cleaned: list[str] = []

    def interrupted(node: str, settings: dict[str, Any], buckets: Buckets) -> dict[str, Any] | str:
        if settings["action"] == "trip":
            raise KeyboardInterrupt
        cleaned.extend(each["folder"] for each in settings["places"])
        return honest(node, settings, buckets)

    buckets = Buckets()
    with pytest.raises(KeyboardInterrupt):
        run(interrupted, buckets=buckets)
    assert buckets.versions == {}
    assert cleaned == ["/fsx/datasets", "/fsx/checkpoints"]


def test_a_run_that_aws_ends_tells_what_it_may_have_left() -> None:
    """The node can be asked no more: its folders are named, the bucket cleaned, the refusal goes on."""

    def throttled(_node: str, _settings: dict[str, Any], _buckets: Buckets) -> dict[str, Any] | str:
        raise AwsRefused("sending a question: ThrottlingException", error_id="AWS-004", remedy="")

    buckets, kept = Buckets(), list[Context]()
    with pytest.raises(AwsRefused):
        run(throttled, buckets=buckets, prepare=kept.append)
    (verdict,) = kept[0].record.verdicts[-1:]
    assert (verdict.check_id, verdict.outcome) == ("FSX-003", Outcome.ERROR)
    assert "ThrottlingException" in verdict.summary
    left = [each.text for each in verdict.findings if "may still be there" in each.text]
    assert [text.rsplit(": ", 1)[1] for text in left] == ["/fsx/datasets", "/fsx/checkpoints"]
    assert buckets.versions == {}


def test_a_node_whose_file_systems_are_not_well_is_not_asked() -> None:
    """The next one is; where there is none, the login node; without that nothing can be tried."""

    def failing(*numbers: int) -> Callable[[Context], None]:
        def prepare(context: Context) -> None:
            context.record.add(
                Verdict("FSX-001", Subject("node", (small_cluster.name(number),)), Outcome.FAIL, "")
                for number in numbers
            )

        return prepare

    def asked(context: Context) -> list[tuple[str, ...]]:
        return [names for _, names in context.transport.asked]  # type: ignore[attr-defined]

    verdict, _, context = run(prepare=failing(0))
    assert (verdict.outcome, asked(context)) == (Outcome.PASS, [(small_cluster.name(1),)] * 2)
    verdict, _, context = run(prepare=failing(0, 1, 2, 3))
    assert (verdict.outcome, asked(context)) == (Outcome.PASS, [(small_cluster.LOGIN,)] * 2)

    def alone(context: Context) -> None:
        failing(0, 1, 2, 3)(context)
        context.logins = ()

    verdict, buckets, context = run(prepare=alone)
    assert (verdict.outcome, asked(context), buckets.versions) == (Outcome.ERROR, [], {})
