"""How many huge pages the kernel holds (``sysctl -n vm.nr_hugepages``), and how large one is (meminfo)."""

from __future__ import annotations

import re

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

_SIZE = re.compile(r"^Hugepagesize:\s+(\d{1,12}) kB$", re.ASCII)


def parse_huge_page_count(text: str) -> int:
    """The one number that sysctl prints; ParseError for anything else."""
    lines = [line.strip() for line in clean_lines(text) if line.strip()]
    count = whole(lines[0]) if len(lines) == 1 else None
    if count is None:
        raise ParseError(tool="sysctl -n vm.nr_hugepages", reason="it is not one number")
    return count


def parse_huge_page_kib(text: str) -> int:
    """The default size of a huge page in KiB, of ``/proc/meminfo``; ParseError where it is not told once."""
    sizes = [match.group(1) for match in map(_SIZE.match, clean_lines(text)) if match]
    if len(sizes) != 1 or int(sizes[0]) == 0:
        raise ParseError(tool="/proc/meminfo", reason="it does not tell Hugepagesize once")
    return int(sizes[0])
