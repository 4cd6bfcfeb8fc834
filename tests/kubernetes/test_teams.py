"""A team's namespace, rights and quota."""

from __future__ import annotations

from bedplate.kubernetes.teams import SERVICE_ACCOUNT, group_of, team_documents
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from tests.kubernetes.pools import GB200, assert_valid, pool

_TEAMS = (KubernetesTeam(name="red", gpus=16), KubernetesTeam(name="blue"))


def test_documents_are_valid() -> None:
    """Every document fits Kubernetes' own schema, with quotas and without."""
    for quotas in (True, False):
        documents = team_documents(pools=[pool(), pool(**GB200)], teams=_TEAMS, quotas=quotas)
        assert [each["kind"] for each in documents[:2]] == ["Namespace", "Namespace"]
        for each in documents:
            assert_valid(each)


def test_members_are_a_group_and_have_no_rights_to_give_on() -> None:
    """The binding names the group of the access entry; no rule has a star, or touches RBAC or namespaces."""
    documents = team_documents(pools=[pool()], teams=_TEAMS, quotas=False)
    role = next(each for each in documents if each["kind"] == "Role")
    binding = next(each for each in documents if each["kind"] == "RoleBinding")
    assert binding["subjects"][0]["name"] == group_of("red") == "bedplate.dev:team:red"
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    words = {word for rule in role["rules"] for part in rule.values() for word in part}
    assert not words & {"*", "rbac.authorization.k8s.io", "roles", "namespaces", "serviceaccounts/token"}
    assert not any(
        "kueue.x-k8s.io" in rule["apiGroups"] and "create" in rule["verbs"] for rule in role["rules"]
    )


def test_a_quota_of_devices_only_where_nothing_admits() -> None:
    """Two quotas would contradict each other; without Kueue the team's share is a ResourceQuota."""
    with_kueue = team_documents(pools=[pool()], teams=_TEAMS, quotas=False)
    assert not [each for each in with_kueue if each["kind"] == "ResourceQuota"]
    without = team_documents(pools=[pool()], teams=_TEAMS, quotas=True)
    hard = {
        each["metadata"]["namespace"]: each["spec"]["hard"]
        for each in without
        if each["kind"] == "ResourceQuota"
    }
    assert hard["red"] == {"requests.nvidia.com/gpu": "16", "requests.vpc.amazonaws.com/efa": "32"}
    assert hard["blue"] == {"requests.nvidia.com/gpu": "48", "requests.vpc.amazonaws.com/efa": "96"}


def test_without_teams_jobs_have_their_account_in_default() -> None:
    """Every job's pods run as one account, which is there where there are no teams too."""
    (account,) = team_documents(pools=[pool()], teams=(), quotas=True)
    assert_valid(account)
    assert account["metadata"] == {"name": SERVICE_ACCOUNT, "namespace": "default"}
