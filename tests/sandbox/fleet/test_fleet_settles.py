"""A collective that hangs is stopped, and the GPUs of the simulated node are seen busy, then free."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.compute_apps import parse_compute_apps

from .asking import ask, collective
from .conftest import MakeFleet, fault, node_id


@pytest.mark.slow
def test_processes_stay_on_the_gpus_for_a_while_after_a_job_was_stopped(make_ready: MakeFleet) -> None:
    """The node that hangs shows them until they are gone; its partner is free at once."""
    fleet = make_ready(fault("collective-hang", 1, lingers_s=3), nodes=2)
    judged = collective(fleet, (0, 1), "all_gather", deadline_s=3)
    assert judged.hung

    def seen(node: int, wait: float) -> int:
        body = ask(fleet, node_id(node), "gpu-processes", "--wait-seconds", str(wait))
        return len(parse_compute_apps(body["tools"][0]["stdout"]))

    assert (seen(0, 0), seen(1, 0)) == (0, 8)
    assert seen(1, 20) == 0
