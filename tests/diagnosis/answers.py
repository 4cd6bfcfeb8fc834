"""Whole answers of a node, healthy by default, with single tools' runs replaced on demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.diagnosis import gpu_tools, tools
from tests.diagnosis import gpu_texts, host_texts, storage_texts, texts

DIAG = tools.dcgm_diag_argv(level=2)
BOOTSTRAP = (
    '{"schema": 2, "outcome": "done", "boot_id": "boot-1", "steps": ['
    '{"name": "install_program", "outcome": "done", "reason": "", "seconds": 0.1},'
    '{"name": "mount_file_systems", "outcome": "done", "reason": "/fsx", "seconds": 0.1}'
    '], "report": {"key": "bootstrap/i-0001/boot-1.json", "problem": ""}}'
)
COLLECTIVE = tools.in_node_collective_argv(collective="all_reduce", gpus=8)


def probe_answer(*, runs: Mapping[tuple[str, ...], Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A probe's answer of a p5en; ``runs`` sets a tool's stdout, its whole run (a dict), or None to leave
    it out.
    """
    names = texts.efa_names()
    outputs: dict[tuple[str, ...], Any] = {
        tools.NVIDIA_SMI: texts.gpu_table(),
        tools.DCGMI_NVLINK: texts.link_table(),
        tools.FI_INFO: texts.fabric_list(names),
        tools.KERNEL_LOG: texts.kernel_log(),
        gpu_tools.NVIDIA_SMI_DETAILS: gpu_texts.gpu_details(),
        gpu_tools.NVIDIA_SMI_NVLINK: gpu_texts.link_speeds(),
        gpu_tools.FABRIC_MANAGER_UNIT: gpu_texts.FABRIC_MANAGER_RUNS,
        tools.UNAME: "6.8.0-1021-aws\n",
        tools.EFA_DRIVER_VERSION: "2.17.2g\n",
        tools.DCGM_VERSION: "\ndcgmi  version: 4.3.1\n\n",
        tools.LIBFABRIC_VERSION: "fi_info: 2.1.0amzn5.0\nlibfabric: 2.1.0amzn5.0\nlibfabric api: 2.1\n",
        **host_texts.host_probe(),
        **storage_texts.storage_probe(),
        **(runs or {}),
    }
    answer = {
        "schema": 1,
        "instance_id": "i-0001",
        "boot_id": "boot-1",
        "finished_at": host_texts.NOW,
        "tools": _runs(outputs),
        "infiniband": texts.sysfs_list(names),
        "block_devices": storage_texts.block_devices(),
        "files": {"efa_installed_packages": None, "meminfo": host_texts.MEMINFO, "bootstrap": BOOTSTRAP},
    }
    return {**answer, **changes}


def exercise_answer(*, runs: Mapping[tuple[str, ...], Any] | None = None) -> dict[str, Any]:
    """An exercise's answer of a p5en at DCGM level 2."""
    outputs: dict[tuple[str, ...], Any] = {
        DIAG: texts.diag_v4(),
        COLLECTIVE: texts.in_node_log(),
        gpu_tools.throughput_argv(model="H200"): gpu_texts.throughput(),
        gpu_tools.NVBANDWIDTH: gpu_texts.copies(),
        gpu_tools.DCGM_HEALTH: gpu_texts.health(),
        **host_texts.gdrcopy_runs(),
        **(runs or {}),
    }
    counters = gpu_texts.link_error_runs()
    stages = {
        "dcgm": {"before": counters},
        "nvlink_errors": {"after": counters},
        "gdrcopy": {"module": host_texts.GDRDRV},
        "efa_loopback": host_texts.loopback_stage(texts.efa_names()),
    }
    return {"schema": 1, "instance_id": "i-0001", "tools": _runs(outputs), "stages": stages}


def _runs(outputs: Mapping[tuple[str, ...], Any]) -> list[dict[str, Any]]:
    return [
        output if isinstance(output, dict) else texts.tool(argv, output)
        for argv, output in outputs.items()
        if output is not None
    ]
