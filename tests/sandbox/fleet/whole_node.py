"""One healthy simulated node of a type that was promised everything: what its tools print, asked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.storage_tools import SCRATCH
from bedplate.hardware import InstanceType, instance_type
from bedplate.node.bootstrap.settings import Mount
from bedplate.node.envelope import open_envelope
from bedplate.node.stages import STAGES
from bedplate.node.stages.settings import ExerciseSettings
from bedplate.sandbox.fleet import Fleet
from tests.support.node_user_data import node_user_data

from .asking import NONCE, ask, run_jobs
from .conftest import FSX, MakeFleet, node_id

RUN_ID = "run-1"
DCGM_LEVEL = 4
ZFS = "fs-0123456789abcdef1.fsx.us-west-2.amazonaws.com:/fsx"


@dataclass(frozen=True)
class WholeNode:
    """A node's answers to ``probe`` and ``exercise`` as the node program sent them, and what it is held
    against.
    """

    kind: InstanceType
    expected: NodeExpectation
    probe: Mapping[str, Any]
    exercise: Mapping[str, Any]


def whole_node(make_fleet: MakeFleet, program: bytes, kind: str) -> WholeNode:
    """Boot one node of the type by its real user data, and ask it for everything."""
    hardware = instance_type(kind)
    fleet: Fleet = make_fleet(
        nodes=1,
        instance_type=kind,
        user_data=node_user_data(program, hardware=hardware, mounts=_mounts(hardware)),
        login_user_data=node_user_data(program, hardware=None, mounts=()),
        fetch=lambda bucket, key: program,
    )
    assert fleet.boot_report(node_id(0)).summary == "booted"
    return WholeNode(
        kind=hardware,
        expected=_expected(hardware),
        probe=ask(fleet, node_id(0), "probe"),
        exercise=_exercise(fleet, hardware),
    )


def _mounts(hardware: InstanceType) -> tuple[Mount, ...]:
    return (
        Mount("lustre", FSX, "/fsx", efa=hardware.efa_count > 0),
        Mount("openzfs", ZFS, "/home"),
    )


def _expected(hardware: InstanceType) -> NodeExpectation:
    return NodeExpectation(
        mounts=tuple(
            ExpectedMount(each.kind, each.source, each.path, efa=each.efa, share_gb_per_s=1.0)
            for each in _mounts(hardware)
        ),
        lnet_efas=hardware.lnet_efa_count,
        local_nvme="raid0",
        dcgm_level=DCGM_LEVEL,
        throughput=True,
    )


def _exercise(fleet: Fleet, hardware: InstanceType) -> Mapping[str, Any]:
    left_out = () if hardware.needs_imex else ("imex",)
    left_out += () if hardware.has_gpudirect_rdma else ("gdrcopy",)
    left_out += () if hardware.gpus > 1 else ("collective", "nvlink_errors")
    settings = ExerciseSettings(
        stages=tuple(stage for stage in STAGES if stage not in left_out),
        gpus=hardware.gpus,
        gpu_model=hardware.gpu.model,
        dcgm_level=DCGM_LEVEL,
        efa_count=hardware.efa_count,
        scratch=SCRATCH,
        mounts=tuple((each.kind, each.path) for each in _mounts(hardware)),
        run_id=RUN_ID,
    )
    row = run_jobs(
        fleet,
        {
            "id": "1",
            "kind": "exercise",
            "nodes": ["gpu-1"],
            "deadline_s": 120,
            "gpus": hardware.gpus,
            "exercise": asdict(settings),
        },
    )[0]
    return open_envelope(row["stdout"], instance_id=node_id(0), nonce=NONCE, command="exercise").body
