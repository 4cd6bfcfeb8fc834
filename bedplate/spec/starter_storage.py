"""The storage section of a first environment file."""

from __future__ import annotations

from collections.abc import Sequence

KINDS: dict[str, int] = {"lustre": 19200, "lustre-tiering": 0, "openzfs": 1024, "efs": 0}
"""Kind of new file system → its size in GiB where none is asked for; 0 for one that grows by itself."""
_LEAST_LUSTRE_GIB = 1200
"""Without EFA, which a Local Zone's nodes do not reach."""
_MOUNTS = {
    "lustre": ("/fsx", "/work"),
    "lustre-tiering": ("/data", "/archive"),
    "openzfs": ("/home", "/shared"),
    "efs": ("/home", "/shared"),
}

_TEXTS = {
    "lustre": """\
    - kind: lustre                  # FSx for Lustre on SSD
      mount: {mount}
      capacity_gib: {gib:<13}   # with EFA: multiples of 19200 at 250 MB/s for each TiB
      throughput_mbps_per_tib: 250  # 125 | 250 | 500 | 1000
      efa: {efa}
      associations: []              # - {{path: /data, bucket: my-bucket, import: [new, changed, deleted]}}
""",
    "lustre-tiering": """\
    - kind: lustre-tiering          # FSx for Lustre that grows by itself; what is cold costs less
      mount: {mount}
      throughput_mbps: 4000         # steps of 4000
      read_cache_gib: 20000         # SSD cache; 0 for none
      efa: {efa}
""",
    "openzfs": """\
    - kind: openzfs                 # FSx for OpenZFS, by NFS: for homes and code
      mount: {mount}
      capacity_gib: {gib}
      throughput_mbps: 640          # 160 | 320 | 640 | 1280 | 2560 | 3840 | 5120 | 7680 | 10240
""",
    "efs": """\
    - kind: efs                     # EFS, by NFS: grows by itself, in all zones
      mount: {mount}
      throughput: elastic           # elastic | bursting
""",
}


def storage_section(file_systems: Sequence[tuple[str, int]], *, local_zone: bool) -> str:
    """Write the section with these file systems, each a kind and a size in GiB (0 for the kind's own).

    Each is mounted on a folder of its own; in a Local Zone none is reached by EFA.
    """
    head = "\nstorage:\n"
    if file_systems:
        head += "  file_systems:                     # mounted by every node, in this order\n"
    else:
        head += "  file_systems: []                  # - {kind: lustre, mount: /fsx, capacity_gib: 19200}\n"
    taken: set[str] = set()
    for kind, gib in file_systems:
        free = [mount for mount in _MOUNTS[kind] if mount not in taken]
        mount = free[0] if free else f"/{kind}{len(taken)}"
        taken.add(mount)
        usual = _LEAST_LUSTRE_GIB if kind == "lustre" and local_zone else KINDS[kind]
        head += _TEXTS[kind].format(mount=mount, gib=gib or usual, efa=str(not local_zone).lower())
    return head + "  local_nvme: raid0                 # raid0 | none\n"
