"""The script of ParallelCluster's custom actions as an asset of the deployment."""

from __future__ import annotations

import tempfile
from pathlib import Path

from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.parallelcluster_script import node_script


class ParallelClusterScriptFile(Construct):
    """One object in the CDK's asset bucket; its key changes with its text."""

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        super().__init__(scope, id)
        with tempfile.TemporaryDirectory(prefix="bedplate-script-") as folder:
            path = Path(folder) / "parallelcluster-node.sh"
            path.write_text(node_script(), encoding="utf-8")
            # The asset is copied into the cloud assembly at once, so the folder may go.
            asset = FileAsset(self, "File", path=path, kind="file")
        self.bucket_name: str = asset.bucket_name
        """The bucket that ``cdk deploy`` uploads it to."""
        self.key: str = asset.key
        """The object's key."""
