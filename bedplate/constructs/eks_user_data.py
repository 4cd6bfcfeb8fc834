"""User data of nodes of EKS, which EKS joins with its own: no cluster is named here."""

from __future__ import annotations

import json

from bedplate.hardware.huge_pages import EFA_HUGE_PAGES, LARGEST_HUGE_PAGE_KIB

_BOUNDARY = "BEDPLATE"
_EPHEMERAL = (
    ("apiclient", "ephemeral-storage", "init"),
    ("apiclient", "ephemeral-storage", "bind", "--dirs", "/var/lib/containerd", "/var/lib/kubelet"),
)
"""Bottlerocket's own way to one array of the instance's disks; from memory, unverified."""
_NODE_CONFIG = """\
--{boundary}
Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
"""
_HUGE_PAGES = """\
--{boundary}
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
# Before the kubelet starts, which counts them once; an image has lost its own setting (amazon-eks-ami #2367).
# Kernels with large pages have huge ones of half a gigabyte, of which EFA's own set-up takes none.
size=$(awk '/^Hugepagesize:/ {{print $2}}' /proc/meminfo)
[ "$size" -gt {largest} ] || sysctl -w vm.nr_hugepages={pages}
"""


def al2023_user_data(*, local_nvme: bool, efa: bool) -> str:
    """MIME parts for Amazon Linux 2023: its disks as one RAID 0 for containers and pods, and huge pages for
    EFA; empty where there is nothing to say.
    """
    parts = [_NODE_CONFIG] * local_nvme + [_HUGE_PAGES] * efa
    if not parts:
        return ""
    words = {"boundary": _BOUNDARY, "pages": EFA_HUGE_PAGES, "largest": LARGEST_HUGE_PAGE_KIB}
    body = "\n".join(part.format(**words) for part in parts)
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    return f"{head}{body}\n--{_BOUNDARY}--\n"


def bottlerocket_user_data(*, local_nvme: bool, efa: bool) -> str:
    """The same as Bottlerocket's settings (TOML): a command makes the array before services start."""
    lines = []
    if efa:
        lines += ["[settings.kernel.sysctl]", f'"vm.nr_hugepages" = "{EFA_HUGE_PAGES}"']
    if local_nvme:
        lines += [
            "[settings.bootstrap-commands.ephemeral-storage]",
            f"commands = {json.dumps(_EPHEMERAL)}",
            "essential = true",
            'mode = "always"',
        ]
    return "\n".join(lines) + "\n" if lines else ""
