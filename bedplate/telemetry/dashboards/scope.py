"""Label matchers that narrow a query to what the variables name."""

from __future__ import annotations

ENVIRONMENT = 'environment="$environment"'
POOL = f'{ENVIRONMENT},pool=~"$pool"'
NODES = f'{POOL},node=~"$node"'
"""Where ``$node`` may be several or all."""
NODE = f'{ENVIRONMENT},node="$node"'
"""Where ``$node`` is one."""
JOB = f'{ENVIRONMENT},hpc_job="$job"'

ON_JOB = f"and on (instance_id) bedplate_job_node{{{JOB}}}"
"""After a vector: those of its series that are of the job's nodes."""
