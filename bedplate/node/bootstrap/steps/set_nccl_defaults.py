"""Defaults for NCCL in ``/etc/nccl.conf``: which interfaces its bootstrap must not take.

A variable that the file sets already, or that a job sets in its environment, wins (NCCL User Guide,
"Environment Variables"). Nothing is set for libfabric: FI_PROVIDER, FI_EFA_USE_DEVICE_RDMA and NCCL_PROTO
are what the plugin chooses itself since aws-ofi-nccl 1.7, and awslabs/awsome-distributed-ai #1077 took them
out.
"""

from __future__ import annotations

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step

PATH = "/etc/nccl.conf"
DEFAULTS = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth,pod-id-link"}
"""``^`` excludes by prefix. docker, lo, veth: the list of awslabs/awsome-distributed-ai's job images;
pod-id-link: aws-samples/aws-do-eks #54, where NCCL hung on that address."""


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.gpus else "no GPU on this node"


def _run(host: Host, _settings: NodeSettings) -> str:
    text = host.read(PATH) or ""
    names = {
        line.partition("=")[0].strip() for line in text.splitlines() if not line.lstrip().startswith("#")
    }
    missing = {name: value for name, value in DEFAULTS.items() if name not in names}
    if not missing:
        return "was set"
    if text and not text.endswith("\n"):
        text += "\n"
    host.write(PATH, text + "".join(f"{name}={value}\n" for name, value in missing.items()))
    return f"set {', '.join(missing)}"


STEP = Step("set_nccl_defaults", _why_not, _run)
