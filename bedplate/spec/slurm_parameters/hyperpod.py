"""Which Slurm parameters HyperPod's agent writes on the controller, over whatever stands there (SageMaker AI
Developer Guide, "sagemaker-hyperpod-slurm-api-config-migration", "sagemaker-hyperpod-scaling-slurm";
topology: aws-samples/sample-physical-ai-scaffolding-kit issues 14 and 23, where a topology of one's own
stopped slurmctld). Unverified: AWS publishes no list.
"""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.spec.slurm_parameters.scope import Scope

_CLUSTER = (
    "clustername slurmctldhost slurmctldparameters slurmduser slurmuser statesavelocation "
    "topologyparam topologyplugin accountingstoragehost accountingstoragetype accountingstorageuser "
    "grestypes authtype authinfo credtype selecttype"
)
_QUEUE = "nodes partitionname state topology"
_NODE = "cpus gres nodeaddr nodehostname nodename port state topology"
HYPERPOD_OWNS: Mapping[Scope, frozenset[str]] = {
    "cluster": frozenset(_CLUSTER.split()),
    "queue": frozenset(_QUEUE.split()),
    "node-group": frozenset(_NODE.split()),
}
"""Names by place, in small letters."""
