"""What else is rightly named where one fault was injected: data, each line with its reason.

A consequence is allowed on the subject of its fault only; it never excuses a blame on another node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

HALF = "half-configuration"
ABOUT_THE_FLEET = frozenset({"version-skew"})
"""Causes that are named for the cluster, whichever node they come from."""

# Kind → the cause that it is rightly named by, where the two differ.
NAMED_AS: Mapping[str, str] = {
    "wrong-plugin": "efa-fallback-socket",  # a plugin whose provider is not EFA carries the data over TCP
}

# Injected cause → (cause that may be named beside it on the same subject, why it is the same fault).
EXPLAINS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "efa-device-lost": (
        ("efa-device-slow", "the GPU that lost a device has less bandwidth between nodes"),
        ("bootstrap-incomplete", "where LNet is to use every device of the type, one is missing"),
        ("lnet-efa-missing", "LNet cannot use what is not there"),
        ("file-system-not-mounted", "without LNet's EFAs the bootstrap mounts no Lustre"),
    ),
    "efa-fallback-socket": (("efa-device-slow", "TCP is slow between nodes"),),
    "fabric-configuration": (
        ("slow-together", "where no figure is published for two nodes, pairs agree with each other"),
    ),
    HALF: (
        ("efa-device-slow", "each node of that half is slow with others"),
        ("fabric-configuration", "every pair that was tested has a node of that half"),
        ("slow-together", "where no figure is published for two nodes, pairs of that half agree"),
    ),
    "wrong-plugin": (
        ("efa-device-slow", "TCP is slow between nodes"),
        ("version-skew", "the plugin of the others is another"),
        ("software-incompatible", "newer types need a newer plugin than that one"),
    ),
    "nvme-disk-lost": (("bootstrap-incomplete", "a volume is made of all disks or of none"),),
    "persistence-off": (
        ("dcgm-configuration", "DCGM's deployment test asks for persistence mode too"),
        ("bootstrap-incomplete", "a step of the bootstrap sets it, and sees that it is not"),
    ),
    "fabric-manager-down": (("dcgm-configuration", "DCGM's deployment test asks for the fabric manager"),),
    "nvlink-down": (("nvlink-slow", "fewer NVLinks carry less inside the node"),),
    "xid-48": (("ecc-uncorrected", "a double-bit error is counted as uncorrected"),),
    "xid-79": (("gpu-lost", "a GPU that fell off the bus is no longer listed"),),
    "xid-95": (("ecc-uncorrected", "an uncontained error is counted as uncorrected"),),
}

# Kinds that no cause is named for: the right answer is a run that is not passed, and blames nobody.
UNNAMED: Mapping[str, str] = {
    "agent-lost": "the node's answer is not whole: nothing is known of it",
    "disk-full": "the node's tools say nothing whole: nothing is known of it",
    "dcgm-skip": "a test that was skipped proves nothing, and accuses nobody",
    "log-cut": "a log that is not whole proves nothing, and accuses nobody",
    HALF: "which half is the odd one is not known: no node is blamed",
}

# Injected cause → (check that may stay open on nodes without a fault, why it cannot be made there).
LEAVES_OPEN: Mapping[str, tuple[tuple[str, str], ...]] = {
    "fabric-configuration": (("FAB-001", "every pair is slow, so no partner is known to be healthy"),),
    HALF: (("FAB-001", "as many nodes are slow as are fast: nobody is the reference"),),
    "log-cut": (("FAB-001", "a test with that node says nothing about the other either"),),
    "collective-crash": (("FAB-001", "a test with that node says nothing about the other either"),),
}

# Checks that compare a healthy node with another, and may stay open where there are fewer than two.
NEEDS_HEALTHY_PARTNER: Mapping[str, str] = {
    "FAB-001": "a node is cleared by a pair that is fast, and that needs two healthy nodes",
}


def consequences(cause: str) -> tuple[str, ...]:
    """The causes that may be named beside ``cause`` on the same subject."""
    return tuple(named for named, _ in EXPLAINS.get(cause, ()))


def may_stay_open(causes: Iterable[str], *, healthy: int) -> frozenset[str]:
    """The checks that nodes without a fault, ``healthy`` in number, need not pass beside these causes."""
    excused = {check for cause in causes for check, _ in LEAVES_OPEN.get(cause, ())}
    return frozenset(excused | (set(NEEDS_HEALTHY_PARTNER) if healthy < 2 else set()))


def must_be_named(cause: str) -> bool:
    """Whether a validator that says nothing about this fault has missed it.

    An XID that the catalogue's policy does not hold against the node must not be: to blame the node is wrong.
    Nor must what has no cause of its own (``UNNAMED``).
    """
    if cause in UNNAMED:
        return False
    if not cause.startswith("xid-"):
        return True
    from bedplate.hardware import xid

    entry = xid(int(cause.removeprefix("xid-")))
    return entry is None or entry.fails_node
