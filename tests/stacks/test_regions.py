"""Regions that the rules let through are those that the CDK synthesises for, as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.spec.region_types import regions_without
from bedplate.spec.regions import ZONE_PREFIXES

ROOT = Path(__file__).parents[2]

TRY_ALL = """
import json, sys, tempfile
from bedplate.stacks.entry import use_locked_node
use_locked_node()
from aws_cdk import App
from bedplate.spec import Environment
from bedplate.stacks.environment_app import build_stacks

flags = json.load(open("cdk.json"))["context"]
refused = []
for region, prefix in json.load(sys.stdin).items():
    environment = Environment.model_validate({
        "name": "regions", "account": "123456789012", "region": region,
        "network": {"zone": f"{prefix}-az1", "control_zones": [f"{prefix}-az1", f"{prefix}-az2"],
                    "cidr": "10.40.0.0/16"},
        "pools": [{"name": "h200", "instance_type": "p5en.48xlarge", "nodes": 2,
                   "capacity": {"source": "on-demand"}}],
        "orchestrator": {"kind": "slurm-pcs", "partitions": [{"name": "train", "pools": ["h200"]}]},
    })
    with tempfile.TemporaryDirectory() as folder:
        app = App(context=flags, outdir=folder)
        build_stacks(app, environment=environment)
        try:
            app.synth()
        except RuntimeError as error:
            assert str(error).startswith("ValidationFailed"), error
            refused.append(region)
print(json.dumps(refused))
"""
"""Node reads whether it validates when it starts, so this has a process of its own."""


@pytest.mark.slow
def test_the_cdk_refuses_the_regions_that_the_rule_refuses() -> None:
    """An environment in any Region is refused by ORC-011, or is let through by the CDK's own validation."""
    surroundings = {name: value for name, value in os.environ.items() if name != "CDK_VALIDATION"}
    done = subprocess.run(
        [sys.executable, "-c", TRY_ALL],
        input=json.dumps(ZONE_PREFIXES),
        cwd=ROOT,
        env=surroundings | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert set(json.loads(done.stdout.splitlines()[-1])) == regions_without("slurm-pcs")
