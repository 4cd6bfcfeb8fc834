"""Ids of the checks that validation makes, for waivers; held against ``bedplate.diagnosis`` by a test."""

from __future__ import annotations

KNOWN_CHECKS = (
    "DCG-001",
    "DCG-002",
    "EFA-001",
    "FAB-001",
    "FAB-002",
    "FSX-001",
    "GPU-001",
    "GPU-002",
    "GPU-003",
    "GPU-004",
    "NCL-001",
    "NCL-002",
    "NCL-003",
    "NOD-001",
    "NOD-002",
    "NVL-001",
    "NVM-001",
)
