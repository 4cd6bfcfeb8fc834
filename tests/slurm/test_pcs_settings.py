"""The Slurm settings that a cluster on PCS gets."""

from __future__ import annotations

import pytest

from bedplate.slurm.pcs_allow_list import ALLOWED, SettingNotAllowedError, checked
from bedplate.slurm.pcs_settings import cluster_settings, queue_settings


@pytest.mark.parametrize("accounting", [True, False])
def test_pcs_takes_every_cluster_setting(accounting: bool) -> None:
    """Each parameter is on the allow list; GPUs are accounted only where accounting is on."""
    settings = cluster_settings(accounting=accounting)
    assert set(settings) <= ALLOWED["cluster"]
    assert ("AccountingStorageTRES" in settings) is accounting


def test_only_the_default_partition_says_so() -> None:
    """Default=YES stands on one queue; another has no setting at all, since PCS refuses an empty list."""
    assert queue_settings(default=True) == {"Default": "YES"}
    assert queue_settings(default=False) == {}


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("TopologyPlugin", "cluster"),
        ("SlurmdTimeout", "cluster"),
        ("Prolog", "queue"),
        ("MaxTime", "node-group"),
    ],
)
def test_a_setting_that_pcs_refuses_is_named(name: str, scope: str) -> None:
    """What PCS does not let one set is refused at synthesis, with its name and place."""
    with pytest.raises(SettingNotAllowedError, match=f"{name} on a {scope}"):
        checked({name: "x"}, scope=scope)  # type: ignore[arg-type]
