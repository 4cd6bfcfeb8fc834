"""The node program as an asset of the deployment."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.node.bootstrap.exporters.table import FILE as METRICS_TABLE
from bedplate.node.zipapp import build_node_zipapp
from bedplate.telemetry.node_table import node_table


class NodeProgram(Construct):
    """``bedplate-node.pyz`` in the CDK's asset bucket.

    The file is built anew at each synthesis and the same sources give the same bytes, so its digest (and with
    it the user data of every node) changes only when the program does.
    """

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        super().__init__(scope, id)
        with tempfile.TemporaryDirectory(prefix="bedplate-node-") as folder:
            path = build_node_zipapp(
                output=Path(folder) / "bedplate-node.pyz", data={METRICS_TABLE: node_table()}
            )
            self.sha256: str = hashlib.sha256(path.read_bytes()).hexdigest()
            """Digest that the node compares after the download, 64 hexadecimal digits."""
            # The asset is copied into the cloud assembly at once, so the folder may go.
            asset = FileAsset(self, "File", path=path, kind="file")
        self.bucket_name: str = asset.bucket_name
        """The bucket that ``cdk deploy`` uploads it to."""
        self.key: str = asset.key
        """The object's key."""
