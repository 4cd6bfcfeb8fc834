"""What can be made to go wrong with a played pod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bedplate.sandbox.kubernetes.store import Object

Trouble = Literal["image-pull", "oom-killed"]


@dataclass(frozen=True)
class PodFault:
    """A trouble of all pods whose name begins with ``prefix`` and whose node is ``node``; both empty: all."""

    trouble: Trouble
    prefix: str = ""
    node: str = ""

    def strikes(self, pod: Object) -> bool:
        """Whether this pod is one of them."""
        node = pod["spec"].get("nodeName", "")
        return pod["metadata"]["name"].startswith(self.prefix) and self.node in ("", node)
