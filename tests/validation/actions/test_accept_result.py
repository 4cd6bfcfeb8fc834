"""Which results may be acted upon at all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bedplate.errors import BedplateError
from bedplate.validation.actions.accept import accept
from bedplate.validation.actions.policy import ActionPolicy

from .acting import NOW, manifest, run


def _accept(**changes: Any) -> bool:
    accept(result=run(**changes), manifest=manifest(), simulated=True, policy=ActionPolicy("drain"), now=NOW)
    return True


def test_a_fresh_whole_run_of_this_environment_is_accepted() -> None:
    """The ordinary case raises nothing."""
    assert _accept()


@pytest.mark.parametrize(
    ("changes", "error_id", "word"),
    [
        ({"kind": "preflight"}, "ACT-001", "preflight"),
        ({"complete": False}, "ACT-001", "cut off"),
        ({"environment": "prod"}, "ACT-001", "prod"),
        ({"account": "999999999999"}, "ACT-001", "999999999999"),
        ({"region": "eu-west-1"}, "ACT-001", "eu-west-1"),
        ({"simulated": False}, "ACT-001", "sandbox"),
        ({"finished_at": "yesterday"}, "ACT-001", "when it ran"),
        ({"started_at": ""}, "ACT-001", "when it ran"),
        ({"finished_at": (NOW - timedelta(hours=7)).isoformat()}, "ACT-002", "7.0 hours"),
        ({"finished_at": (NOW + timedelta(hours=1)).isoformat()}, "ACT-002", "yet to come"),
    ],
)
def test_any_other_run_is_refused(changes: dict[str, Any], error_id: str, word: str) -> None:
    """Stale, foreign, cut-off and simulated results are acted upon by nobody."""
    with pytest.raises(BedplateError) as caught:
        _accept(**changes)
    assert caught.value.error_id == error_id
    assert word in caught.value.message
    assert caught.value.remedy
