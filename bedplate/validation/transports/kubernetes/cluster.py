"""Where a cluster's API server is, and how it proves that it is the one."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ClusterAddress:
    """``certificate_authority`` is PEM text that signs the server's certificate; empty for plain HTTP, which
    is taken from a server on this machine alone.
    """

    endpoint: str
    certificate_authority: str = ""

    def __post_init__(self) -> None:
        local = self.endpoint.startswith(("http://127.0.0.1:", "http://localhost:"))
        if not local and not (self.endpoint.startswith("https://") and self.certificate_authority):
            raise ValueError(f"no API server that proves who it is: {self.endpoint!r}")


def cluster_address(*, eks: Any, name: str) -> ClusterAddress:
    """By DescribeCluster; call it inside of ``aws_errors``. Raises ``ValueError`` for a cluster that has no
    endpoint yet.
    """
    cluster = eks.describe_cluster(name=name)["cluster"]
    told = cluster.get("certificateAuthority", {}).get("data", "")
    return ClusterAddress(cluster.get("endpoint", ""), base64.b64decode(told).decode("ascii"))
