"""What becomes of pools, partitions and file systems in a HyperPod cluster, held to SageMaker's own model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bedplate.capacity.legality import SHAPES, WAYS, pool_of
from bedplate.slurm.hyperpod.cluster import KIND, partitions_file, settings_file
from bedplate.slurm.hyperpod.surroundings import Accounting
from bedplate.slurm.our_settings import OUR_SETTINGS
from bedplate.spec.slurm_parameters import settable
from tests.slurm.pools import pool
from tests.support.aws_shape import violations

from .conftest import AROUND, PLAN, SECRET, made, orchestrator


def _groups(cluster: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["InstanceGroupName"]: each for each in cluster["InstanceGroups"]}


def _wrong(cluster: dict[str, Any]) -> list[str]:
    return violations("sagemaker", "CreateCluster", cluster)


def test_sagemaker_takes_the_whole_cluster() -> None:
    """Controller, login nodes, two pools, two file systems, a database."""
    assert _wrong(made(pool(), pool(name="more", nodes=4))) == []


def test_sagemaker_takes_every_type_that_it_sells_bought_in_every_way() -> None:
    """The model refuses nothing but types that HyperPod does not have, and none of the P family."""
    tried = 0
    for shape in SHAPES:
        for way in WAYS:
            one = pool_of(shape, way).model_copy(update={"name": "gpus"})
            try:
                wrong = _wrong(made(one))
            except ValueError:
                continue
            tried += 1
            assert all("InstanceType" in each for each in wrong), (shape.name, way, wrong)
            if shape.instance_type.startswith("p"):
                assert wrong == [], (shape.name, way)
    assert tried > 20


def test_each_node_has_its_part_in_slurm() -> None:
    """One controller; a pool is compute in its one partition; login nodes stand beside the controller."""
    groups = _groups(made())
    assert groups["controller"]["SlurmConfig"] == {"NodeType": "Controller"}
    assert groups["controller"]["InstanceCount"] == 1
    assert groups["login"]["SlurmConfig"] == {"NodeType": "Login"}
    assert groups["h200"]["SlurmConfig"] == {"NodeType": "Compute", "PartitionNames": ["train"]}
    assert groups["h200"]["NetworkInterface"] == {"InterfaceType": "efa-only"}
    assert groups["h200"]["OnStartDeepHealthChecks"] == ["InstanceStress", "InstanceConnectivity"]
    assert groups["login"]["OverrideVpcConfig"]["Subnets"] == [AROUND.head_subnet_id]


@pytest.mark.parametrize(
    ("capacity", "told"),
    [
        ({"source": "on-demand"}, {"CapacityRequirements": {"OnDemand": {}}}),
        ({"source": "spot"}, {"CapacityRequirements": {"Spot": {}}}),
        ({"source": "training-plan", "plan": PLAN}, {"TrainingPlanArn": PLAN}),
    ],
)
def test_each_way_of_buying_has_its_words(capacity: dict[str, str], told: dict[str, Any]) -> None:
    """On-Demand, Spot and training plans."""
    group = _groups(made(pool(capacity=capacity)))["h200"]
    assert told.items() <= group.items()


def test_what_hyperpod_cannot_do_is_refused() -> None:
    """A Capacity Block, a pool in two partitions."""
    with pytest.raises(ValueError, match="capacity-block"):
        made(pool(capacity={"source": "capacity-block", "reservation": "cr-0123456789abcdef0"}))
    partitions = [{"name": name, "pools": ["h200"]} for name in ("train", "debug")]
    with pytest.raises(ValueError, match="one partition"):
        made(slurm=orchestrator(partitions=partitions))


def test_slurm_is_set_up_first_where_no_jobs_run() -> None:
    """HyperPod makes the controller's and the login nodes' Slurm; on compute nodes the script starts it."""
    groups = _groups(made())
    scripts = {name: set(each["LifeCycleConfig"]) - {"SourceS3Uri"} for name, each in groups.items()}
    assert scripts == {"controller": {"OnInitComplete"}, "login": {"OnInitComplete"}, "h200": {"OnCreate"}}


def test_the_controller_alone_has_its_role() -> None:
    """What it may do, such as answer questions, no other node may."""
    groups = _groups(made())
    roles = {name: each["ExecutionRole"].rpartition("/")[2] for name, each in groups.items()}
    assert roles == {"controller": "controller", "login": "nodes", "h200": "nodes"}


def test_hyperpod_is_told_of_one_file_system_of_a_kind() -> None:
    """The first Lustre without EFA and the first OpenZFS; the bootstrap mounts the others, and EFA's."""
    lustre, openzfs = AROUND.folders
    fast = replace(lustre, efa=True, path="/fast")
    folders = (fast, lustre, replace(lustre, path="/more"), openzfs, replace(openzfs, path="/shared"))
    told = _groups(made(folders=folders))["h200"]["InstanceStorageConfigs"]
    assert [config[kind]["MountPath"] for config in told for kind in config] == ["/fsx", "/home"]
    assert "InstanceStorageConfigs" not in _groups(made(folders=(fast,)))["h200"]


def test_groups_are_filled_one_by_one_and_mended_by_hyperpod() -> None:
    """Continuous provisioning, whose rules leave the strategy out; recovery as the file says."""
    found = made()
    assert found["NodeProvisioningMode"] == "Continuous"
    assert "SlurmConfigStrategy" not in found["Orchestrator"]["Slurm"]
    assert found["NodeRecovery"] == "Automatic"
    assert made(slurm=orchestrator(node_recovery="none"))["NodeRecovery"] == "None"
    assert _groups(made(pool(nodes=6)))["h200"]["InstanceCount"] == 6


def test_jobs_are_recorded_in_the_database_that_is_given() -> None:
    """By its secret; without one nothing is said of it."""
    assert made()["Orchestrator"]["Slurm"]["AccountingDatabase"]["SecretArn"] == SECRET
    assert made(accounting=None)["Orchestrator"] == {"Slurm": {}}
    assert _wrong(made(accounting=Accounting(endpoint="-", secret_arn=SECRET))) != []


def test_the_settings_file_has_what_hyperpod_leaves_to_others() -> None:
    """One line each, in the order of the table; PrologFlags stays out."""
    lines = settings_file(orchestrator()).splitlines()
    names = [line.split("=", 1)[0] for line in lines]
    assert names == [each.parameter for each in OUR_SETTINGS if each.parameter in names]
    assert not [name for name in names if not settable(name, scope="cluster", kind=KIND)]
    assert "KillWait" in names
    assert "PrologFlags" not in names


def test_the_settings_file_keeps_what_hyperpods_recovery_needs() -> None:
    """Our scheduler parameters take the place of HyperPod's, which it needs; once, whoever names it."""
    own = {"SchedulerParameters": "bf_continue,permit_job_expansion"}
    for slurm, wanted in (
        (orchestrator(), "permit_job_expansion,bf_continue,"),
        (orchestrator(settings=own), own["SchedulerParameters"]),
    ):
        (line,) = [each for each in settings_file(slurm).splitlines() if each.startswith("SchedulerPar")]
        assert line.removeprefix("SchedulerParameters=").startswith(wanted)
        assert line.count("permit_job_expansion") == 1


def test_a_partition_has_a_line_of_what_hyperpods_api_has_no_word_for() -> None:
    """Default, time limit, teams and parameters as slurm.conf spells them; none where there is nothing."""
    partitions = [
        {"name": "train", "pools": ["h200"], "default": True, "max_time_hours": 72, "teams": ["vision"]},
        {"name": "plain", "pools": ["more"]},
        {"name": "ranked", "pools": ["most"], "settings": {"prioritytier": "10"}},
    ]
    slurm = orchestrator(partitions=partitions, teams=[{"name": "vision"}])
    assert partitions_file(slurm).splitlines() == [
        "train Default=YES MaxTime=3-0 AllowAccounts=vision,root",
        "ranked PriorityTier=10",
    ]


def test_a_check_that_is_asked_for_twice_is_made_once() -> None:
    """In the order of the file; on pools with GPUs alone."""
    checks = ["connectivity", "stress", "connectivity"]
    groups = _groups(made(slurm=orchestrator(deep_health_checks=checks)))
    assert groups["h200"]["OnStartDeepHealthChecks"] == ["InstanceConnectivity", "InstanceStress"]
    assert "OnStartDeepHealthChecks" not in groups["controller"]
