"""Where one build runs: its source unpacked, its wheel installed, its environment."""

from __future__ import annotations

import io
import os
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bedplate.sandbox.services.s3_objects import read_object

_PYTHON = '#!/bin/sh\nexec "{python}" "$@"\n'


def unpack_source(project: Mapping[str, Any], *, account: str, folder: Path) -> Path:
    """Unpack an S3 source as CodeBuild does; returns the folder that the build begins in."""
    bucket, _, key = project["source"]["location"].partition("/")
    source = folder / "src"
    zipfile.ZipFile(io.BytesIO(read_object(account, bucket, key))).extractall(source)
    return source


def install(source: Path, *, folder: Path) -> Path:
    """Put the wheels of the source in place, and a ``python3``; returns the folder that Python imports from.

    What the wheels need is not fetched: it is this process's own environment, which the same lock made.
    """
    site = folder / "site"
    for wheel in sorted(source.glob("*.whl")):
        zipfile.ZipFile(wheel).extractall(site)
    program = folder / "bin" / "python3"
    program.parent.mkdir(parents=True)
    program.write_text(_PYTHON.format(python=sys.executable))
    program.chmod(0o755)
    return site


def build_environment(
    *,
    folder: Path,
    site: Path,
    endpoint: str,
    region: str,
    variables: Mapping[str, str],
) -> dict[str, str]:
    """The environment of the build's commands: nothing of this process's but PATH and the language."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {
        **kept,
        "PATH": os.pathsep.join([str(folder / "bin"), kept.get("PATH", os.defpath)]),
        "PYTHONPATH": str(site),
        "PYTHONUNBUFFERED": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",  # the sandbox checks no signature
        "AWS_SESSION_TOKEN": "testing",
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CODEBUILD_SRC_DIR": str(folder / "src"),
        **variables,
    }
