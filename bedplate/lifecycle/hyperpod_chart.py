"""Fetches HyperPod's chart, which no registry has, into a folder that ``cdk deploy`` uploads."""

from __future__ import annotations

import io
import shutil
import tarfile
import urllib.request
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from bedplate.kubernetes.hyperpod import chart

URL = f"https://codeload.github.com/{chart.REPOSITORY}/tar.gz/{chart.COMMIT}"
TIMEOUT_SECONDS = 60
LARGEST_BYTES = 200 * 2**20
"""Of the archive, unpacked; far beyond what the repository has."""


def fetch_chart(
    folder: Path, *, mpi_operator: bool = False, download: Callable[[str], bytes] | None = None
) -> None:
    """Put the chart into ``folder``, in place of what is there; it lies there whole or not at all.

    ``OSError`` where GitHub is out of reach, ``ValueError`` where it gives other files than the pinned ones.
    """
    archive = (download or _download)(URL)
    files = chart.chart_files(_unpacked(archive), mpi_operator=mpi_operator)
    made = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    for path, content in files.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes(content)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def _unpacked(archive: bytes) -> Mapping[str, bytes]:
    """Path in the chart's folder → content. Nothing is unpacked to disk, and links are no files."""
    found: dict[str, bytes] = {}
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as opened:
            for member in opened:
                size += member.size
                if size > LARGEST_BYTES:
                    raise ValueError(f"{URL}: more than {LARGEST_BYTES} bytes, which is no chart")
                # The first folder is named after repository and commit.
                path = member.name.partition("/")[2]
                content = opened.extractfile(member) if member.isfile() else None
                if content is not None and path.startswith(f"{chart.FOLDER}/"):
                    found[path.removeprefix(f"{chart.FOLDER}/")] = content.read()
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise ValueError(f"{URL}: no archive came ({error}); try again") from error
    return found


def _download(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - https, a constant
        content: bytes = answer.read()
    return content
