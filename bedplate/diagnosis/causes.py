"""The kinds of fault that a verdict can name, by stable id; XIDs are named by their code (``xid-64``,
``sxid-12028``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """One kind of fault: ``subject`` says what it blames (``node``, ``link`` or ``cluster``)."""

    id: str
    title: str
    subject: str
    remedy: str


_REPLACE = "Drain the node and replace the instance; stopping and starting it moves it to other hardware."

_ROWS = (
    Cause("efa-device-lost", "An EFA device is missing", "node", _REPLACE),
    Cause("efa-device-slow", "A node is slow only between nodes", "node", _REPLACE),
    Cause(
        "efa-fallback-socket",
        "NCCL does not get EFA, and would use TCP",
        "node",
        "Check on the node that aws-ofi-nccl and libfabric are installed and found, and that "
        "/dev/infiniband is there.",
    ),
    Cause(
        "gpudirect-off",
        "NCCL uses EFA without GPUDirect RDMA",
        "cluster",
        "Install the EFA driver and the NVIDIA driver in versions that support GPUDirect, and look for "
        "NCCL_NET_GDR_LEVEL.",
    ),
    Cause(
        "gpu-lost",
        "A GPU does not answer",
        "node",
        "Reboot the node; if the GPU stays away, replace the instance.",
    ),
    Cause(
        "gpu-other-model",
        "A GPU is of another model than the instance type's",
        "node",
        "Look at the instance's type in EC2: a node of another type belongs in another pool. Where the type "
        "is right, replace the instance and open a support case with its id.",
    ),
    Cause("row-remap-failure", "A GPU could not remap a bad memory row", "node", _REPLACE),
    Cause(
        "ecc-uncorrected",
        "A GPU's memory had uncorrected errors",
        "node",
        "Reboot the node so that bad rows are remapped; if the count rises again, replace the instance.",
    ),
    Cause(
        "node-not-ready",
        "Kubernetes says that the node is not ready",
        "node",
        "Read the condition (`kubectl describe node NAME`); reboot the node, and replace the instance where "
        "it comes again. Two DCGM engines on one node make AcceleratedHardwareReady false on good hardware.",
    ),
    Cause(
        "device-plugin-off",
        "A Kubernetes node offers no GPUs or no EFAs",
        "node",
        "See that the device plugin's pod runs on the node: its node selector, its tolerations, its log. "
        "The hardware is not at fault, do not drain.",
    ),
    Cause(
        "device-plugin-shares",
        "A Kubernetes node offers more devices than it has",
        "node",
        "Turn time-slicing, MPS and MIG off in the device plugin's settings; the hardware is not at fault, "
        "do not drain.",
    ),
    Cause(
        "devices-short",
        "A Kubernetes node offers too few GPUs or EFAs",
        "node",
        "Compare with GPU-001 and EFA-001 of the node. Where the device is lost there too, replace the "
        "instance; where it is there, look at the device plugin's allow list of types and devices, and at "
        "the EFA layout of the launch template.",
    ),
    Cause(
        "nvlink-down",
        "An NVLink is down",
        "node",
        "Reboot the node; if the link stays down, replace the instance.",
    ),
    Cause("nvlink-slow", "Bandwidth inside the node is too low", "node", _REPLACE),
    Cause("dcgm-hardware", "A DCGM test failed for a hardware reason", "node", _REPLACE),
    Cause(
        "dcgm-configuration",
        "A DCGM test failed for a reason of configuration",
        "node",
        "Correct the setting that DCGM names (such as persistence mode); the hardware is not at fault, "
        "do not drain.",
    ),
    Cause(
        "data-corruption",
        "A collective gave wrong results",
        "cluster",
        "Use no result of these nodes; run the collective on halves of them to find the one at fault.",
    ),
    Cause(
        "leaf-slow",
        "The way out of a leaf switch is slow, its nodes are well among themselves",
        "cluster",
        "Keep jobs within the leaf or off it, and open a support case that names its nodes' instance ids.",
    ),
    Cause(
        "link-slow",
        "The path between two nodes is slow, both are well with others",
        "link",
        "Keep the two nodes out of one job and open a support case that names both instance ids.",
    ),
    Cause(
        "nvlink-domain-off",
        "NVLink between the nodes of an UltraServer is not used",
        "cluster",
        "See that the IMEX domain of the nodes is up (IMX-001) and that their GPUs have joined the NVLink "
        "fabric (GPU-007).",
    ),
    Cause(
        "fabric-configuration",
        "All pairs are slow by about the same ratio",
        "cluster",
        "Compare plugin, libfabric and driver versions, the security group's self-reference and the "
        "placement; blame no node.",
    ),
    Cause(
        "slow-together",
        "All nodes together are slow, and no pair of them is at fault",
        "cluster",
        "Compare where the nodes stand (placement group, leaves) and what else loads the fabric; run the "
        "collective on halves of the nodes, and open a support case with the instance ids. Blame no node.",
    ),
    Cause(
        "node-unreachable",
        "No command reaches the node",
        "node",
        "Look at the instance's state and its SSM agent; if it does not come back after a reboot, "
        "replace the instance.",
    ),
    Cause(
        "bootstrap-incomplete",
        "A step of the node's bootstrap failed",
        "node",
        "Read /var/log/bedplate-bootstrap.log, mend what the step names, then run "
        "`systemctl restart bedplate-bootstrap` or replace the instance.",
    ),
    Cause("nvme-disk-lost", "An NVMe disk is missing or has failed", "node", _REPLACE),
    Cause(
        "scratch-volume",
        "The NVMe disks are not one volume at /scratch",
        "node",
        "Run `systemctl restart bedplate-bootstrap` and read /var/log/bedplate-bootstrap.log; what jobs "
        "wrote to /scratch meanwhile lies on the root disk.",
    ),
    Cause(
        "association-broken",
        "Files do not travel between a folder and its bucket",
        "cluster",
        "Read Lifecycle and FailureDetails of `aws fsx describe-data-repository-associations`, then the "
        "bucket's policy, its key's policy and its event rules; blame no node.",
    ),
    Cause("storage-corruption", "What was written came back changed", "node", _REPLACE),
    Cause("nvme-slow", "The NVMe volume is slow", "node", _REPLACE),
    Cause(
        "file-system-slow",
        "A file system is slow from one node",
        "node",
        "Look at FSX-001 of the node and at the file system's throughput in CloudWatch; where other nodes "
        "are well, replace the instance.",
    ),
    Cause(
        "file-system-not-mounted",
        "A file system of the environment is not mounted",
        "node",
        "Read /var/log/bedplate-bootstrap.log, then run `systemctl restart bedplate-bootstrap` or replace "
        "the instance.",
    ),
    Cause(
        "file-system-read-only",
        "A file system of the environment is mounted read-only",
        "node",
        "Read the kernel's log for why, then mount it again (`mount -o remount,rw PATH`) or replace the "
        "instance; where all nodes have it, look at the file system's life cycle in FSx.",
    ),
    Cause(
        "file-system-unreachable",
        "A mounted file system does not answer",
        "node",
        "Look at the file system's life cycle in FSx and at its security group; where one node alone has it, "
        "replace the instance.",
    ),
    Cause(
        "lustre-over-tcp",
        "Lustre goes over TCP instead of EFA",
        "node",
        "Unmount the file system, run `systemctl restart bedplate-bootstrap`, and look for the step "
        "set_up_lnet in /var/log/bedplate-bootstrap.log.",
    ),
    Cause(
        "lnet-efa-missing",
        "Too few EFA interfaces carry Lustre",
        "node",
        "Run `systemctl restart bedplate-bootstrap`, which binds what is missing; if an interface stays "
        "down, replace the instance.",
    ),
    Cause(
        "pcie-degraded",
        "A GPU's PCIe link is narrow or slow",
        "node",
        "Reboot the node; if the link stays below what it can do, replace the instance.",
    ),
    Cause("gpu-throttled", "A GPU is slowed down by heat or power", "node", _REPLACE),
    Cause(
        "gpu-clocks-limited",
        "A setting limits a GPU's clocks or power",
        "node",
        "Set the limit back (`nvidia-smi -rac`, `nvidia-smi -pl WATTS`); the hardware is not at fault, do "
        "not drain.",
    ),
    Cause(
        "persistence-off",
        "Persistence mode is off",
        "node",
        "Run `nvidia-smi -pm 1`, or `systemctl restart bedplate-bootstrap`; the hardware is not at fault, do "
        "not drain.",
    ),
    Cause(
        "fabric-manager-down",
        "The fabric manager has not joined the GPUs",
        "node",
        "Run `systemctl restart nvidia-fabricmanager`; its version must be the driver's own. Until it runs "
        "no CUDA program starts; the hardware is not at fault, do not drain.",
    ),
    Cause(
        "nvlink-errors",
        "An NVLink repairs errors under load",
        "node",
        "Reboot the node; if the counters grow again under load, replace the instance.",
    ),
    Cause("gpu-slow", "A GPU computes slower than it must", "node", _REPLACE),
    Cause("gpu-memory-slow", "A GPU's memory is slower than it must be", "node", _REPLACE),
    Cause(
        "imex-down",
        "The IMEX domain of the UltraServer is not up",
        "node",
        "Look at `nvidia-imex-ctl -N` and /var/log/nvidia-imex.log; the prolog must write the job's nodes "
        "into nodes_config.cfg and restart nvidia-imex on all of them. Do not drain.",
    ),
    Cause("efa-device-faulty", "An EFA device carries little or nothing to itself", "node", _REPLACE),
    Cause(
        "efa-errors",
        "An EFA device counts errors under load",
        "node",
        "Validate again; if the same device counts again, drain the node and replace the instance.",
    ),
    Cause(
        "efa-traffic-blocked",
        "No EFA device of a node carries traffic",
        "node",
        "Look for the security group's rules to itself, in and out, for /dev/infiniband, and for the limit "
        "of locked memory (`ulimit -l`).",
    ),
    Cause(
        "gdrcopy-off",
        "GDRCopy does not work",
        "node",
        "Load gdrdrv (`modprobe gdrdrv`), or install GDRCopy built for the running kernel and NVIDIA driver.",
    ),
    Cause(
        "clock-wrong",
        "The clock is wrong, or nothing keeps it",
        "node",
        "See that chrony runs and uses 169.254.169.123, then `chronyc makestep`.",
    ),
    Cause(
        "huge-pages-missing",
        "Huge pages for EFA are missing",
        "node",
        "Reboot the node, so that the kernel sets them aside while memory is in one piece.",
    ),
    Cause(
        "software-incompatible",
        "Versions of a node's software do not go together",
        "node",
        "Bring the image to versions that belong together, then launch the nodes anew.",
    ),
    Cause(
        "version-skew",
        "Nodes of a pool carry different software",
        "cluster",
        "Bring all nodes of a pool to one image: pin it (`bedplate lock`), then launch the odd ones anew.",
    ),
    Cause(
        "collective-hang",
        "A collective ran past its deadline",
        "cluster",
        "See that no process is left on the GPUs, then run the search between nodes to find the one "
        "that hangs.",
    ),
    Cause(
        "collective-crash",
        "A collective's program crashed",
        "cluster",
        "Read the first failure in the log. Where one node alone is named, compare its libraries, driver and "
        "settings with a node that is well; where all crash, the image or the settings of all are at fault.",
    ),
)

CAUSES: Mapping[str, Cause] = {row.id: row for row in _ROWS}
"""All kinds of fault but XIDs, by id."""

_XID = re.compile(r"(?P<kind>s?xid)-(?P<code>\d{1,6})")


def xid_cause(code: int) -> str:
    """The id of the cause that an XID names."""
    return f"xid-{code}"


def sxid_cause(code: int) -> str:
    """The id of the cause that an NVSwitch's SXid names."""
    return f"sxid-{code}"


def cause(cause_id: str) -> Cause | None:
    """The kind of fault with this id, XIDs and SXids included; None for an unknown id."""
    match = _XID.fullmatch(cause_id)
    if match is None:
        return CAUSES.get(cause_id)
    name = f"{'XID' if match.group('kind') == 'xid' else 'SXid'} {match.group('code')} in the kernel log"
    return Cause(cause_id, name, "node", "Do what the XID catalogue says for this code; see GPU-004.")
