"""The commands of the node program; a module is imported when its command is called."""

from __future__ import annotations

from typing import Mapping

COMMANDS: Mapping[str, str] = {
    "probe": "bedplate.node.probe",
    "exercise": "bedplate.node.exercise",
    "scheduler": "bedplate.node.scheduler",
    "run-jobs": "bedplate.node.run_jobs",
    "efa-counters": "bedplate.node.efa_counters",
    "gpu-processes": "bedplate.node.gpu_processes",
    "association": "bedplate.node.association",
    "set-nodes": "bedplate.node.set_nodes",
}
"""Command → module of those that answer the controller, in an envelope."""
OWN_COMMANDS: Mapping[str, str] = {
    "bootstrap": "bedplate.node.bootstrap.command",
    "gate": "bedplate.node.bootstrap.gate",
    "gate-check": "bedplate.node.gate.check",
    "mark-gate": "bedplate.node.gate.set_mark",
    "open-gate": "bedplate.node.gate.command",
    "collect-metrics": "bedplate.node.metrics.command",
    "desk": "bedplate.node.desk.command",
    "disk-speed": "bedplate.node.disk_speed",
    "set-accounts": "bedplate.node.set_accounts",
    "health-check": "bedplate.node.health_check",
    "make-homes": "bedplate.node.users.homes",
    "make-users": "bedplate.node.make_users",
    "set-topology": "bedplate.node.set_topology",
}
"""Command → module of the node's own; nobody asks for them from outside."""
