"""What is on a simulated block device: kept as JSON in the device's own file, empty where nothing is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from bedplate.sandbox.fleet.truth import NodeTruth


@dataclass(frozen=True)
class Content:
    """A file system, or a member of an array."""

    kind: str
    label: str
    uuid: str
    members: int = 0


def device_file(node: NodeTruth, device: str) -> Path:
    """The file that plays a device, named as on the node; links lead to what they name."""
    return (node.root / device.lstrip("/")).resolve()


def read_content(node: NodeTruth, device: str) -> Content | None:
    """What is on it, None where nothing is. Raises ``OSError`` where there is no such device."""
    text = device_file(node, device).read_text(encoding="utf-8")
    return Content(**json.loads(text)) if text else None


def write_content(node: NodeTruth, device: str, content: Content) -> None:
    """Put something on it."""
    device_file(node, device).write_text(json.dumps(asdict(content)), encoding="utf-8")


def on_node(node: NodeTruth, path: str) -> str:
    """A path as the node knows it: a script may also give it with the node's root before it."""
    return path.removeprefix(str(node.root)) or "/"
