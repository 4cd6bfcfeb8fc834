"""The command line of the nccl-tests programs (NVIDIA/nccl-tests: src/common.cu)."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.sandbox.fleet.tools.refusal import ToolRefused

ARGUMENT_ERROR = 255
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@dataclass(frozen=True)
class Arguments:
    """What was asked: sizes in bytes from ``begin`` to ``end`` by ``factor``."""

    begin: int = 32 * 2**20
    end: int = 32 * 2**20
    factor: int = 2
    gpus: int = 1
    iterations: int = 20
    warmup: int = 1
    check: bool = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """All sizes of the sweep."""
        sizes, size = [], self.begin
        while size <= self.end:
            sizes.append(size)
            size *= self.factor
        return tuple(sizes)


# Short and long name → field; other options of the real programs are refused, since nothing here would obey
# them.
_OPTIONS = {
    "-b": "begin",
    "--minbytes": "begin",
    "-e": "end",
    "--maxbytes": "end",
    "-f": "factor",
    "--stepfactor": "factor",
    "-g": "gpus",
    "--ngpus": "gpus",
    "-n": "iterations",
    "--iters": "iterations",
    "-w": "warmup",
    "--warmup_iters": "warmup",
    "-c": "check",
    "--check": "check",
}


def parse(tool: str, words: list[str]) -> Arguments:
    """Read a command line. Raises ``ToolRefused`` with the program's exit code for argument errors."""
    found: dict[str, int] = {}
    rest = list(words)
    while rest:
        name, _, value = rest.pop(0).partition("=")
        if name not in _OPTIONS:
            raise ToolRefused(f"{tool}: invalid option -- '{name.lstrip('-')}'", ARGUMENT_ERROR)
        if not value:
            if not rest:
                raise ToolRefused(
                    f"{tool}: option requires an argument -- '{name.lstrip('-')}'", ARGUMENT_ERROR
                )
            value = rest.pop(0)
        found[_OPTIONS[name]] = _size(value, _OPTIONS[name])
    check = bool(found.pop("check", 1))
    arguments = Arguments(**found, check=check)
    if arguments.factor < 2 or arguments.begin < 1 or arguments.end < arguments.begin or arguments.gpus < 1:
        raise ToolRefused("invalid option values: sizes must grow", ARGUMENT_ERROR)
    return arguments


def _size(text: str, field: str) -> int:
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if unit not in _UNITS or not number.isdigit():
        raise ToolRefused(f"invalid size specified for '{field}'", ARGUMENT_ERROR)
    return int(number) * _UNITS[unit]
