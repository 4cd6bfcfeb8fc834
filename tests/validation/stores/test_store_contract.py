"""What every store promises: conditional writes that only one of two writers wins."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from bedplate.errors import AwsRefused
from bedplate.validation.stores.bucket import BucketStore
from bedplate.validation.stores.folder import FolderStore
from bedplate.validation.stores.store import ChangedMeanwhile, Store


class FakeS3:
    """S3's conditional writes, with a clock of its own."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, str, datetime]] = {}
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.writes = 0
        self.refuse = ""

    def put_object(self, Bucket, Key, Body, IfNoneMatch=None, IfMatch=None):  # noqa: N803
        """Write, or 412."""
        if self.refuse:
            raise ClientError({"Error": {"Code": self.refuse, "Message": "no"}}, "PutObject")
        there = self.objects.get(Key)
        if (IfNoneMatch and there) or (IfMatch and (not there or there[1] != IfMatch)):
            raise ClientError({"Error": {"Code": "PreconditionFailed", "Message": "no"}}, "PutObject")
        self.writes += 1
        self.objects[Key] = (Body, f'"{self.writes}"', self.now)
        return {"ETag": f'"{self.writes}"'}

    def get_object(self, Bucket, Key):  # noqa: N803
        """Read, with the date of the answer."""
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": "no"}}, "GetObject")
        body, tag, written = self.objects[Key]
        date = f"{self.now:%a, %d %b %Y %H:%M:%S} GMT"
        headers = {"HTTPHeaders": {"date": date}}
        return {"Body": io.BytesIO(body), "ETag": tag, "LastModified": written, "ResponseMetadata": headers}


def bucket_store() -> tuple[BucketStore, FakeS3]:
    """A store over the fake."""
    s3 = FakeS3()
    return BucketStore(SimpleNamespace(s3=s3), "bucket"), s3  # type: ignore[arg-type]


@pytest.fixture(params=["bucket", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """One store after the other."""
    return bucket_store()[0] if request.param == "bucket" else FolderStore(tmp_path)


def test_what_is_not_there_is_none(store: Store) -> None:
    """Reading it is no error."""
    assert store.read("runs/current.json") is None


def test_of_two_who_create_one_wins(store: Store) -> None:
    """The second is told, and what the first wrote stays."""
    store.create("a/b", b"first")
    with pytest.raises(ChangedMeanwhile):
        store.create("a/b", b"second")
    found = store.read("a/b")
    assert found is not None
    assert found.body == b"first"
    assert 0 <= found.age_seconds < 60


def test_of_two_who_replace_the_same_version_one_wins(store: Store) -> None:
    """A tag is good for one write, be the text the same or not."""
    tag = store.create("a", b"one")
    second = store.replace("a", b"one", tag=tag)
    assert second != tag
    with pytest.raises(ChangedMeanwhile):
        store.replace("a", b"three", tag=tag)
    assert store.replace("a", b"four", tag=second)


def test_what_is_gone_cannot_be_replaced(store: Store) -> None:
    """There is no version with that tag."""
    with pytest.raises(ChangedMeanwhile):
        store.replace("nothing", b"x", tag='"7"')


def test_a_write_without_condition_always_writes(store: Store) -> None:
    """Whatever is there."""
    for text in (b"1", b"2"):
        store.write("a", text)
    found = store.read("a")
    assert found is not None
    assert found.body == b"2"


def test_the_age_is_by_the_clock_of_the_bucket() -> None:
    """Two controllers whose clocks differ agree whether a run is dead."""
    store, s3 = bucket_store()
    store.create("a", b"x")
    s3.now += timedelta(seconds=700)
    found = store.read("a")
    assert found is not None
    assert found.age_seconds == 700


def test_a_refusal_of_s3_is_a_refusal_and_no_lost_race() -> None:
    """Access denied is told as such."""
    store, s3 = bucket_store()
    s3.refuse = "AccessDenied"
    with pytest.raises(AwsRefused, match="not allowed"):
        store.create("a", b"x")
