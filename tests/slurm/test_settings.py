"""The Slurm settings that a cluster and its partitions get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bedplate.slurm.left_settings import LEFT_SETTINGS, OURS
from bedplate.slurm.our_settings import OUR_SETTINGS
from bedplate.slurm.settings import cluster_settings, queue_settings
from bedplate.slurm.settings_page import PAGE, page
from bedplate.spec.orchestrator import SlurmPcs
from bedplate.spec.slurm_parameters import KINDS, ruling
from bedplate.spec.slurm_parameters.hyperpod import HYPERPOD_OWNS
from bedplate.spec.slurm_parameters.known import KNOWN, spelled
from bedplate.spec.slurm_parameters.parallelcluster import PARALLELCLUSTER_DENIES
from bedplate.spec.slurm_parameters.pcs import PCS_ALLOWS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _slurm(*partitions: dict[str, Any], **fields: Any) -> SlurmPcs:
    given = list(partitions) or [{"name": "train", "pools": ["h200"]}]
    return SlurmPcs.model_validate({"kind": "slurm-pcs", "partitions": given, **fields})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("accounting", [True, False])
def test_no_service_gets_a_setting_that_it_keeps(kind: str, accounting: bool) -> None:
    """Each of our parameters is known to Slurm, and is one that the service takes."""
    settings = cluster_settings(_slurm(accounting=accounting), kind=kind)
    assert settings
    for name in settings:
        assert spelled(name, scope="cluster") == name
        assert ruling(name, scope="cluster", kind=kind).standing in ("free", "ours")
    for name in ("AccountingStorageTRES", "PriorityWeightFairshare", "PriorityWeightAge"):
        assert (name in settings) is accounting


def test_pcs_takes_every_cluster_setting() -> None:
    """All are on its allow list, and the parameters of our list that are not there are left to PCS."""
    settings = cluster_settings(_slurm(), kind="slurm-pcs")
    assert set(settings) <= PCS_ALLOWS["cluster"]
    assert "SlurmdTimeout" not in settings
    assert cluster_settings(_slurm(), kind="slurm-hyperpod")["SlurmdTimeout"] == "300"


def test_the_users_settings_go_before_ours_whatever_their_capitals() -> None:
    """A parameter is written once, as Slurm spells it, with the user's value."""
    settings = cluster_settings(_slurm(settings={"prioritymaxage": "3-0"}), kind="slurm-pcs")
    assert settings["PriorityMaxAge"] == "3-0"
    assert "prioritymaxage" not in settings


@pytest.mark.parametrize(
    ("hours", "window"),
    [([None], 10080), ([24, 240], 14400), ([1], 1440), ([8760], 43200), ([24, None], 10080)],
)
def test_backfill_looks_ahead_as_far_as_the_longest_job(hours: list[int | None], window: int) -> None:
    """A week where a partition has no limit; a day at least, and no more than Slurm takes."""
    partitions = [
        {"name": f"part-{index}", "pools": ["h200"], "max_time_hours": each}
        for index, each in enumerate(hours)
    ]
    settings = cluster_settings(_slurm(*partitions), kind="slurm-pcs")
    assert f"bf_window={window}," in settings["SchedulerParameters"]


def test_bounds_are_held_only_where_there_are_teams() -> None:
    """Without teams everybody may submit; with teams only who is in one."""
    assert "AccountingStorageEnforce" not in cluster_settings(_slurm(), kind="slurm-pcs")
    settings = cluster_settings(_slurm(teams=[{"name": "vision"}]), kind="slurm-pcs")
    assert settings["AccountingStorageEnforce"] == "associations,limits,qos,safe"


@pytest.mark.parametrize("kind", KINDS)
def test_a_partition_gets_what_its_fields_say(kind: str) -> None:
    """Default, time limit and accounts, with that of the validation; another has no setting at all."""
    partition = {
        "name": "train",
        "pools": ["h200"],
        "default": True,
        "max_time_hours": 73,
        "teams": ["vision"],
        "settings": {"PriorityTier": "10"},
    }
    slurm = _slurm(partition, {"name": "spare", "pools": ["h200"]}, teams=[{"name": "vision"}])
    assert queue_settings(slurm.partitions[0], kind=kind) == {
        "Default": "YES",
        "MaxTime": "3-1",
        "AllowAccounts": "vision,root",
        "PriorityTier": "10",
    }
    assert queue_settings(slurm.partitions[1], kind=kind) == {}


def test_the_tables_name_parameters_that_slurm_has() -> None:
    """No list of a service holds a word that is no parameter at that place: it would rule nothing."""
    for table in (PCS_ALLOWS, PARALLELCLUSTER_DENIES, HYPERPOD_OWNS):
        for scope, names in table.items():
            assert [name for name in names if spelled(name, scope=scope) is None] == []
    for scope, names in KNOWN.items():
        assert len({name.lower() for name in names}) == len(names), scope
    assert len({each.parameter for each in OUR_SETTINGS}) == len(OUR_SETTINGS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_to_a_service_is_what_the_table_leaves_to_it(kind: str) -> None:
    """Where the words say that a parameter is ours we set it there, and where they do not, we do not."""
    ours = set(cluster_settings(_slurm(), kind=kind))
    for each in LEFT_SETTINGS:
        assert each.words[kind].startswith(OURS) is bool(ours & set(each.parameters)), each.subject


def test_everything_that_is_not_ours_everywhere_is_explained() -> None:
    """A parameter of ours that a service keeps, or that we leave alone there, has its words and a source."""
    explained = {name for each in LEFT_SETTINGS for name in each.parameters}
    for kind in KINDS:
        ours = cluster_settings(_slurm(teams=[{"name": "vision"}]), kind=kind)
        missing = {each.parameter for each in OUR_SETTINGS} - set(ours)
        assert missing <= explained, kind
    for each in LEFT_SETTINGS:
        assert all(spelled(name, scope="cluster") == name for name in each.parameters), each.subject
        assert set(each.words) == set(KINDS)
        assert each.source
        assert each.follows.endswith(".")


def test_hyperpods_auto_resume_keeps_its_task_plugin() -> None:
    """With another one than task/none it does not resume, so that nobody may set one there (ORC-012)."""
    assert ruling("TaskPlugin", scope="cluster", kind="slurm-hyperpod").standing == "service"


def test_the_page_is_that_of_the_tables() -> None:
    """docs/slurm-settings.md is what the tables say."""
    assert (DOCS / PAGE).read_text(encoding="utf-8") == page()
