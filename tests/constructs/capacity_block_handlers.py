"""Loads the handlers of Capacity Blocks as Lambda does: their folder on the path, each module by its name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "bedplate/constructs/handlers/capacity_blocks"


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module of the folder anew; the path is put back after the test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for each in ("answer", name):
        monkeypatch.delitem(sys.modules, each, raising=False)
    return importlib.import_module(name)
