"""The NVMe disks of this node as the kernel's ``/sys/block`` shows them, unjudged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, Optional

_DISK = re.compile(r"^nvme\d+n\d+$")


def nvme_disks(folder: Path) -> Optional[List[Dict[str, Any]]]:
    """``[{"name", "model", "serial", "sectors" (of 512 bytes; null where unknown), "holders"}]``; None where
    the folder is not there to be read.
    """
    if not folder.is_dir():
        return None
    return [_disk(path) for path in sorted(folder.iterdir()) if _DISK.match(path.name)]


def _disk(path: Path) -> Dict[str, Any]:
    sectors = _text(path / "size")
    holders = path / "holders"
    return {
        "name": path.name,
        "model": _text(path / "device" / "model"),
        "serial": _text(path / "device" / "serial"),
        "sectors": int(sectors) if sectors.isdigit() else None,
        "holders": sorted(each.name for each in holders.iterdir()) if holders.is_dir() else [],
    }


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
