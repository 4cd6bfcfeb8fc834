"""A team's place in the cluster: its namespace, who may work in it, and what its pods run as.

There is no NetworkPolicy: nodes of a job open ports to each other that only NCCL, MPI and torchrun choose,
EFA traffic passes no policy at all, and what enforces policies is a setting of the VPC CNI. Isolation between
teams that do not trust each other is the security groups' and the clusters' matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.kubernetes.counts import CPU, MEMORY, node_offer
from bedplate.node.kubernetes.names import DOMAIN
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.orchestrator.shares import Shares, divide
from bedplate.spec.pools import Pool

SERVICE_ACCOUNT = "job"
"""What pods of the team's jobs run as; a pod identity association of EKS gives it the team's IAM role."""
TEAM_LABEL = f"{DOMAIN}/team"
_ROLE = "bedplate-member"
_WORK = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_READ = ("get", "list", "watch")


def group_of(team: str) -> str:
    """The Kubernetes group that an EKS access entry of the team's IAM roles names."""
    return f"{DOMAIN}:team:{team}"


def team_documents(
    *, pools: Sequence[Pool], teams: Sequence[KubernetesTeam], quotas: bool
) -> list[dict[str, Any]]:
    """Documents of all teams, namespaces first; without teams the account of jobs in ``default``.

    ``quotas`` is for clusters in which nothing admits jobs: the team's share is then all that it gets. Beside
    Kueue it would refuse single pods of a job that was admitted by what others leave idle. Raises
    ``ValueError`` as ``divide`` does.
    """
    if not teams:
        return [_service_account("default")]
    shares = divide(pools=pools, teams=teams)
    made = [_namespace(team.name) for team in teams]
    for team in teams:
        made += [_service_account(team.name), _role(team.name), _binding(team.name)]
        if quotas:
            made.append(_quota(team.name, pools, shares))
    return made


def _namespace(team: str) -> dict[str, Any]:
    # Jobs need no privileges, for devices come through plug-ins; "baseline" refuses folders of the host.
    labels = {TEAM_LABEL: team, "pod-security.kubernetes.io/enforce": "baseline"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": team, "labels": labels}}


def _service_account(team: str) -> dict[str, Any]:
    # Pods get credentials by pod identity, which mounts its own token; none for the Kubernetes API.
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": SERVICE_ACCOUNT, "namespace": team},
        "automountServiceAccountToken": False,
    }


def _role(team: str) -> dict[str, Any]:
    """Work with jobs of every kind and with pods; read queues, quotas and events. No rights to give on."""
    rules = [
        _rule("", ("configmaps", "persistentvolumeclaims", "pods", "secrets", "services"), _WORK),
        _rule("", ("pods/log", "events", "resourcequotas", "serviceaccounts"), _READ),
        _rule("", ("pods/attach", "pods/exec", "pods/portforward"), ("create", "get")),
        _rule("batch", ("jobs", "cronjobs"), _WORK),
        _rule("apps", ("deployments", "statefulsets"), _WORK),
        _rule("trainer.kubeflow.org", ("trainjobs", "trainingruntimes"), _WORK),
        _rule("kubeflow.org", ("mpijobs",), _WORK),
        _rule("jobset.x-k8s.io", ("jobsets",), _WORK),
        _rule("leaderworkerset.x-k8s.io", ("leaderworkersets",), _WORK),
        _rule("resource.nvidia.com", ("computedomains",), _WORK),
        _rule("scheduling.volcano.sh", ("podgroups",), _WORK),
        _rule("kueue.x-k8s.io", ("localqueues", "workloads"), _READ),
    ]
    return {**_rbac("Role", team), "rules": rules}


def _binding(team: str) -> dict[str, Any]:
    return {
        **_rbac("RoleBinding", team),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": _ROLE},
        "subjects": [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group_of(team)},
        ],
    }


def _rbac(kind: str, team: str) -> dict[str, Any]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": _ROLE, "namespace": team},
    }


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def _quota(team: str, pools: Sequence[Pool], shares: Shares) -> dict[str, Any]:
    """Of devices alone: a limit of cores or memory would refuse every pod that names none."""
    hard: dict[str, int] = {}
    for pool in pools:
        for name, amount in node_offer(pool).times(shares.of_teams[team][pool.name]).items():
            if name not in (CPU, MEMORY) and isinstance(amount, int):
                hard[f"requests.{name}"] = hard.get(f"requests.{name}", 0) + amount
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "bedplate-share", "namespace": team},
        "spec": {"hard": {name: str(amount) for name, amount in hard.items()}},
    }
