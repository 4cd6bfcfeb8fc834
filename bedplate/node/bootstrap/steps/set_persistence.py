"""The driver's persistence mode: without it a GPU forgets its state between jobs, and DCGM fails the node."""

from __future__ import annotations

from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must, must_retry
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

_QUERY = ("nvidia-smi", "--query-gpu=index,persistence_mode", "--format=csv,noheader")


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.gpus else "no GPU on this node"


def _run(host: Host, _settings: NodeSettings) -> str:
    # The driver may still be loading at a first boot.
    must_retry(host, "nvidia-smi", "-pm", "1", seconds=120, pauses=SHORT_PAUSES)
    lines = [line.split(",") for line in must(host, *_QUERY, seconds=60).stdout.splitlines() if line.strip()]
    off = [fields[0].strip() for fields in lines if fields[-1].strip() != "Enabled"]
    if not lines or off:
        raise StepFailedError(f"persistence mode stayed off on GPU {', '.join(off) or 'none listed'}")
    return f"on for {len(lines)} GPUs"


STEP = Step("set_persistence", _why_not, _run)
