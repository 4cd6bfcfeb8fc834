# mypy: ignore-errors
"""Runs in ParallelCluster's own environment: reads a configuration as JSON, says what ParallelCluster does.

``oracle.py NAME`` with the configuration on standard input prints JSON: ``refused`` is what the schema says,
else ``queues`` is what it has read; no AWS is asked. With ``validate`` after the name the validators run too,
against the endpoint of the environment, and ``failures`` is what they say.
"""

from __future__ import annotations

import json
import socket
import sys

from marshmallow import ValidationError

from pcluster.schemas.cluster_schema import ClusterSchema


def main() -> None:
    """Answer on standard output."""
    try:
        cluster = ClusterSchema(cluster_name=sys.argv[1]).load(json.load(sys.stdin))
    except ValidationError as error:
        sys.stdout.write(json.dumps({"refused": error.normalized_messages()}))
        return
    queues = {
        queue.name: {
            "capacity_type": queue.capacity_type.value,
            "compute_resources": {
                each.name: {"min": each.min_count, "max": each.max_count, "efa": each.efa.enabled}
                for each in queue.compute_resources
            },
        }
        for queue in cluster.scheduling.queues
    }
    failures = _validated(cluster) if "validate" in sys.argv[2:] else []
    sys.stdout.write(json.dumps({"refused": None, "queues": queues, "failures": failures}))


def _validated(cluster) -> list:
    """[level, validator, message] of each failure."""
    # A bucket is a name below the endpoint's; not every host resolves those to itself.
    resolve = socket.getaddrinfo

    def at_home(host, *rest, **named):
        return resolve("localhost" if str(host).endswith(".localhost") else host, *rest, **named)

    socket.getaddrinfo = at_home
    return [[each.level.name, each.validator_type, each.message] for each in cluster.validate()]


main()
