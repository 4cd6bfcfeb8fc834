"""Volcano: a scheduler that places gangs by the network's topology."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES


def volcano_values(*, version: str) -> dict[str, Any]:
    """``version`` is the chart's, which its images are named by."""
    return {
        "basic": {"image_tag_version": f"v{version}", "image_pull_policy": "IfNotPresent"},
        "custom": {"default_ns": SYSTEM_NODES},
    }
