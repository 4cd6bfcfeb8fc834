"""The objects of one round trip in one bucket: put, look for, and remove with all their versions."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from bedplate.node.association import IN, OUT, OWN_FOLDER, SIZE_BYTES
from bedplate.validation.aws import AwsClients, aws_errors


@dataclass(frozen=True)
class AssociationObjects:
    """Everything that one run puts into one data repository (``s3://bucket/prefix``)."""

    clients: AwsClients
    data_repository: str
    run_id: str

    @property
    def bucket(self) -> str:
        """The bucket's name."""
        return urlsplit(self.data_repository).netloc

    @property
    def prefix(self) -> str:
        """What all keys of the run begin with."""
        return f"{self._base}{self.run_id}/"

    @property
    def _base(self) -> str:
        folder = urlsplit(self.data_repository).path.strip("/")
        return f"{folder}/{OWN_FOLDER}/" if folder else f"{OWN_FOLDER}/"

    def put(self) -> str:
        """Put the object that is to show as a file; its SHA-256. Raises ``AwsRefused``."""
        content = os.urandom(SIZE_BYTES)
        with aws_errors(f"putting s3://{self.bucket}/{self.prefix}{IN}"):
            self.clients.s3.put_object(Bucket=self.bucket, Key=self.prefix + IN, Body=content)
        return hashlib.sha256(content).hexdigest()

    def arrived(self) -> str | None:
        """The SHA-256 of the object that came from the folder; None while there is none. Raises
        ``AwsRefused``. The listing is asked, since a key that is not there may be answered as a refusal.
        """
        key = self.prefix + OUT
        with aws_errors(f"looking for s3://{self.bucket}/{key}"):
            listed = self.clients.s3.list_objects_v2(Bucket=self.bucket, Prefix=key, MaxKeys=1)
            if not any(each.get("Key") == key for each in listed.get("Contents", [])):
                return None
            body = self.clients.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return hashlib.sha256(body).hexdigest()

    def remove(self) -> int:
        """Remove every version of every key of the run; how many there were. Raises ``AwsRefused``.

        FSx also exports folders, as keys that end in a slash; they go too.
        """
        removed = 0
        with aws_errors(f"removing what lies below s3://{self.bucket}/{self.prefix}"):
            page = self.clients.s3.list_object_versions(Bucket=self.bucket, Prefix=self.prefix)
            for each in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                key, version = each.get("Key", ""), each.get("VersionId", "")
                if key.startswith(self.prefix):
                    self.clients.s3.delete_object(Bucket=self.bucket, Key=key, VersionId=version)
                    removed += 1
        return removed
