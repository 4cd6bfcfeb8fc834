"""Capacity Blocks as reports show them: the four moments, and where the run stands between them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bedplate.validation.reports.wording import time_text
from bedplate.validation.result import BlockResult, RunResult

_SOON = timedelta(days=1)


@dataclass(frozen=True)
class BlockView:
    """One pool's block; ``phase`` is as of the end of the run, ``urgent`` where people should act."""

    pool: str
    reservation_id: str
    start: str
    warning: str
    taken: str
    end: str
    phase: str
    urgent: bool


def block_views(result: RunResult) -> tuple[BlockView, ...]:
    """Every block of the run, in the order of its pools."""
    return tuple(_view(block, result.finished_at) for block in result.blocks)


def _view(block: BlockResult, finished_at: str) -> BlockView:
    phase, urgent = _phase(block, finished_at)
    return BlockView(
        pool=block.pool,
        reservation_id=block.reservation_id,
        start=time_text(block.start_time),
        warning=time_text(block.warning_time),
        taken=time_text(block.taken_time),
        end=time_text(block.end_time),
        phase=phase,
        urgent=urgent,
    )


def _phase(block: BlockResult, finished_at: str) -> tuple[str, bool]:
    try:
        now, start, warning, taken, end = (
            datetime.fromisoformat(text)
            for text in (
                finished_at,
                block.start_time,
                block.warning_time,
                block.taken_time,
                block.end_time,
            )
        )
        if now < start:
            return f"begins in {_span(start - now)}", False
        if now < warning:
            return f"nodes are there for {_span(taken - now)} more", taken - now < _SOON
    except (ValueError, TypeError):
        return "its times cannot be read", True
    if now < taken:
        return "about to end: EC2 takes the nodes within minutes", True
    return ("EC2 is taking the nodes" if now < end else "has ended"), True


def _span(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    days, hours = minutes // 1440, minutes % 1440 // 60
    if days:
        return f"{days} d {hours} h" if hours else f"{days} d"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
