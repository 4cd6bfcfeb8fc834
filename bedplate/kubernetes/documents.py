"""All documents of a cluster for teams, queues and jobs, in the order in which it can take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.kubernetes.jobs.compute_domain import needs_domain
from bedplate.kubernetes.jobs.trainjob import torch_runtime
from bedplate.kubernetes.queues import queue_documents
from bedplate.kubernetes.queues.priorities import pod_priorities
from bedplate.kubernetes.teams import team_documents
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.orchestrator.kubernetes import KubernetesCommon
from bedplate.spec.pools import Pool


def cluster_documents(*, cluster: KubernetesCommon, pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Priorities, teams, Kueue's documents and Trainer's runtimes, as the section of the environment asks.

    They come after the charts that bring their CRDs, and after the namespace of what Bedplate runs itself.
    Task governance of HyperPod divides by its own means: there are neither our queues nor quotas then.
    Raises ``ValueError`` as ``divide`` does.
    """
    governed = isinstance(cluster, EksHyperPod) and cluster.task_governance
    if governed and cluster.admission == "kueue":
        raise ValueError("task_governance brings its own Kueue: admission is `none` beside it")
    queued = cluster.admission == "kueue"
    quotas = not queued and not governed
    made = [*pod_priorities(), *team_documents(pools=pools, teams=cluster.teams, quotas=quotas)]
    if queued:
        made += queue_documents(pools=pools, teams=cluster.teams)
    if "trainer" in cluster.jobs:
        made += [torch_runtime(pool, queued=queued or governed) for pool in pools if not needs_domain(pool)]
    return made
