"""What the demonstration does when a step fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.errors import BedplateError
from bedplate.sandbox.demo import story
from bedplate.sandbox.demo.request import DemoRequest
from bedplate.sandbox.demo.story import Demo
from bedplate.sandbox.state import SandboxRecord
from bedplate.validation.progress import NullProgress

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BedplateError("refused", error_id="XYZ-001")])
def test_what_ended_it_is_told_though_stopping_fails_too(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in that must be killed does not hide an interrupt or an error, and is stopped once."""
    stopped: list[SandboxRecord] = []
    record = SandboxRecord(endpoint="http://localhost:1", pid=1, account="1", region="us-west-2")

    def stop(given: SandboxRecord) -> None:
        stopped.append(given)
        raise BedplateError("did not stop", error_id="SBX-002")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(story, "start_sandbox", lambda **_: record)
    monkeypatch.setattr(story, "stop_sandbox", stop)
    monkeypatch.setattr(DemoRequest, "check", lambda _: None)
    monkeypatch.setattr(Demo, "_deploy", fail)
    request = DemoRequest(
        repository=ROOT, environment=ROOT / "environments/demo.yaml", output=tmp_path / "out"
    )
    with pytest.raises(type(error)) as caught:
        Demo(request=request, progress=NullProgress()).run()
    assert caught.value is error
    assert stopped == [record]
