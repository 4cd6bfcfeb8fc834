"""What a check may still pass without, each with its reason; and what no check about one node reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bedplate.hardware import InstanceType

CUT, OTHER, EMPTY, NONE, LATE_STATUS = "cut", "another tool's", "empty", "none", "bad status after all"
ANYTHING = ("absent", EMPTY, "bad status", LATE_STATUS, "timed out", CUT, OTHER)


@dataclass(frozen=True)
class Excused:
    """One check that stays a pass where one output is damaged in these ways; ``output`` is searched in the
    output's name, and ``other`` in that of the tool whose text stands in its place.
    """

    check: str
    output: str
    damages: tuple[str, ...]
    reason: str
    other: str = ""

    def covers(self, *, check: str, output: str, damage: str, other: str) -> bool:
        """Whether this is the case that it excuses."""
        return (
            check == self.check
            and damage in self.damages
            and re.search(self.output, output) is not None
            and (damage != OTHER or re.search(self.other, other) is not None)
        )


EXCUSED = (
    Excused(
        "EFA-001",
        "^ibv_devices ",
        ANYTHING,
        "what rdma-core lists is told as a finding: libfabric is what NCCL opens",
    ),
    Excused(
        "EFA-001",
        "^fi_info -p efa ",
        (CUT,),
        "libfabric from 2.1 on lists each device twice, and the first half has all of them",
    ),
    *(
        Excused(
            check,
            "^fi_pingpong .*/client$",
            (OTHER,),
            "both ends of a loopback print the same table; the device's own counters prove what it carried",
            other="^fi_pingpong ",
        )
        for check in ("EFA-002", "EFA-003")
    ),
    *(
        Excused(
            check,
            "^fi_pingpong .*/server$",
            (EMPTY, CUT, OTHER),
            "the client's table is judged; of the server, whether it ended well",
        )
        for check in ("EFA-002", "EFA-003")
    ),
    Excused(
        "GDR-001",
        "^gdrcopy_sanity ",
        (CUT,),
        "the totals are its first line; the names of tests that were waived follow",
    ),
    Excused(
        "GDR-001",
        "gdrcopy/module$",
        (EMPTY, CUT, OTHER),
        "a module that is loaded need not tell its version, which is told and not judged",
    ),
    Excused(
        "DCG-001",
        "^dcgmi diag -r 4 ",
        (OTHER,),
        "every run of dcgmi diag begins with the deployment tests, which have no thresholds",
        other="^dcgmi diag ",
    ),
    Excused(
        "DCG-001",
        "^dcgmi health ",
        (LATE_STATUS,),
        "that no watch is set, as on the simulated node, dcgmi says with a bad status anyhow",
    ),
    Excused(
        "VER-001",
        "^all_reduce_perf ",
        (CUT, LATE_STATUS),
        "NCCL names itself and its plugin when it starts; how the run ended is NCL-001's",
    ),
    Excused(
        "VER-001",
        "efa_installed_packages$",
        (NONE,),
        "an image without the EFA installer has no such file",
    ),
    Excused(
        "VER-001",
        "efa_installed_packages$",
        (CUT,),
        "its first line names the installer; a list of packages follows",
    ),
    Excused(
        "VER-001",
        "^modinfo ",
        (EMPTY,),
        "the EFA driver that comes with the kernel has no version to tell",
    ),
    *(
        Excused("VER-001", f"^{tool} ", (OTHER,), "a version alone does not say whose it is", other=other)
        for tool, other in (("modinfo", "^uname "), ("uname", "^modinfo "))
    ),
)
"""Every other case of a check that reads an output must be no pass where that output is damaged."""

READ_BY_NO_CHECK = (
    ("exercise/boot_id$", "held by the step that exercises against the probe's"),
    ("exercise/finished_at$", "the clock is asked in the probe"),
    ("efa_loopback/listed$", "read where there is no loopback at all, to say why"),
    ("^systemctl ", "types without NVSwitches of their own have no fabric manager"),
)
"""(searched in an output's name, why no check about one node reads it on a healthy node)."""


def is_known_unread(output: str) -> bool:
    """Whether the table says why no check reads an output."""
    return any(re.search(words, output) for words, _ in READ_BY_NO_CHECK)


def unmet(kind: InstanceType) -> dict[str, str]:
    """Checks that a healthy node of the type does not pass by itself, with the reason."""
    found = {
        "NOD-001": "judged by the envelope of the answer, which holds nothing that a tool printed",
        "FAB-001": "judged by collectives between nodes",
    }
    if kind.efa_count < 4:
        found["EFA-002"] = "too few devices to compare with each other, and no rate is published"
    return found


def excuses(*, check: str, output: str, damage: str, other: str) -> Iterable[Excused]:
    """The lines of the table that cover a case."""
    return [each for each in EXCUSED if each.covers(check=check, output=output, damage=damage, other=other)]
