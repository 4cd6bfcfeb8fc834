"""Slurm parameters that a user sets by their names in slurm.conf."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictStr

from bedplate.spec.base import about

SettingValue = Annotated[
    StrictStr,
    about(
        "The parameter's value",
        update="in-place",
        pattern=r"^[^\s\x00-\x1f\x7f#\"'\\]{1,1024}$",
        remedy="Give one value without spaces, quotes, # or \\: after a space another parameter begins.",
    ),
]
Settings = dict[StrictStr, SettingValue]
"""Parameter → value, both as text on one line. What may stand in it is in ``bedplate.slurm.settings``."""
