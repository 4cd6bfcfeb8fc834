"""What becomes of partitions, pools, settings and file systems in a cluster configuration."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bedplate.slurm.parallelcluster.configuration import storage_name
from bedplate.slurm.parallelcluster.queues import KIND
from bedplate.spec.slurm_parameters import settable
from tests.slurm.pools import pool

from .conftest import RESERVATION, SECRET, made, orchestrator

GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"


def _queue(configuration: dict[str, Any]) -> dict[str, Any]:
    (queue,) = configuration["Scheduling"]["SlurmQueues"]
    found: dict[str, Any] = queue
    return found


def _resource(configuration: dict[str, Any]) -> dict[str, Any]:
    (resource,) = _queue(configuration)["ComputeResources"]
    found: dict[str, Any] = resource
    return found


def test_a_partition_is_a_queue_and_a_pool_a_compute_resource() -> None:
    """Names stay; EFA is on, and so is a placement group of the pool's own."""
    found = made()
    assert (_queue(found)["Name"], _queue(found)["CapacityType"]) == ("train", "ONDEMAND")
    resource = _resource(found)
    assert (resource["Name"], resource["InstanceType"]) == ("h200", "p5en.48xlarge")
    assert (resource["MinCount"], resource["MaxCount"]) == (8, 8)
    assert resource["Efa"] == {"Enabled": True}
    assert resource["Networking"] == {"PlacementGroup": {"Enabled": True}}
    assert "CapacityReservationTarget" not in resource


@pytest.mark.parametrize(
    ("capacity", "capacity_type", "target", "group"),
    [
        ({"source": "spot"}, "SPOT", None, {"Enabled": True}),
        ({"source": "open-reservation"}, "ONDEMAND", None, {"Enabled": False}),
        (
            {"source": "targeted-reservation", "reservation": RESERVATION, "placement_group": "mine"},
            "ONDEMAND",
            {"CapacityReservationId": RESERVATION},
            {"Name": "mine"},
        ),
        (
            {"source": "targeted-reservation", "resource_group": GROUP},
            "ONDEMAND",
            {"CapacityReservationResourceGroupArn": GROUP},
            {"Enabled": False},
        ),
        (
            {"source": "capacity-block", "reservation": RESERVATION},
            "CAPACITY_BLOCK",
            {"CapacityReservationId": RESERVATION},
            {"Enabled": False},
        ),
    ],
)
def test_each_way_of_buying_has_its_words(
    capacity: dict[str, str], capacity_type: str, target: dict[str, str] | None, group: dict[str, Any]
) -> None:
    """Capacity type of the queue, reservation and placement group of the compute resource."""
    found = made(pool(capacity=capacity))
    assert _queue(found)["CapacityType"] == capacity_type
    assert _resource(found).get("CapacityReservationTarget") == target
    assert _resource(found)["Networking"]["PlacementGroup"] == group


def test_a_reservation_and_a_group_that_the_stack_made_are_named() -> None:
    """Without the reservation's id nodes would be bought beside it: that is refused."""
    bought = pool(capacity={"source": "targeted-reservation", "reservation": "create"})
    resource = _resource(made(bought, reservations={"h200": RESERVATION}, groups={"h200": "own"}))
    assert resource["CapacityReservationTarget"] == {"CapacityReservationId": RESERVATION}
    assert resource["Networking"]["PlacementGroup"] == {"Name": "own"}
    with pytest.raises(ValueError, match="the reservation that is made for it is not named"):
        made(bought)


def test_what_parallelcluster_has_no_words_for_is_refused() -> None:
    """An interruptible reservation, and pools of one queue that are bought in two ways."""
    with pytest.raises(ValueError, match="INTERRUPTIBLE"):
        made(pool(capacity={"source": "interruptible-reservation", "reservation": RESERVATION}))
    with pytest.raises(ValueError, match="partition train"):
        made(pool(), pool(name="spot", capacity={"source": "spot"}))


def test_settings_are_those_of_the_table_and_no_kept_one_is_among_them() -> None:
    """Each stands alone, as ParallelCluster reads them; the prolog is no setting there."""
    settings = made()["Scheduling"]["SlurmSettings"]["CustomSlurmSettings"]
    names = [name for each in settings for name in each]
    assert all(len(each) == 1 for each in settings)
    assert {"JobRequeue", "KillWait", "HealthCheckProgram", "PriorityType"} <= set(names)
    assert not [name for name in names if not settable(name, scope="cluster", kind=KIND)]
    assert "Prolog" not in names


def test_a_partitions_limits_are_its_queues_settings() -> None:
    """The same words as in slurm.conf."""
    slurm = orchestrator()
    assert _queue(made(slurm=slurm))["CustomSlurmSettings"] == {"Default": "YES", "MaxTime": "3-0"}


def test_jobs_are_recorded_in_the_database_that_is_given() -> None:
    """The password stays in its secret."""
    assert made()["Scheduling"]["SlurmSettings"]["Database"]["PasswordSecretArn"] == SECRET
    assert "Database" not in made(database=None)["Scheduling"]["SlurmSettings"]


def test_file_systems_go_in_by_id_at_their_paths() -> None:
    """None is made by ParallelCluster, whose Lustre has no EFA."""
    found = {each["MountDir"]: each for each in made()["SharedStorage"]}
    assert found["/fsx"]["FsxLustreSettings"] == {"FileSystemId": "fs-0123456789abcdef0"}
    assert found["/home"]["FsxOpenZfsSettings"] == {"VolumeId": "fsvol-0123456789abcdef0"}
    assert found["/shared/code"]["EfsSettings"]["FileSystemId"] == "fs-0123456789abcdef1"
    assert found["/shared/code"]["Name"] == storage_name("/shared/code")


def test_images_are_taken_by_architecture() -> None:
    """The head and login nodes are x86; a pool has its own type's."""
    found = made(pool(), images={"x86_64": "ami-0123456789abcdef0"})
    assert _queue(found)["Image"] == {"CustomAmi": "ami-0123456789abcdef0"}
    assert found["HeadNode"]["Image"] == {"CustomAmi": "ami-0123456789abcdef0"}
    assert "Image" not in _queue(made())


def test_each_node_is_given_the_settings_of_the_pools_it_may_belong_to() -> None:
    """Before ParallelCluster's own set-up and after it; a queue's pools', head's or login's."""
    found = made(pool(), pool(name="more"))
    actions = [
        (found["HeadNode"], ["head"]),
        (found["LoginNodes"]["Pools"][0], ["login"]),
        (_queue(found), ["h200", "more"]),
    ]
    for node, names in actions:
        settings = [f'{{"pool":"{name}"}}' for name in names]
        assert node["CustomActions"] == {
            action: {"Script": "s3://assets/node.sh", "Args": [stage, "assets", "program.pyz", *settings]}
            for action, stage in (("OnNodeStart", "start"), ("OnNodeConfigured", "configured"))
        }
    local = _queue(found)["ComputeSettings"]["LocalStorage"]
    assert local == {"EphemeralVolume": {"MountDir": "/scratch"}}


def test_each_path_has_a_name_that_parallelcluster_takes() -> None:
    """Of 30 characters at most, its own for each path, none that is a word, the same at every deploy."""
    paths = ["/default", "/a/b", "/a-b", "/a-very-long-mount-point/for-checkpoints", "/with.dot_and_line"]
    names = [storage_name(path) for path in paths]
    assert len(set(names)) == len(paths)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]{1,29}", name) for name in names), names
    assert names == [storage_name(path) for path in paths]
    assert "default" not in names


def test_head_and_login_nodes_have_the_image_of_their_own_architecture() -> None:
    """An arm64 cluster starts none of its nodes from an x86 image."""
    images = {"x86_64": "ami-0123456789abcdef0", "arm64": "ami-0123456789abcdef1"}
    arm = {"instance_type": "m7g.4xlarge"}
    slurm = orchestrator(head_node=arm, login=arm)
    found = made(slurm=slurm, images=images)
    for node in (found["HeadNode"], found["LoginNodes"]["Pools"][0]):
        assert node["Image"] == {"CustomAmi": images["arm64"]}
    assert made(images=images)["HeadNode"]["Image"] == {"CustomAmi": images["x86_64"]}
