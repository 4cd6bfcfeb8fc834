"""A file or folder that ``cdk deploy`` uploads to the bootstrap bucket."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from aws_cdk import AssetStaging, FileAssetPackaging, Stack
from constructs import Construct


class FileAsset(Construct):
    """What ``aws_s3_assets.Asset`` does, by the CDK's core alone.

    That module brings the S3 and IAM libraries along, in Python and in Node, for grants that are not used
    here. ``kind`` is ``file`` for a file as it is, ``folder`` for one that is zipped at the upload.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        path: Path,
        kind: Literal["file", "folder"],
        exclude: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        staged = AssetStaging(self, "Stage", source_path=str(path), exclude=list(exclude) or None)
        location = stack.synthesizer.add_file_asset(
            source_hash=staged.asset_hash,
            file_name=staged.relative_staged_path(stack),
            packaging=FileAssetPackaging.FILE if kind == "file" else FileAssetPackaging.ZIP_DIRECTORY,
            display_name=self.node.path.removeprefix(f"{stack.node.path}/"),
        )
        self.bucket_name: str = location.bucket_name
        """The bucket that it is uploaded to."""
        self.key: str = location.object_key
        """The object's key."""
