"""Which Slurm parameters HyperPod's agent writes on the controller, over whatever stands there (SageMaker AI
Developer Guide, "sagemaker-hyperpod-slurm-api-config-migration", "sagemaker-hyperpod-scaling-slurm";
topology: aws-samples/sample-physical-ai-scaffolding-kit issues 14 and 23, where a topology of one's own
stopped slurmctld; TaskPlugin: "SageMaker HyperPod references", whose auto-resume takes task/none alone).
Unverified: AWS publishes no list.
"""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.spec.slurm_parameters.scope import Scope

_CLUSTER = (
    "clustername slurmctldhost slurmctldparameters slurmduser slurmuser statesavelocation "
    "topologyparam topologyplugin accountingstoragehost accountingstoragetype accountingstorageuser "
    "grestypes authtype authinfo credtype selecttype taskplugin"
)
_QUEUE = "nodes partitionname state topology"
_NODE = "cpus gres nodeaddr nodehostname nodename port state topology"
_NOT_UPDATED = (
    "defcpupergpu defmempergpu exclusive exclusivetopo maxcpuspersocket powerdownonidle resumetimeout "
    "selecttypeparameters suspendtime suspendtimeout"
)
NOT_BY_UPDATE: frozenset[str] = frozenset(_NOT_UPDATED.split())
"""Parameters of a partition that ``scontrol update`` does not take (tried on 22.05; ``Exclusive`` it takes
for ``ExclusiveUser``). A partition's line in slurm.conf is the agent's, so that there is no other way."""
HYPERPOD_OWNS: Mapping[Scope, frozenset[str]] = {
    "cluster": frozenset(_CLUSTER.split()),
    "queue": frozenset(_QUEUE.split()),
    "node-group": frozenset(_NODE.split()),
}
"""Names by place, in small letters."""
