"""Slurm parameters that a user sets by their names in slurm.conf."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictStr

SettingValue = Annotated[StrictStr, Field(pattern=r"^[^\x00-\x1f\x7f]{1,1024}$")]
Settings = dict[StrictStr, SettingValue]
"""Parameter → value, both as text on one line. What may stand in it is in ``bedplate.slurm.settings``."""
