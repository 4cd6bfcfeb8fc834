"""The RDMA devices of this node and their counters, as sysfs has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Optional

from bedplate.node.identity import node_root


def infiniband_folder() -> Path:
    """Where the kernel lists RDMA devices on this node."""
    return Path(node_root() + "/sys/class/infiniband")


def infiniband_devices(folder: Path) -> Optional[List[Dict[str, Any]]]:
    """Every device of the folder with its PCI vendor and device id, its driver's name and its counters.

    The folder lists more than EFA on some types (NVLink ports on p6-b200), so the vendor id (Amazon: 0x1d0f)
    decides later. None where sysfs itself is not there to be read; a missing folder means no device.
    """
    if not folder.parent.is_dir():
        return None
    if not folder.is_dir():
        return []
    return [_device(path) for path in sorted(folder.iterdir(), key=lambda path: path.name)]


def hw_counters(path: Path) -> Dict[str, int]:
    """The counters of the device (``hw_counters``) and of its first port, those that are whole numbers."""
    found: Dict[str, int] = {}
    for folder in (f"{path}/hw_counters", f"{path}/ports/1/hw_counters"):
        # A node has a thousand of them, and they are read around each test: a Path for each took the most.
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            text = _text(f"{folder}/{name}")
            if text.isdigit():
                found[name] = int(text)
    return found


def _device(path: Path) -> Dict[str, Any]:
    driver = path / "device" / "driver"
    return {
        "name": path.name,
        "vendor": _text(f"{path}/device/vendor"),
        "device": _text(f"{path}/device/device"),
        "driver": driver.resolve().name if driver.exists() or driver.is_symlink() else "",
        "hw_counters": hw_counters(path),
    }


def _text(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
            return stream.read().decode("utf-8", errors="replace").strip()
    except OSError:
        return ""
