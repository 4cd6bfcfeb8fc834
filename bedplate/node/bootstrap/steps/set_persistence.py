"""The driver's persistence mode: without it a GPU forgets its state between jobs, and DCGM fails the node."""

from __future__ import annotations

from typing import List

from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must, must_retry
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.runner import Ran
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

_QUERY = ("nvidia-smi", "--query-gpu=index,persistence_mode", "--format=csv,noheader")


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.gpus else "no GPU on this node"


def _run(host: Host, _settings: NodeSettings) -> str:
    first = host.run(*_QUERY, seconds=120)
    off = _off(first) if first.ok else ["all"]
    if off:
        # The driver may still be loading at a first boot.
        must_retry(host, "nvidia-smi", "-pm", "1", seconds=120, pauses=SHORT_PAUSES)
        off = _off(must(host, *_QUERY, seconds=120))
    if off:
        raise StepFailedError(f"persistence mode stays off on GPU {', '.join(off)}")
    return "on"


def _off(ran: Ran) -> List[str]:
    """The GPUs whose persistence mode is not on; ``none listed`` where there is no GPU."""
    rows = [line.split(",") for line in ran.stdout.splitlines() if line.strip()]
    off = [fields[0].strip() for fields in rows if fields[-1].strip() != "Enabled"]
    return off if rows else ["none listed"]


STEP = Step("set_persistence", _why_not, _run)
