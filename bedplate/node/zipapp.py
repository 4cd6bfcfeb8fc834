"""Build ``bedplate-node.pyz``: the programs that run on nodes, in one file that needs nothing but Python 3.9.

The same sources give the same bytes on every machine: names sorted, times fixed, nothing compressed
(compression differs from one zlib to the next, and the file's digest is part of the synthesised template).
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Iterator, Mapping, Optional

import bedplate

PACKAGES = ("diagnosis", "hardware", "node")
MODULES = ("__init__.py", "errors.py", "explanation.py")
_INTERPRETER = b"#!/usr/bin/env python3\n"
_ENTRY = "import sys\n\nfrom bedplate.node.__main__ import main\n\nsys.exit(main())\n"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_REGULAR_FILE_0644 = 0o100644 << 16
_UNIX = 3


def build_node_zipapp(*, output: Path, data: Optional[Mapping[str, bytes]] = None) -> Path:
    """Write the zipapp to ``output`` (its folder is made) and return the path. ``data`` are files that it
    carries beside the node's package, by name.
    """
    root = Path(bedplate.__file__).parent
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as stream:
        stream.write(_INTERPRETER)
        with zipfile.ZipFile(stream, "w", compression=zipfile.ZIP_STORED) as archive:
            archive.writestr(_entry("__main__.py"), _ENTRY)
            for name, content in sorted((data or {}).items()):
                archive.writestr(_entry(f"bedplate/node/{name}"), content)
            for path in sorted(_sources(root), key=lambda path: path.relative_to(root).as_posix()):
                archive.writestr(_entry(f"bedplate/{path.relative_to(root).as_posix()}"), path.read_bytes())
    output.chmod(0o755)
    return output


def _sources(root: Path) -> Iterator[Path]:
    for name in MODULES:
        if (root / name).exists():
            yield root / name
    for package in PACKAGES:
        yield from (root / package).rglob("*.py")


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_EPOCH)
    info.create_system = _UNIX
    info.external_attr = _REGULAR_FILE_0644
    return info
