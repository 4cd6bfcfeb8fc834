"""Slurm's ``scontrol``, bounded in time; where it does not answer that is told, and nothing is taken for
granted.
"""

from __future__ import annotations

import sys
import time
from typing import Optional, Sequence, Tuple

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode, parse_scontrol_nodes
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool

_SLURM_SECONDS = 10.0
_LEAST_SECONDS = 1.0


class SlurmClient:
    """``first`` are folders to look for the clients in, ``version`` is the cluster's, such as 25.11.
    ``until`` is the moment of ``time.monotonic`` by which all calls together are to be over; each gets a
    second in any case.
    """

    def __init__(
        self, *, first: Sequence[str] = (), version: str = "", until: Optional[float] = None
    ) -> None:
        self.path = extended_path(first=tuple(first), slurm=version)
        self._until = until

    def scontrol(self, *words: str, quiet: bool = False) -> ToolRun:
        """Run it; ``quiet`` where a refusal is one of the answers that are expected."""
        run = run_tool(
            argv=("scontrol", *words), limits=Limits(self._seconds()), environment={"PATH": self.path}
        )
        if run.rc != 0 and not quiet:
            told = (run.stderr or run.problem or run.stdout).strip()[-300:]
            print(f"bedplate: scontrol {' '.join(words[:2])}: {told}", file=sys.stderr)
        return run

    def _seconds(self) -> float:
        if self._until is None:
            return _SLURM_SECONDS
        return min(_SLURM_SECONDS, max(_LEAST_SECONDS, self._until - time.monotonic()))

    def nodes(self, *names: str) -> Tuple[SlurmNode, ...]:
        """The nodes, all where none is named; none where Slurm says nothing that can be read."""
        run = self.scontrol("show", "node", "-o", *names)
        try:
            return parse_scontrol_nodes(run.stdout) if run.rc == 0 and not run.truncated else ()
        except ParseError as error:
            print(f"bedplate: scontrol: {error}", file=sys.stderr)
            return ()
