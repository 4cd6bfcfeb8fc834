"""This package as a wheel, made from the files that are installed: the same sources give the same bytes."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import bedplate

_EPOCH = (1980, 1, 1, 0, 0, 0)
_REGULAR_FILE_0644 = 0o100644 << 16
_UNIX = 3
WHEEL_NAME = f"bedplate-{bedplate.__version__}-py3-none-any.whl"
_ENTRY_POINTS = "[console_scripts]\nbedplate = bedplate.cli.main:main\n"


def build_wheel(*, folder: Path) -> Path:
    """Write the wheel into ``folder`` and return its path.

    Its metadata name no dependencies: whoever installs it installs those of the lock file first, by hash.
    """
    root = Path(bedplate.__file__).parent
    path = folder / WHEEL_NAME
    record = []
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_STORED) as archive:
        for name, content in [*_package(root), *_metadata()]:
            archive.writestr(_entry(name), content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")
            record.append(f"{name},sha256={digest},{len(content)}")
        name = f"{_INFO}/RECORD"
        archive.writestr(_entry(name), "\n".join([*record, f"{name},,", ""]))
    return path


_INFO = f"bedplate-{bedplate.__version__}.dist-info"


def _package(root: Path) -> Iterator[tuple[str, bytes]]:
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    for path in sorted(files, key=lambda each: each.relative_to(root).as_posix()):
        yield f"bedplate/{path.relative_to(root).as_posix()}", path.read_bytes()


def _metadata() -> Iterator[tuple[str, bytes]]:
    version = bedplate.__version__
    texts = {
        "METADATA": f"Metadata-Version: 2.1\nName: bedplate\nVersion: {version}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: bedplate\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "entry_points.txt": _ENTRY_POINTS,
    }
    for name, text in texts.items():
        yield f"{_INFO}/{name}", text.encode("utf-8")


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_EPOCH)
    info.create_system = _UNIX
    info.external_attr = _REGULAR_FILE_0644
    return info
