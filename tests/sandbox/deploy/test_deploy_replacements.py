"""What PRE-034 says before a deploy is what the deploy then comes to, in the sandbox by the real CDK."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.cdk_failure import CdkFailed
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment
from bedplate.spec import load_environment
from tests.sandbox.deploy.conftest import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

TEXT = """\
name: change
account: "123456789012"
region: us-west-2
network: {zone: usw2-az2, control_zones: [usw2-az1, usw2-az2], cidr: 10.40.0.0/16}
pools:
  - {name: gpu, instance_type: p5.4xlarge, nodes: {min: 0, max: 2}, capacity: {source: on-demand}}
orchestrator:
  kind: slurm-pcs
  slurm_version: "25.11"
  login: {instance_type: m7i.xlarge, nodes: 1}
  partitions: [{name: train, pools: [gpu], default: true}]
"""


@dataclass(frozen=True)
class Place:
    """An environment file that changes, and a sandbox."""

    folder: Path
    record: SandboxRecord

    def write(self, *changes: tuple[str, str]) -> Path:
        """The file with each text replaced."""
        text = TEXT
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        file = self.folder / "change.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    def ask(self, file: Path) -> Verdict:
        """PRE-034's verdict."""
        from bedplate.validation.aws import AwsClients
        from bedplate.validation.preflight import replacements
        from bedplate.validation.preflight.context import Preflight

        environment = load_environment(file)
        (verdict,) = replacements.check(Preflight(environment, AwsClients(region=environment.region)))
        return verdict

    def deploy(self, file: Path, *, first: bool = False) -> None:
        """Synthesise and deploy; raises ``CdkFailed``."""
        cdk = Cdk(
            project=REPOSITORY,
            environment=client_environment(self.record),
            output=self.folder / "out",
        )
        cdk.synth({"env": str(file)})
        if first:
            cdk.bootstrap(account=self.record.account, region=self.record.region)
        cdk.deploy()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A sandbox, and this process's AWS settings pointed at it."""
    record = start_sandbox(
        state_dir=tmp_path / "state", account="123456789012", region="us-west-2", owned=True
    )
    for name, value in client_environment(record).items():
        monkeypatch.setenv(name, value)
    try:
        yield Place(tmp_path, record)
    finally:
        stop_sandbox(record)


RENAMED = (("name: gpu", "name: gpu-two"), ("[gpu]", "[gpu-two]"), ("p5.4xlarge", "p5.48xlarge"))
REFUSED = (
    (("p5.4xlarge", "p5.48xlarge"), "pool gpu is of p5.4xlarge", "compute node group"),
    (("m7i.xlarge", "m7i.2xlarge"), "the login nodes are m7i.xlarge", "compute node group"),
    (("max: 2", "max: 40"), "make it MEDIUM", "cluster"),
)


def test_preflight_foresees_what_the_deploy_comes_to(place: Place) -> None:
    """The first deploy and harmless ones pass and go through; what fails is refused by PCS as foretold."""
    file = place.write()
    assert place.ask(file).outcome is Outcome.PASS
    place.deploy(file, first=True)
    assert place.ask(file).outcome is Outcome.PASS
    for change, words, kind in REFUSED:
        file = place.write(change)
        verdict = place.ask(file)
        assert verdict.outcome is Outcome.FAIL
        assert words in verdict.summary
        with pytest.raises(CdkFailed, match=f"A {kind} with the same name already exists"):
            place.deploy(file)
    file = place.write(("10.40.0.0/16", "10.41.0.0/16"))
    assert "has the range 10.40.0.0/16" in place.ask(file).summary
    file = place.write(("zone: usw2-az2", "zone: usw2-az1"))
    assert "not in usw2-az1" in place.ask(file).summary
    for changes in ((("max: 2", "max: 4"),), RENAMED):
        file = place.write(*changes)
        verdict = place.ask(file)
        assert verdict.outcome is Outcome.PASS, verdict.summary
        place.deploy(file)
    assert place.ask(file).outcome is Outcome.PASS
