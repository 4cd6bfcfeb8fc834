"""Which Slurm parameters ParallelCluster keeps for itself (aws-parallelcluster 3.16.1,
``pcluster/validators/slurm_settings_validator.py``; names in small letters, as there).
"""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.spec.slurm_parameters.scope import Scope

_ACCOUNTING = (
    "accountingstoragehost accountingstorageport accountingstoragetype accountingstorageuser "
    "jobacctgathertype"
)
_CLUSTER = (
    "epilog grestypes launchparameters prolog reconfigflags resumefailprogram resumeprogram resumetimeout "
    "slurmctldhost slurmctldlogfile slurmctldparameters slurmdlogfile slurmuser suspendexcnodes "
    "suspendprogram suspendtime taskplugin treewidth"
)
_QUEUE = "nodes oversubscribe partitionname resumetimeout state suspendtime"
_NODE = "cpus gres nodeaddr nodehostname nodename state weight"
PARALLELCLUSTER_DENIES: Mapping[Scope, frozenset[str]] = {
    # Those of accounting are denied where there is a database; without one they would be ours to set.
    "cluster": frozenset(f"{_CLUSTER} {_ACCOUNTING}".split()),
    "queue": frozenset(_QUEUE.split()),
    "node-group": frozenset(_NODE.split()),
}
"""Names by place."""
