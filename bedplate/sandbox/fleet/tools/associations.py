"""Folders of a simulated Lustre that are tied to S3: FSx moves a file when somebody asks for its state.

Real FSx does it by itself, in a while; here ``lfs hsm_state`` is the moment at which an object that is new
shows as a file, and a file that is new goes to the bucket.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bedplate.sandbox.fleet.tools.aws import ask_s3
from bedplate.sandbox.fleet.tools.lustre import mounted
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import ASSOCIATIONS_FILE, NodeTruth

_RELEASED = "(0x0000000d) released exists archived, archive_id:1"
_LOADED = "(0x00000009) exists archived, archive_id:1"


def state_of(node: NodeTruth, path: str) -> str:
    """The line of ``lfs hsm_state``. Raises ``ToolRefused`` where there is no such file."""
    here = node.root / path.lstrip("/")
    if here.is_file():
        return f"{path}: {_of_file(node, path, here)}"
    if _import(node, path, here):
        return f"{path}: {_RELEASED}"
    raise ToolRefused(f"can't get hsm state for {path}: No such file or directory", 2)


def _of_file(node: NodeTruth, path: str, here: Path) -> str:
    """A file that is in S3 too, one that is exported now, or one that is in Lustre alone."""
    for bucket, key, row in _tied(node, path):
        if _in_bucket(bucket, key) == here.read_bytes():
            return _LOADED
        if "NEW" in row["exports"] and not node.effects.associations_broken:
            ask_s3("PUT", bucket, key, here.read_bytes())
            return _LOADED
    return "(0x00000000)"


def _import(node: NodeTruth, path: str, here: Path) -> bool:
    if node.effects.associations_broken:
        return False
    for bucket, key, row in _tied(node, path):
        content = _in_bucket(bucket, key) if "NEW" in row["imports"] else None
        if content is not None:
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_bytes(content)
            return True
    return False


def _in_bucket(bucket: str, key: str) -> bytes | None:
    try:
        return ask_s3("GET", bucket, key)
    except ToolRefused:
        return None


def _tied(node: NodeTruth, path: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(bucket, key, association) of a path in a folder that is tied."""
    known = node.folder.parent / ASSOCIATIONS_FILE
    rows = json.loads(known.read_text(encoding="utf-8")) if known.exists() else []
    for mount in mounted(node):
        for row in rows:
            folder = mount.target.rstrip("/") + row["path"].rstrip("/") + "/"
            if mount.source.startswith(row["file_system_id"] + ".") and path.startswith(folder):
                yield row["bucket"], row["prefix"] + path.removeprefix(folder), row
