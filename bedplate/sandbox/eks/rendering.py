"""Runs ``helm template`` with the very values that a deploy gives."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from bedplate.sandbox.cloudformation.errors import ResourceError

LIMIT_S = 60
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Kueue renders to 26,000 lines, over which the loader in Python takes more than ten seconds."""


def rendered(
    *,
    program: Path,
    chart: Path,
    release: str,
    namespace: str,
    values_file: Path,
    kubernetes: str,
    api_versions: Sequence[str],
) -> tuple[Mapping[str, Any], ...]:
    """The documents that the chart makes; ``ResourceError`` with Helm's own words where it makes none."""
    command = [
        *(str(program), "template", release, str(chart)),
        *("--namespace", namespace, "--values", str(values_file)),
        *("--kube-version", kubernetes, "--include-crds"),
        *(flag for version in api_versions for flag in ("--api-versions", version)),
    ]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except OSError as error:
        raise ResourceError(f"SBX-022: helm does not run on this machine: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise ResourceError(f"helm template {release} took over {LIMIT_S} s") from error
    if answer.returncode != 0:
        raise ResourceError(f"helm template {release}: {answer.stderr.strip()}")
    return tuple(_documents(answer.stdout, release))


def told_values(documents: Sequence[Mapping[str, Any]]) -> Any:
    """The values that the echoing chart was given."""
    (document,) = documents
    return json.loads(document["data"]["values"])


def _documents(text: str, release: str) -> list[Mapping[str, Any]]:
    try:
        found = [each for each in yaml.load_all(text, Loader=_LOADER) if each is not None]
    except yaml.YAMLError as error:
        raise ResourceError(f"helm template {release}: what it renders is no YAML: {error}") from error
    for each in found:
        if not isinstance(each, dict) or not each.get("apiVersion") or not each.get("kind"):
            raise ResourceError(
                f"helm template {release}: a document has no apiVersion or kind: {each!r:.200}"
            )
        if not isinstance(each.get("metadata"), dict):
            raise ResourceError(f"helm template {release}: a {each['kind']} has no metadata")
    return found
