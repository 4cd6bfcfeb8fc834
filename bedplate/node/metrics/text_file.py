"""One file of the folder that node_exporter reads: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_text_file(folder: Path, name: str, text: str) -> Path:
    """Put ``NAME.prom`` there. It is written under another name first, which the exporter does not read."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.prom"
    partial = folder / f".{name}.{os.getpid()}.partial"
    try:
        partial.write_text(text, encoding="utf-8")
        partial.chmod(0o644)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def remove_text_file(folder: Path, name: str) -> None:
    """Take it away: what is not known is not to be served on and on."""
    (folder / f"{name}.prom").unlink(missing_ok=True)
