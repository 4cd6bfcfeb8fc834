"""The programs that our pods run, carried by one immutable ConfigMap for each question."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from bedplate.kubernetes.validation.names import NAMESPACE, labels

LIMIT_BYTES = 1 << 20
"""What a ConfigMap may hold (Kubernetes, "ConfigMaps")."""


class ProgramTooLargeError(ValueError):
    """The files do not fit into a ConfigMap."""


def program_map(*, name: str, run_id: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Raises ``ProgramTooLargeError``; the API server would refuse it with a message about a limit."""
    size = sum(len(content) for content in files.values())
    if size > LIMIT_BYTES:
        raise ProgramTooLargeError(f"the programs have {size} bytes, a ConfigMap holds {LIMIT_BYTES}")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels(run_id)},
        "immutable": True,
        "binaryData": {
            key: base64.b64encode(content).decode("ascii") for key, content in sorted(files.items())
        },
    }
