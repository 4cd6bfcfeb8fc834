"""Which versions of its software a node's probe tells, and which it was asked for and does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bedplate.diagnosis import tools
from bedplate.diagnosis.parsers.nvidia_smi_csv import parse_nvidia_smi_csv
from bedplate.diagnosis.reading import read_tool

_MOST_CHARACTERS = 60
_LINE = r"(\d+\.\d\S*)\n"
"""A version alone on its line, whose end is there: of a number that broke off nothing else tells."""
_TOOLS: Mapping[str, tuple[Sequence[str], str]] = {
    "kernel": (tools.UNAME, rf"\A{_LINE}\Z"),
    # The driver that comes with the kernel has no version, and modinfo prints nothing.
    "efa-driver": (tools.EFA_DRIVER_VERSION, rf"\A(?:{_LINE})?\Z"),
    "dcgm": (tools.DCGM_VERSION, r"\A\s*dcgmi\s+version:\s*(\d[\w.+-]*)\n"),
    "libfabric": (tools.LIBFABRIC_VERSION, r"libfabric:?\s+v?(\d[\w.+-]*)\n"),
}
_DRIVER, _INSTALLER = "nvidia-driver", "efa-installer"


@dataclass(frozen=True)
class ToldVersions:
    """``versions`` is component → version, without what is not told; ``unread`` is component → why what the
    node says of it cannot be trusted, though a version may stand beside it.
    """

    versions: Mapping[str, str]
    unread: Mapping[str, str] = field(default_factory=dict)


def read_versions(answer: Mapping[str, object]) -> ToldVersions:
    """What a probe tells of ``kernel``, ``nvidia-driver``, ``efa-installer``, ``efa-driver``, ``dcgm`` and
    ``libfabric``.
    """
    versions: dict[str, str] = {}
    unread: dict[str, str] = {}
    for name, (argv, pattern) in _TOOLS.items():
        versions[name], unread[name] = _of_tool(answer, argv, pattern)
    versions[_DRIVER], unread[_DRIVER] = _driver(answer)
    versions[_INSTALLER], unread[_INSTALLER] = _efa_installer(answer)
    return ToldVersions(_without_empty(versions), _without_empty(unread))


def _of_tool(answer: Mapping[str, object], argv: Sequence[str], pattern: str) -> tuple[str, str]:
    run = tools.find_run(answer=answer, argv=argv)
    if run is None:
        return "", f"the answer holds no single run of `{' '.join(argv)}`"
    problem = run.problem()
    if problem:
        return "", problem
    match = re.search(pattern, run.stdout, re.ASCII)
    if match is None:
        return "", f"`{' '.join(argv)}` prints no version"
    return (match.group(1) or "")[:_MOST_CHARACTERS], ""


def _driver(answer: Mapping[str, object]) -> tuple[str, str]:
    reading = read_tool(answer=answer, argv=tools.NVIDIA_SMI, parse=parse_nvidia_smi_csv)
    gpus = () if reading.record is None else reading.record.gpus
    versions = {line.word("driver_version") or "" for line in gpus} - {""}
    return ", ".join(sorted(versions))[:_MOST_CHARACTERS], reading.problem


def _efa_installer(answer: Mapping[str, object]) -> tuple[str, str]:
    """What the EFA installer wrote; an image without it has no such file, and nothing is missing."""
    files = answer.get("files")
    if not isinstance(files, dict) or "efa_installed_packages" not in files:
        return "", "the answer holds nothing of /opt/amazon/efa_installed_packages"
    text = files["efa_installed_packages"]
    if text is None:
        return "", ""
    match = re.search(r"EFA installer version:\s*(\d[\w.]*)", text) if isinstance(text, str) else None
    if match is None:
        return "", "/opt/amazon/efa_installed_packages tells no version"
    return match.group(1)[:_MOST_CHARACTERS], ""


def _without_empty(words: Mapping[str, str]) -> dict[str, str]:
    return {name: word for name, word in words.items() if word}
