"""The XML of ``nvidia-smi -q -x``: what a GPU is, how it is connected, and what holds it back.

Only a whole document is read. The document type that it names is not fetched, and no entity is expanded.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog, GpuDetails, choose, put, whole_log
from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "nvidia-smi -q -x"

_DEPTH = 8
# Lists whose entries are alike, and name other people's programs.
_LEFT_OUT = frozenset({"supported_clocks", "processes", "accounted_processes", "mig_devices"})


def parse_nvidia_smi_xml(text: str) -> DetailsLog:
    """Read the document; ParseError where it is cut or broken, holds no GPU, or contradicts itself."""
    root = _root(text)
    return whole_log(
        tool=TOOL,
        driver=_word(root, "driver_version"),
        attached=_word(root, "attached_gpus"),
        gpus=[_gpu(element) for element in root.findall("gpu")],
    )


def _root(text: str) -> ElementTree.Element:
    start = text.find("<?xml")
    if start < 0:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "it is empty")
        raise ParseError(tool=TOOL, reason=f"there is no XML in it: {first[:200]}")
    if "<!ENTITY" in text:
        raise ParseError(tool=TOOL, reason="it defines entities, which nvidia-smi does not")
    try:
        root = ElementTree.fromstring(text[start:].strip())  # noqa: S314 - entities are refused above
    except (ElementTree.ParseError, ValueError) as error:
        raise ParseError(tool=TOOL, reason=f"its XML is cut or broken: {str(error)[:200]}") from error
    if root.tag != "nvidia_smi_log":
        raise ParseError(tool=TOOL, reason=f"it is a {root.tag[:60]!r}, no nvidia_smi_log")
    return root


def _gpu(element: ElementTree.Element) -> GpuDetails:
    bus_id = element.get("id", "").strip()
    if not bus_id:
        raise ParseError(tool=TOOL, reason="a GPU has no id")
    found: dict[str, str] = {}
    for path, value in _leaves(element, "", _DEPTH):
        put(found, path, value, tool=TOOL)
    return GpuDetails(bus_id[:60], choose(found, which=0))


def _leaves(element: ElementTree.Element, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    """(path below the GPU, text) of every element without children; what lies deeper than any field is passed
    over.
    """
    for child in element:
        path = f"{prefix}{child.tag}"
        if child.tag in _LEFT_OUT:
            continue
        if len(child) == 0:
            yield path, (child.text or "").strip()
        elif depth > 1:
            yield from _leaves(child, f"{path}/", depth - 1)


def _word(root: ElementTree.Element, tag: str) -> str:
    values = {(element.text or "").strip() for element in root.findall(tag)}
    if len(values) > 1:
        raise ParseError(tool=TOOL, reason=f"there are two values of {tag}")
    return values.pop() if values else ""
