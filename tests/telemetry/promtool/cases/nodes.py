"""Nodes and Slurm."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import Series, both, node

_ON = "train-1 (i-0a1)"
_DOWN = (node("up", 1, 0, job="node"), node("up", 1, 0, job="dcgm"))
_EXPECTED_GONE = node("bedplate_expected_gpus", 8, "_")
_DONE = both("bedplate_bootstrap_done", 1)


def slurm(before: str, after: str, *, name: str = "train-1", ours: str = "false") -> tuple[Series, ...]:
    """A node that Slurm has in one state, and then in another. The login node tells."""
    told = {"slurm_node": name, "slurm_partition": "train", "node": "login-1", "instance_id": "i-0b1"}
    if before == after:
        return (both("bedplate_slurm_node_state", 1, **told, state=before, ours=ours),)
    return (
        node("bedplate_slurm_node_state", 1, "_", **told, state=before, ours="false"),
        node("bedplate_slurm_node_state", "_", 1, **told, state=after, ours=ours),
    )


def _unit(name: str, state: str) -> Series:
    return node("node_systemd_unit_state", 0, 1, name=f"{name}.service", state=state, type="simple")


_XID = node("bedplate_xid_total", "_", 1, xid="79", policy="replace", pci_bus_id="00000000:53:00.0")
_MANY = tuple(each for index in range(20) for each in slurm("idle", "idle", name=f"train-{index + 10}"))

CASES = (
    Case(
        alert="NodeDown",
        faulty=_DOWN,
        after_minutes=5,
        summary="train-1 is down.",
        blip=4,
        silent={
            "one exporter answers": (node("up", 1, 0, job="node"), both("up", 1, job="dcgm")),
            "Slurm powers it down": (*_DOWN, *slurm("idle", "powering_down")),
            "Slurm reboots it": (*_DOWN, *slurm("idle", "reboot_issued")),
            "Bedplate has drained it, and replaces it": (*_DOWN, *slurm("idle", "drained", ours="true")),
            "a page has told of it": (*_DOWN, _XID),
        },
    ),
    Case(
        alert="NodeDown",
        faulty=slurm("allocated", "down"),
        after_minutes=5,
        summary="train-1 is down.",
        silent={"it works": slurm("idle", "allocated")},
    ),
    Case(
        alert="NodeDown",
        # Where the agent is on the node itself, up ends with it.
        faulty=(_EXPECTED_GONE, *slurm("allocated", "allocated")),
        after_minutes=10,
        summary="train-1 is down.",
        silent={
            "Slurm knows no such node": (_EXPECTED_GONE,),
            "Slurm has powered it down": (_EXPECTED_GONE, *slurm("idle", "powered_down")),
        },
    ),
    Case(
        alert="SlurmNodeDrained",
        faulty=slurm("idle", "drained"),
        after_minutes=30,
        summary="train-1 is drained, and not by Bedplate.",
        silent={"by Bedplate": slurm("idle", "drained", ours="true")},
    ),
    Case(
        alert="ManyNodesDrained",
        faulty=(*slurm("idle", "drained"), *slurm("idle", "drained", name="train-2"), *_MANY),
        after_minutes=15,
        summary="9.091% of the nodes of bedplate-demo are drained.",
        silent={"one alone": (*slurm("idle", "drained"), *_MANY[:5])},
    ),
    Case(
        alert="SlurmctldDown",
        faulty=(node("up", 1, 0, job="slurm"),),
        after_minutes=5,
        summary="Slurm's controller of bedplate-demo does not answer.",
        blip=4,
        silent={
            "a standby answers": (node("up", 1, 0, job="slurm"), both("up", 1, job="slurm", node="ctl-2"))
        },
    ),
    Case(
        alert="NodeBootstrapIncomplete",
        faulty=(node("bedplate_bootstrap_done", 1, 0),),
        after_minutes=30,
        summary=f"{_ON} has not finished its bootstrap.",
        blip=29,
    ),
    Case(
        alert="NodeGateClosed",
        faulty=(node("bedplate_gate_open", 1, 0), _DONE),
        after_minutes=60,
        summary=f"{_ON} has not passed the gate since it booted.",
        blip=59,
        silent={
            "it boots": (node("bedplate_gate_open", 1, 0), node("bedplate_bootstrap_done", 1, 0)),
        },
    ),
    Case(
        alert="NodeServiceFailed",
        faulty=(_unit("nvidia-fabricmanager", "failed"),),
        after_minutes=3,
        summary=f"{_ON}: the service nvidia-fabricmanager.service has failed.",
        labels={"name": "nvidia-fabricmanager.service"},
        blip=2,
        silent={"it starts": (_unit("slurmd", "activating"),)},
    ),
    Case(
        alert="NodeServiceStopped",
        faulty=(_unit("nvidia-persistenced", "inactive"), _DONE),
        after_minutes=10,
        summary=f"{_ON}: the service nvidia-persistenced.service does not run.",
        labels={"name": "nvidia-persistenced.service"},
        blip=9,
        silent={
            "the node boots": (_unit("slurmd", "inactive"), both("bedplate_bootstrap_done", 0)),
            "it is no service that jobs need": (_unit("nvidia-dcgm", "inactive"), _DONE),
        },
    ),
    Case(
        alert="NodeNoHugePages",
        faulty=(node("node_memory_HugePages_Total", 5128, 0), both("bedplate_expected_efas", 16)),
        after_minutes=30,
        summary=f"{_ON} has no huge pages.",
        blip=29,
        silent={
            "a node without EFA": (
                node("node_memory_HugePages_Total", 0, 0),
                both("bedplate_expected_efas", 0),
            )
        },
    ),
)
