"""Loads the handler of Grafana's content as Lambda does: its folder on the path, each module by its name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "bedplate/constructs/handlers/grafana_content"
MODULES = ("content", "grafana_http", "index", "workspace")


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module of the folder anew; the path is put back after the test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for each in MODULES:
        monkeypatch.delitem(sys.modules, each, raising=False)
    return importlib.import_module(name)
