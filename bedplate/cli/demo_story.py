"""Runs the demonstration on a terminal and says how it ended."""

from __future__ import annotations

import time

import click

from bedplate.errors import ExitCode
from bedplate.sandbox.demo.request import DemoRequest
from bedplate.sandbox.fleet.comparison import Comparison


def tell(request: DemoRequest) -> int:
    """Run it, print the comparison and where the page is, and return the exit code."""
    from bedplate.sandbox.demo.story import Demo
    from bedplate.validation.progress import progress_for

    began = time.monotonic()
    progress = progress_for(quiet=False)
    try:
        comparison = Demo(request=request, progress=progress).run()
    finally:
        progress.close()
    click.echo("\n".join(_ending(request, comparison, time.monotonic() - began)))
    return ExitCode.OK if comparison.equal else ExitCode.CHECKS_FAILED


def _ending(request: DemoRequest, comparison: Comparison, seconds: float) -> list[str]:
    injected = len(comparison.matched) + len(comparison.missed)
    verdict = "What was named equals what was injected." if comparison.equal else "NOT what was injected."
    return [
        "",
        f"SIMULATED: seed {request.seed}, {injected} injected, {len(comparison.matched)} of them named.",
        *(f"  {line}" for line in comparison.lines()),
        verdict,
        f"Page: {request.report}   Result: {request.result}   ({seconds:.0f} s)",
    ]
