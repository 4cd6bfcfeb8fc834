"""The table of Slurm parameters: who may set what, where, under which orchestrator."""

from __future__ import annotations

from bedplate.spec.slurm_parameters.ruling import KINDS, Ruling, ruling, settable
from bedplate.spec.slurm_parameters.scope import Scope

__all__ = ["KINDS", "Ruling", "Scope", "ruling", "settable"]
