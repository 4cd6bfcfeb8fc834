"""The table of types that Regions lack is what the CDK's own validation says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bedplate.spec.region_types import REGIONS_WITHOUT, TYPES_OF, missing_types, regions_without
from bedplate.spec.regions import ZONE_PREFIXES

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).parent / "region_types_worker.py"


def _types_made() -> set[str]:
    """Every type that a construct or a stack makes, by the L1 classes that their sources name."""
    made = set()
    for folder in ("constructs", "stacks"):
        for source in (ROOT / "bedplate" / folder).glob("*.py"):
            for service, name in re.findall(r"\b(\w+)\.(Cfn\w+)\(", source.read_text(encoding="utf-8")):
                module: Any = import_module(f"aws_cdk.aws_{service.rstrip('_')}")
                made.add(str(getattr(module, name).CFN_RESOURCE_TYPE_NAME))
    return made


@pytest.mark.slow
def test_the_table_is_what_the_cdk_knows(tmp_path: Path) -> None:
    """For all types that Bedplate makes and all Regions, the CDK lacks what the table says, no more."""
    types = _types_made()
    assert {kind for kinds in TYPES_OF.values() for kind in kinds} <= types
    done = subprocess.run(
        [sys.executable, str(WORKER)],
        input=json.dumps({"regions": sorted(ZONE_PREFIXES), "types": sorted(types), "folder": str(tmp_path)}),
        # Here the validation is asked for by name, so it need not run by itself as well.
        env=os.environ | {"CDK_VALIDATION": "false"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert {kind: frozenset(regions) for kind, regions in told.items()} == dict(REGIONS_WITHOUT)


def test_every_lacking_type_belongs_to_a_feature() -> None:
    """A type that some Region lacks is named by what needs it, so a rule can refuse it."""
    assert set(REGIONS_WITHOUT) <= {kind for kinds in TYPES_OF.values() for kind in kinds}


def test_features_are_asked_by_region() -> None:
    """What a Region lacks is told by feature, and what makes nothing lacks nothing."""
    assert missing_types("lustre", "ap-southeast-6") == ("AWS::FSx::FileSystem",)
    assert missing_types("efs", "ap-southeast-6") == ()
    assert missing_types("existing-lustre", "ap-southeast-6") == ()
    assert "us-west-1" in regions_without("slurm-pcs")
    assert regions_without("openzfs") == {"ap-southeast-6"}
