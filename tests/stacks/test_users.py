"""The users of the environment file are in the templates, where the file lists any."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.users.listed import HIGHEST_UID, LOWEST_UID, ListedUser, UserList
from bedplate.spec.orchestrator import user

PROD = Path(__file__).resolve().parents[2] / "environments" / "prod-slurm.yaml"


@pytest.fixture
def prod(assembly_of: Callable[[Path], Any]) -> Any:
    """The example with users."""
    return assembly_of(PROD)


def test_the_list_is_written_before_any_node_boots(prod: Any) -> None:
    """By the storage stack, which the one with the nodes waits for."""
    (written,) = prod.resources("storage", "Custom::BedplateUsers").values()
    assert written["Properties"]["Key"] == "users/prod.json"
    assert UserList.from_json(written["Properties"]["Manifest"]) == UserList(
        "/home", (ListedUser("alice", 2001), ListedUser("bob", 2002), ListedUser("carol", 2003))
    )


def test_nodes_are_told_the_key_and_may_read_it(prod: Any) -> None:
    """Every launch template names it; no name of a user is in any; the role may get that object."""
    templates = prod.resources("orchestration", "AWS::EC2::LaunchTemplate").values()
    assert len(templates) == 2
    for template in templates:
        text = json.dumps(template)
        assert "users/prod.json" in text
        assert "alice" not in text
    policies = json.dumps(prod.resources("orchestration", "AWS::IAM::ManagedPolicy"))
    assert policies.count("users/prod.json") == 1


def test_running_nodes_follow_by_an_association_on_all_of_them(prod: Any) -> None:
    """The cluster's own tag selects compute and login nodes."""
    found = [
        each["Properties"]
        for each in prod.resources("validation", "AWS::SSM::Association").values()
        if each["Properties"]["Parameters"]["Arguments"][0].startswith("make-users ")
    ]
    assert [each["Targets"][0]["Key"] for each in found] == ["tag:aws:pcs:cluster-id"]


def test_operators_may_not_write_the_list(prod: Any) -> None:
    """Their policy denies it."""
    policies = prod.resources("validation", "AWS::IAM::ManagedPolicy").values()
    denied = [
        statement
        for each in policies
        for statement in each["Properties"]["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
    ]
    assert len(denied) == 1
    assert "users/prod.json" in json.dumps(denied)


def test_without_users_there_is_nothing_of_it(demo: Any) -> None:
    """No object, no right, no association, and no denial."""
    assert demo.resources("storage", "Custom::BedplateUsers") == {}
    assert demo.resources("validation", "AWS::SSM::Association") == {}
    assert "users/" not in json.dumps(demo.templates)


def test_the_file_takes_the_ids_that_nodes_take() -> None:
    """Nodes import nothing of the specification, so the range is written twice."""
    assert (user.LOWEST_UID, user.HIGHEST_UID) == (LOWEST_UID, HIGHEST_UID)
