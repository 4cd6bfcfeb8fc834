"""Ids of the checks that validation makes, for waivers; held against ``bedplate.diagnosis`` by a test."""

from __future__ import annotations

KNOWN_CHECKS = (
    "CLK-001",
    "DCG-001",
    "DCG-002",
    "EFA-001",
    "EFA-002",
    "EFA-003",
    "FAB-001",
    "FAB-002",
    "FSX-001",
    "GDR-001",
    "GPU-001",
    "GPU-002",
    "GPU-003",
    "GPU-004",
    "GPU-005",
    "GPU-006",
    "GPU-007",
    "NCL-001",
    "NCL-002",
    "NCL-003",
    "NOD-001",
    "NOD-002",
    "NOD-003",
    "NVL-001",
    "NVM-001",
)
