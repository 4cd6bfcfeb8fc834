"""The node program as a ConfigMap can carry it."""

from __future__ import annotations

import io
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from bedplate.node.bootstrap.exporters.table import FILE as METRICS_TABLE
from bedplate.node.zipapp import build_node_zipapp
from bedplate.telemetry.node_table import node_table


@cache
def node_program() -> bytes:
    """Half a megabyte, where the file that nodes fetch at their start is over the limit of a ConfigMap.

    Built from the sources that ask, so that question and answer are of one version.
    """
    with tempfile.TemporaryDirectory(prefix="bedplate-node-") as folder:
        path = build_node_zipapp(output=Path(folder) / "node.pyz", data={METRICS_TABLE: node_table()})
        packed = io.BytesIO()
        with (
            zipfile.ZipFile(path) as plain,
            zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        ):
            for name in plain.namelist():
                archive.writestr(name, plain.read(name))
    return packed.getvalue()
