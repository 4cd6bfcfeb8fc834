"""The text of ``nvidia-smi -q``: titles indented by four blanks a level, ``name : value`` below them."""

from __future__ import annotations

import re

from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog, GpuDetails, choose, put, whole_log
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "nvidia-smi -q"

_GPU = re.compile(r"^GPU (?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s*$")
_VALUE = re.compile(r"^(?P<blanks> *)(?P<name>[^:]{1,60}?) *: (?P<value>.*)$")
_TITLE = re.compile(r"^(?P<blanks> +)(?P<name>[^:]{1,60}?)$")
_LEFT_OUT = frozenset({"Supported Clocks", "Processes", "Accounted Processes"})


def parse_nvidia_smi_q(text: str) -> DetailsLog:
    """Read the text; ParseError where there is no GPU in it, one is there twice, or it contradicts itself."""
    driver = attached = ""
    gpus: list[tuple[str, dict[str, str]]] = []
    titles: list[tuple[int, str]] = []
    for number, line in enumerate(clean_lines(text), start=1):
        head, value = _GPU.match(line), _VALUE.match(line)
        if head is not None:
            gpus.append((head.group("bus"), {}))
            titles = []
        elif value is not None and not gpus:
            name = value.group("name").strip()
            driver = value.group("value").strip() if name == "Driver Version" else driver
            attached = value.group("value").strip() if name == "Attached GPUs" else attached
        elif value is not None:
            _keep(gpus[-1][1], titles, value, number)
        elif gpus and (title := _TITLE.match(line)) is not None:
            _open(titles, len(title.group("blanks")), title.group("name").strip())
    return whole_log(
        tool=TOOL,
        driver=driver,
        attached=attached,
        gpus=[GpuDetails(bus, choose(found, which=1)) for bus, found in gpus],
    )


def _keep(found: dict[str, str], titles: list[tuple[int, str]], match: re.Match[str], line: int) -> None:
    """A value, which may be a title too: ``HW Slowdown : Not Active`` has lines of its own below it."""
    name = match.group("name").strip()
    indent = len(match.group("blanks"))
    _open(titles, indent, name)
    path = [title for _, title in titles]
    if not _LEFT_OUT & set(path):
        put(found, "/".join(path), match.group("value").strip(), tool=TOOL, line=line)


def _open(titles: list[tuple[int, str]], indent: int, name: str) -> None:
    while titles and titles[-1][0] >= indent:
        titles.pop()
    if len(titles) > 12:
        raise ParseError(tool=TOOL, reason="it is indented without end")
    titles.append((indent, name))
