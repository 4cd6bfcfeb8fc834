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
_NEEDS = (
    "authtype clustername credtype plugindir plugstackconfig resumerate selecttype slurmctldaddr "
    "slurmctldport slurmdport slurmdspooldir slurmduser statesavelocation suspendexcparts suspendrate"
)
PARALLELCLUSTER_NEEDS = frozenset(_NEEDS.split())
"""Of the cluster: ParallelCluster would take them, and its daemons, its database or its images rely on what
it sets itself (aws-parallelcluster-cookbook, ``templates/default/slurm/slurm.conf.erb``).
"""
