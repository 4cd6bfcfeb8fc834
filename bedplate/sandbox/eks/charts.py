"""Where a chart is: in the folder that the sandbox was told of, in an asset of the app, or not at hand."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.services.s3_objects import read_object
from bedplate.sandbox.services.service import ApiError

_ECHO = {
    "Chart.yaml": "apiVersion: v2\nname: bedplate-echo\nversion: 0.0.0\n",
    "templates/values.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bedplate-echo\n"
        "data:\n  values: {{ .Values | toJson | quote }}\n"
    ),
}
"""A chart that tells the values that it was given, for a chart that is not at hand."""


def chart_name(properties: Mapping[str, Any]) -> str:
    """The name of the chart: with an OCI repository the last part of its address."""
    repository = str(properties.get("Repository") or "")
    if repository.startswith("oci://"):
        return repository.rstrip("/").rpartition("/")[2]
    return str(properties.get("Chart") or "").rpartition("/")[2]


def chart_at_hand(folder: Path | None, name: str, version: str) -> Path | None:
    """The chart of that name and version below ``folder``, None where there is none of that name.

    A chart is a folder with a Chart.yaml, or an archive ``NAME-VERSION.tgz``. One of another version is an
    error, as it is in a repository.
    """
    if folder is None:
        return None
    if not folder.is_dir():
        raise ResourceError(f"helm_charts: {folder} is no folder")
    found: list[str] = []
    for path in sorted(folder.iterdir()):
        about = _about(path, name)
        if about.get("name") != name:
            continue
        if _bare(str(about.get("version"))) == _bare(version):
            return path
        found.append(str(about.get("version")))
    if found:
        raise ResourceError(f'chart "{name}" version "{version}" not found; at hand: {", ".join(found)}')
    return None


def chart_of_asset(url: str, *, account: str, folder: Path) -> Path:
    """The chart in an asset that the app uploaded, unpacked into ``folder``."""
    bucket, _, key = url.removeprefix("s3://").partition("/")
    if not url.startswith("s3://"):
        raise ResourceError(f"ChartAssetURL must point to an s3 location but is {url}")
    try:
        content = read_object(account, bucket, key)
    except ApiError as error:
        raise ResourceError(f"{url}: {error}") from error
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.namelist():
            archive.extract(member, folder)
    if not (folder / "Chart.yaml").is_file():
        raise ResourceError(f"{url}: Chart.yaml file is missing")
    return folder


def echo_chart(folder: Path) -> Path:
    """A chart that tells its values, written into ``folder``."""
    for name, text in _ECHO.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def _about(path: Path, name: str) -> Mapping[str, Any]:
    """What a chart's Chart.yaml says; empty for what is no chart, or an archive of another name."""
    if (path / "Chart.yaml").is_file():
        return _read((path / "Chart.yaml").read_text(encoding="utf-8"))
    if path.suffix != ".tgz" or not re.match(rf"{re.escape(name)}-v?\d", path.name):
        return {}
    with tarfile.open(path) as archive:
        inside = [each for each in archive.getnames() if re.fullmatch(r"[^/]+/Chart\.yaml", each)]
        member = archive.extractfile(inside[0]) if inside else None
        return _read(member.read().decode("utf-8")) if member is not None else {}


def _read(text: str) -> Mapping[str, Any]:
    found = yaml.safe_load(text)
    return found if isinstance(found, dict) else {}


def _bare(version: str) -> str:
    return version.removeprefix("v")
