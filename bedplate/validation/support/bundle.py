"""The archive for a support case: what the node is, what was found on it, and the proof, redacted."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import bedplate
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.validation.support.machine import gpu_boards, xids_on_record
from bedplate.validation.support.redact import redact_file, redact_value
from bedplate.validation.support.sources import FoundRun
from bedplate.validation.support.summary import summary_text

LARGEST_FILE_BYTES = 32 * 2**20
LARGEST_BUNDLE_BYTES = 256 * 2**20


def bundle_name(found: FoundRun) -> str:
    """The archive's name without its ending, and the folder in it."""
    digits = re.sub(r"[^0-9T]", "", found.result.started_at.partition("+")[0].partition(".")[0])
    # A result file is foreign: a node's id in it must not lead to another folder.
    node = re.sub(r"[^A-Za-z0-9._-]", "_", found.node.node)
    return f"bedplate-support-{node}-{digits or 'undated'}Z"


def bundle_files(found: FoundRun, *, about: Mapping[str, Any]) -> dict[str, bytes]:
    """Name → content of all files of the archive; ``about`` is what EC2 tells of the instance now.

    Everything is redacted, our own words too: a verdict's excerpt quotes the node.
    """
    left_out: Counter[str] = Counter()
    skipped: dict[str, str] = {}
    verdicts = [verdict for verdict in found.result.verdicts if found.node.node in verdict.subject.names]
    evidence = _evidence(found, verdicts, left_out, skipped)
    probe = _probe(evidence, found.node.node)
    told = _told(left_out)
    machine = {
        "instance_id": found.node.node,
        "instance_type": found.node.instance_type,
        "hostname": found.node.hostname,
        "pool": found.node.pool,
        "account": found.result.account,
        "region": found.result.region,
        "environment": found.result.environment,
        "simulated": found.result.simulated,
        "boot_id": probe.get("boot_id", ""),
        "versions": found.node.versions,
        "ec2": dict(about),
        "gpus": gpu_boards(probe),
        "efa_devices": probe.get("infiniband", []),
        "xids": xids_on_record(probe),
    }
    machine = redact_value(machine, told=told)
    files = {
        "machine.json": _json(machine),
        "verdicts.json": _json(redact_value([_plain(verdict) for verdict in verdicts], told=told)),
        "summary.md": _safe(summary_text(found=found, machine=machine, verdicts=verdicts), told),
        **{f"evidence/{name}": body for name, body in evidence.items()},
    }
    files["contents.json"] = _json(
        {
            "made_by": f"bedplate {bedplate.__version__}",
            "run": found.where,
            "newer_runs_passed_over": redact_value(list(found.passed_over), told=told),
            "files": {name: len(body) for name, body in sorted(files.items())},
            "secrets_left_out": dict(sorted(left_out.items())),
            "files_left_out": dict(sorted(skipped.items())),
        }
    )
    return files


def archive(files: Mapping[str, bytes], *, name: str) -> bytes:
    """The files as ``.tar.gz`` below one folder: the same bytes for the same files."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for path, body in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mode = len(body), 0o644
            tar.addfile(entry, io.BytesIO(body))
    return buffer.getvalue()


def _evidence(
    found: FoundRun, verdicts: list[Verdict], left_out: Counter[str], skipped: dict[str, str]
) -> dict[str, bytes]:
    """The node's own files, and those that a verdict about it names."""
    named = {name for verdict in verdicts for name in verdict.evidence}
    kept: dict[str, bytes] = {}
    total = 0
    for name in sorted({*found.evidence.names(f"nodes/{found.node.node}/"), *named}):
        body = None if ".." in name.split("/") else found.evidence.read(name)
        if body is None:
            skipped[name] = "it is not there"
        elif len(body) > LARGEST_FILE_BYTES or total + len(body) > LARGEST_BUNDLE_BYTES:
            skipped[name] = f"it is too large: {len(body)} bytes"
        elif (safe := redact_file(body, told=_told(left_out))) is None:
            skipped[name] = "it is no text, and cannot be searched for secrets"
        else:
            kept[name] = safe
            total += len(body)
    return kept


def _probe(evidence: Mapping[str, bytes], node: str) -> Mapping[str, Any]:
    try:
        value = json.loads(evidence.get(f"nodes/{node}/probe.json", b"{}"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _told(left_out: Counter[str]) -> Any:
    def count(kind: str) -> None:
        left_out[kind] += 1

    return count


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {
        key: value.value if isinstance(value, Outcome) else value for key, value in asdict(verdict).items()
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n").encode("utf-8")


def _safe(text: str, told: Any) -> bytes:
    from bedplate.validation.support.redact import redact_text

    return redact_text(text, told=told).encode("utf-8")
