"""The count of real parts: which real programs the tests ran, which they could not, and why.

Programs can be installed; what a kernel or a container does not allow cannot. A test that needs such an
ability is skipped with its reason also where real parts are required, and counted as skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import abilities

ROOT = Path(__file__).resolve().parents[2]

PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "cdk": (str(ROOT / "node_modules/.bin/cdk"),),
    "node": ("node",),
    "node_exporter": ("node_exporter", "prometheus-node-exporter"),
    # What SPANK plugins are built against; of Debian's libslurm-dev.
    "spank": ("/usr/include/slurm/spank.h",),
    # Debian renames it; its other programs (promtool, prometheus, amtool) are called as everywhere.
    "alertmanager": ("prometheus-alertmanager", "alertmanager"),
    "pcluster": (str(ROOT / ".venv-pcluster/bin/python"),),
    # Slurm's plugin opens the library by this name, which comes with Debian's libpmix-dev.
    "pmix": tuple(f"/usr/lib/{arch}-linux-gnu/pmix2/lib/libpmix.so" for arch in ("x86_64", "aarch64")),
    # Debian's python3-torch, for its own /usr/bin/python3; PyPI's wants some gigabytes of CUDA.
    "torch": ("/usr/lib/python3/dist-packages/torch/__init__.py",),
}
"""Part → the programs that can play it, the first that is found. A part without a row is its own program."""

ABILITIES: dict[str, Callable[[], str]] = {
    "loop devices": abilities.why_no_loop_devices,
    "md arrays": abilities.why_no_md_arrays,
    "root": abilities.why_not_root,
}
"""Part → why this machine cannot play it, empty where it can."""


def find_program(part: str) -> str | None:
    """The path of the program that plays a part, or ``None`` where there is none."""
    found = (_found(name) for name in PROGRAMS.get(part, (part,)))
    return next((path for path in found if path), None)


def _found(name: str) -> str | None:
    """A library is not executable; its whole path is its name."""
    return name if name.startswith("/") and Path(name).exists() else shutil.which(name)


def missing_reason(part: str) -> str:
    """Why a part cannot be played, for the skip and for the summary."""
    return f"the real {part} is missing: none of {', '.join(PROGRAMS.get(part, (part,)))} is installed"


@dataclass
class Tally:
    """Tests by part: how many ran, how many failed, and the reasons of those that were skipped."""

    ran: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, set[str]] = field(default_factory=dict)

    def record(self, parts: Iterable[str], *, outcome: str, reason: str = "") -> None:
        """Note one test's end; ``outcome`` is pytest's passed, failed or skipped."""
        for part in parts:
            if outcome == "skipped":
                self.skipped.setdefault(part, set()).add(reason)
            else:
                self.ran[part] = self.ran.get(part, 0) + 1
                if outcome == "failed":
                    self.failed[part] = self.failed.get(part, 0) + 1

    def lines(self) -> list[str]:
        """The summary: one line with both counts, then one line for each part that was skipped."""
        ran = [
            f"{part} ({count} test{'' if count == 1 else 's'}{self._failures(part)})"
            for part, count in sorted(self.ran.items())
        ]
        left_out = sorted(self.skipped)
        head = f"real parts: {len(ran)} ran{': ' if ran else ''}{', '.join(ran)}"
        tail = f"{len(left_out)} skipped{': ' if left_out else ''}{', '.join(left_out)}"
        reasons = [f"  {part}: {reason}" for part in left_out for reason in sorted(self.skipped[part])]
        return [f"{head}; {tail}", *reasons]

    def _failures(self, part: str) -> str:
        count = self.failed.get(part, 0)
        return f", {count} failed" if count else ""
