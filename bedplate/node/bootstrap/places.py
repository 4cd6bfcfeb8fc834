"""Where the bootstrap keeps its things on a node."""

from __future__ import annotations

HOME = "/opt/bedplate"
PROGRAM = f"{HOME}/bedplate-node.pyz"
PROGRAM_DIGEST = f"{HOME}/bedplate-node.sha256"
"""The digest that the deploy gave to the program, 64 hexadecimal digits."""
SETTINGS = f"{HOME}/settings.json"
RECORD = f"{HOME}/bootstrap.json"
HOOKS = {
    "prolog": f"{HOME}/hooks/prolog",
    "epilog": f"{HOME}/hooks/epilog",
    "periodic": f"{HOME}/hooks/health-check",
}
"""What slurmd calls, and when."""
USERS = f"{HOME}/users.json"
"""The list of users as it was last fetched."""
DESK = f"{HOME}/desk"
"""Which orders the desk has taken and not answered."""
GATE_MARK = "/run/bedplate/gate.json"
"""What lets jobs onto the node, until the next boot."""
GATEKEEPER_MEMORY = "/run/bedplate/gatekeeper.json"
"""Which pairs the gatekeeper has tried."""
GATEKEEPER_LOCK = "/run/bedplate-gatekeeper.lock"
METRICS = "/var/lib/bedplate/metrics"
"""Text files that node_exporter serves."""
COLLECTED = "/var/lib/bedplate/collected"
"""What collectors of metrics keep from one run to the next."""
COLLECT_LOCKS = "/run/bedplate/collect"
GPU_JOBS = "/run/bedplate/gpu-jobs"
"""One file for each GPU that a job has, named by its index: dcgm-exporter's job mapping."""
JOBS = "/run/bedplate/jobs"
"""One file for each job that has this node."""
LOCK = "/run/bedplate-bootstrap.lock"
DESK_LOCK = "/run/bedplate-desk.lock"
USERS_LOCK = "/run/bedplate-users.lock"
UNITS = "/etc/systemd/system"
BOOT_UNIT = "bedplate-bootstrap.service"
PYTHON = "/usr/bin/python3"
