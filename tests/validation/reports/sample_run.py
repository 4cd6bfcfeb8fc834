"""Runs made for the tests of judgement and reports: healthy ones, and one with the faults of the demo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bedplate.diagnosis.verdict import CLUSTER, Finding, Outcome, Severity, Subject, Verdict
from bedplate.validation.actions.model import Action, LeftAlone
from bedplate.validation.result import Bandwidth, NodeResult, Round, RunResult, Waiver

NODE_CHECKS = (
    "NOD-001",
    "GPU-001",
    "GPU-002",
    "GPU-003",
    "GPU-004",
    "NVL-001",
    "EFA-001",
    "DCG-001",
    "DCG-002",
    "NCL-001",
    "FAB-001",
)
CLUSTER_CHECKS = ("NCL-002", "NCL-003", "FAB-002")
SIZE_BYTES = 16 * 1024**3
XID_LINE = (
    "2026-02-03T08:52:11+0000 ip-10-40-0-23 kernel: NVRM: Xid (PCI:0000:97:00): 64, "
    "pid='<unknown>', name=<unknown>, Row remapper error"
)


def node_id(index: int) -> str:
    """A made-up instance id, the same for the same index."""
    return f"i-{0x0B5E7C41D9A0F3 * (index + 3) * 977 % (1 << 68):017x}"


def healthy_run(*, nodes: int = 8, simulated: bool = False) -> RunResult:
    """A run in which every required check has its pass, once."""
    ids = [node_id(index) for index in range(nodes)]
    verdicts = [_pass(check, Subject("node", (name,))) for name in ids for check in NODE_CHECKS]
    verdicts += [_pass(check, CLUSTER) for check in CLUSTER_CHECKS]
    in_node = [_bandwidth("in-node", [name], 478.0 - 0.4 * (i % 7)) for i, name in enumerate(ids)]
    return RunResult(
        kind="validate",
        environment="demo",
        account="123456789012",
        region="us-west-2",
        simulated=simulated,
        started_at="2026-02-03T09:14:02Z",
        finished_at="2026-02-03T09:21:47Z",
        complete=True,
        required_checks=sorted(NODE_CHECKS + CLUSTER_CHECKS),
        nodes=[_node(index) for index in range(nodes)],
        verdicts=verdicts,
        bandwidths=[*in_node, _bandwidth("all-nodes", ids, 391.2)],
        rounds=[],
        waivers=[],
        versions={"bedplate": "0.1.0", "python": "3.11.7"},
        evidence_location="s3://bedplate-demo-results/runs/2026-02-03T09-14-02Z/",
    )


def faulty_run(*, nodes: int = 8, simulated: bool = True) -> RunResult:
    """A run with three faults on three nodes, half an answer, a waiver, a finding and skew."""
    run = healthy_run(nodes=nodes, simulated=simulated)
    ids = [node.node for node in run.nodes]
    slow = ids[5]
    first = [ids[i : i + 2] for i in range(0, nodes, 2)]
    second = [[ids[i], ids[(i + 3) % nodes]] for i in range(0, nodes, 2)]
    changes = _changes(ids)
    pairs = [
        _bandwidth("pair", pair, 148.3 if slow in pair else 382.0 + i % 5)
        for i, pair in enumerate(first + second)
    ]
    return run.model_copy(
        update={
            "verdicts": [replace(v, **changes.get((v.check_id, str(v.subject)), {})) for v in run.verdicts],
            "nodes": [_skewed(node) if node.node == ids[4] else node for node in run.nodes],
            "waivers": [Waiver(check_id="DCG-002", reason="Level 2 runs in the weekly window; OPS-4821.")],
            "bandwidths": [*run.bandwidths[:-1], *pairs, _bandwidth("all-nodes", ids, 143.9)],
            "rounds": [
                _round(1, "Pairs that share no node, all at once", first, slow),
                _round(2, "The same nodes with other partners", second, slow),
            ],
            "actions": [
                Action(
                    do="drain",
                    node=ids[1],
                    hostname="h200-2",
                    pool="h200",
                    cause="efa-device-lost",
                    checks=("EFA-001",),
                    why="An EFA device is missing: 15 of 16 EFA devices are there; rdmap112s0 is missing",
                    slurm_name="h200-2",
                    private_ip="10.40.0.12",
                    reason="bedplate act-20260203T092147Z-0a1b2c3d: efa-device-lost (EFA-001)",
                    state="done",
                    outcome="drained in Slurm as h200-2",
                )
            ],
            "action_plan": "act-20260203T092147Z-0a1b2c3d",
            "left_alone": [
                LeftAlone(
                    subject=CLUSTER,
                    cause=None,
                    checks=("NCL-003",),
                    rule="not-a-node",
                    why="it is about the cluster as a whole, and no node is drained for that",
                )
            ],
        }
    )


def _changes(ids: list[str]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        ("EFA-001", ids[1]): {
            "outcome": Outcome.FAIL,
            "cause": "efa-device-lost",
            "summary": "15 of 16 EFA devices are there; rdmap112s0 is missing",
            "measured": 15,
            "expected": 16,
            "unit": "devices",
            "source": "AWS, EFA-supported instance types, p5en.48xlarge",
            "excerpt": "/sys/class/infiniband: 15 devices of vendor 0x1d0f\nfi_info -p efa: 15 domains",
            "evidence": (f"nodes/{ids[1]}/probe.json",),
            "remedy": "Drain the node and reboot it. If the device stays away, replace the instance.",
        },
        ("GPU-004", ids[3]): {
            "outcome": Outcome.FAIL,
            "cause": "xid-64",
            "summary": "XID 64 in the kernel log since boot: row remapper failure",
            "measured": 1,
            "expected": 0,
            "unit": "fatal XIDs",
            "source": "NVIDIA XID catalogue, 64: RESET_GPU",
            "excerpt": XID_LINE,
            "evidence": (f"nodes/{ids[3]}/probe.json",),
            "remedy": "Drain the node and reset the GPU. If XID 64 comes back, replace the instance.",
        },
        ("FAB-001", ids[5]): {
            "outcome": Outcome.FAIL,
            "cause": "efa-device-slow",
            "summary": "Every group with this node is slow, every group without it is well",
            "measured": 148.3,
            "expected": 320.0,
            "unit": "GB/s",
            "source": "floor for two p5en.48xlarge at 16 GiB",
            "confidence": 0.99987,
            "because": (
                f"Round 1, {ids[4]} ↔ {ids[5]}: 148 GB/s, below 320",
                f"Round 2, {ids[5]} ↔ {ids[1]}: 149 GB/s, below 320",
            ),
            "evidence": ("fabric/round-1/group-2.log", "fabric/round-2/group-1.log"),
            "remedy": "Drain the node and replace the instance. The fault does not show inside the node.",
        },
        ("DCG-001", ids[6]): {
            "outcome": Outcome.ERROR,
            "summary": "dcgmi diag ended before its JSON was whole",
            "excerpt": '{"DCGM Diagnostic": {"test_categories": [{"category": "Deployment",',
            "evidence": (f"nodes/{ids[6]}/exercise.json",),
            "remedy": "Run the validation again; if it repeats, look at nv-hostengine on the node.",
        },
        ("NCL-001", ids[6]): {
            "outcome": Outcome.NOT_TESTED,
            "summary": "Not started: the DCGM diagnostic had not ended",
        },
        ("DCG-002", ids[2]): {"outcome": Outcome.NOT_TESTED, "summary": "Waived, so not run"},
        ("GPU-003", ids[0]): {
            "findings": (Finding(Severity.WARNING, "GPU 3 has a row remap pending", "Reset it when idle."),)
        },
        ("NCL-003", "cluster"): {
            "outcome": Outcome.FAIL,
            "summary": f"All-reduce over {len(ids)} nodes is below the floor",
            "measured": 143.9,
            "expected": 320.0,
            "unit": "GB/s",
            "source": f"floor for {len(ids)} p5en.48xlarge at 16 GiB",
            "excerpt": " 17179869184    4294967296     float     sum      -1   209012   82.20  143.9      0",
            "evidence": ("fabric/all-nodes.log",),
            "remedy": "Mend the node that the search names, then run the validation again.",
        },
    }


def _pass(check: str, subject: Subject) -> Verdict:
    return Verdict(check_id=check, subject=subject, outcome=Outcome.PASS, summary="As expected")


def _round(number: int, purpose: str, groups: list[list[str]], slow: str) -> Round:
    failed = [index for index, group in enumerate(groups) if slow in group]
    return Round(number=number, purpose=purpose, groups=groups, failed=failed)


def _node(index: int) -> NodeResult:
    return NodeResult(
        node=node_id(index),
        hostname=f"h200-{index + 1}",
        pool="h200",
        instance_type="p5en.48xlarge",
        versions={
            "NVIDIA driver": "580.126.09",
            "EFA installer": "1.47.0",
            "kernel": "6.1.158",
            "DCGM": "4.4.2",
        },
    )


def _skewed(node: NodeResult) -> NodeResult:
    return node.model_copy(update={"versions": {**node.versions, "NVIDIA driver": "580.95.05"}})


def _bandwidth(scope: str, nodes: list[str], busbw: float) -> Bandwidth:
    in_node = scope == "in-node"
    return Bandwidth.model_validate(
        {
            "collective": "all_reduce",
            "scope": scope,
            "nodes": nodes,
            "ranks": 8 * len(nodes),
            "size_bytes": SIZE_BYTES,
            "busbw_gb_per_s": busbw,
            "floor_gb_per_s": 455.0 if in_node else 320.0,
            "ceiling_gb_per_s": 900.0 if in_node else 400.0,
            "source": "made up for a test",
        }
    )
