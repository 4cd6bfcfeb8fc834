"""The command lines that tell of a node's disks and file systems; see ``bedplate.diagnosis.tools``."""

from __future__ import annotations

ARRAY = "/dev/md/bedplate"
"""The RAID 0 array that the bootstrap makes of the instance-store disks."""
SCRATCH = "/scratch"
"""Where it is mounted."""

MOUNTS = ("findmnt", "--json", "--list", "--output", "TARGET,SOURCE,FSTYPE,OPTIONS")
MDADM = ("mdadm", "--detail", ARRAY)
LNET = ("lnetctl", "net", "show", "-v")
LFS_DF = ("lfs", "df")
OST_STATES = ("lctl", "get_param", "-n", "osc.*.ost_server_uuid")
NFS_DF = ("df", "-P", "-k", "-t", "nfs4")
"""A server that does not answer lets it hang, which ends at the deadline."""

STORAGE_TOOLS = (MOUNTS, MDADM, LNET, LFS_DF, OST_STATES, NFS_DF)
