"""Rules between a file system's group and its clients'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.spec.file_system_traffic import TrafficKind

Synthesise = Callable[[Any], dict[str, Any]]


def _rules(synthesise: Synthesise, kind: TrafficKind, **props: Any) -> list[dict[str, Any]]:
    def build(stack: Any) -> None:
        from bedplate.constructs.file_system_rules import FileSystemRules

        FileSystemRules(
            stack, "Rules", server_group_id="sg-servers", client_group_id="sg-nodes", traffic=kind, **props
        )

    return list(synthesise(build)["Resources"].values())


def _ways(rules: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    """Type, group that has the rule, group at the other end."""
    return {
        (
            rule["Type"].removeprefix("AWS::EC2::SecurityGroup"),
            rule["Properties"]["GroupId"],
            rule["Properties"].get("SourceSecurityGroupId")
            or rule["Properties"]["DestinationSecurityGroupId"],
        )
        for rule in rules
    }


def test_nfs_is_opened_by_clients_alone(synthesise: Synthesise) -> None:
    """Out of the clients' group and into the servers', and no way back of its own."""
    assert _ways(_rules(synthesise, "nfs")) == {
        ("Egress", "sg-nodes", "sg-servers"),
        ("Ingress", "sg-servers", "sg-nodes"),
    }


@pytest.mark.parametrize("kind", ["lustre-efa", "lustre-tcp"])
def test_lustre_is_opened_from_both_ends_and_among_servers_if_told(
    synthesise: Synthesise, kind: TrafficKind
) -> None:
    """Servers call clients back and speak with each other; each way has a rule at both ends."""
    with_nodes = {
        ("Egress", "sg-nodes", "sg-servers"),
        ("Ingress", "sg-servers", "sg-nodes"),
        ("Egress", "sg-servers", "sg-nodes"),
        ("Ingress", "sg-nodes", "sg-servers"),
    }
    among = {("Egress", "sg-servers", "sg-servers"), ("Ingress", "sg-servers", "sg-servers")}
    assert _ways(_rules(synthesise, kind)) == with_nodes
    assert _ways(_rules(synthesise, kind, among_servers=True)) == with_nodes | among


@pytest.mark.parametrize(("keep", "policy"), [(True, "RetainExceptOnCreate"), (False, None)])
def test_rules_stay_where_they_are_told_to(synthesise: Synthesise, keep: bool, policy: str | None) -> None:
    """Rules of a file system that was there before go with the stack; those of ours stay with it."""
    found = _rules(synthesise, "nfs", keep=keep)
    assert [each.get("DeletionPolicy") for each in found] == [policy] * 2
