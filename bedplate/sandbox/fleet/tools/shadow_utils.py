"""``groupadd``, ``useradd`` and ``usermod``: on the node's own files, never on those of its player."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.user_files import change_users
from bedplate.sandbox.fleet.truth import NodeTruth


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    change_users(node.root, tool, arguments)
    return 0
