"""Ask ParallelCluster whether it takes a configuration, in the environment that has its schema."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".venv-pcluster/bin/python"
_ORACLE = Path(__file__).with_name("oracle.py")
_SECONDS = 60


def ask(
    configuration: Mapping[str, Any], *, name: str = "proof", account: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """``refused`` (what the schema says, None where it takes it) and ``queues`` as ParallelCluster reads
    them. With ``account`` (variables of the AWS SDKs) its validators run too: ``failures`` are their
    (level, validator, message).
    """
    done = subprocess.run(
        [PYTHON, "-E", _ORACLE, name, *(["validate"] if account else [])],
        # It makes clients while it reads; without an account they are never called.
        env={"PATH": os.environ.get("PATH", ""), "AWS_DEFAULT_REGION": "us-west-2", **(account or {})},
        input=json.dumps(configuration),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
