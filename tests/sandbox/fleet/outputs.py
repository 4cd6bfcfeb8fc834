"""The single outputs of a node's answers, which checks read them, and how each of them can go missing."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from bedplate.diagnosis import reading, tools
from bedplate.diagnosis.checks import file_systems_mounted, gpu_memory_rate

Step = str | int
Path = tuple[Step, ...]
"""Where an output lies in an answer: the keys and places that lead there."""
Damage = Callable[[Any, Any], Any]
"""What is left of an output; the second is another tool's."""

ABSENT = object()
"""Nothing is left, not even an entry."""
_RUN_KEYS = {"argv", "rc", "stdout"}
_LOOK_UP_A_RUN = (tools, reading, file_systems_mounted, gpu_memory_rate)
"""The modules that know ``find_run`` by name."""
_MADE_BY_TOOLS: Sequence[Path] = (
    ("tools",),
    ("infiniband",),
    ("block_devices",),
    ("files",),
    ("boot_id",),
    ("finished_at",),
    ("stages",),
)
"""What of an answer was asked of the node; the rest names the question and the program."""
_LABELS = frozenset(("device", "domain", "fabric", "path", "removed"))
"""What the node program says of its own doing within a stage."""
_LISTS_OF_OUTPUTS = frozenset(("tools", "before", "after", "loops", "mounts"))


def outputs(answer: Mapping[str, Any]) -> dict[Path, Any]:
    """Every output of an answer by its place: a tool's run, a listing, a file's text, a device's counters.

    Of many alike (a run for each GPU, a loopback for each device) the first and the last stand for all.
    """
    return {
        path: value
        for start in _MADE_BY_TOOLS
        if start[0] in answer
        for path, value in _below(answer[start[0]], start)
    }


def _below(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, list) and path[-1] in _LISTS_OF_OUTPUTS:
        ends = {0, len(value) - 1} if path[0] == "stages" else range(len(value))
        for place in sorted(ends) if value else ():
            yield from _below(value[place], (*path, place))
    elif isinstance(value, Mapping) and not is_run(value) and not _is_counters(value):
        for key, below in value.items():
            if key not in _LABELS:
                yield from _below(below, (*path, key))
    else:
        yield path, value


def _is_counters(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(each, int) for each in value.values())


def is_run(value: Any) -> bool:
    """Whether an output is one tool's run."""
    return isinstance(value, Mapping) and value.keys() >= _RUN_KEYS


def name(path: Path, value: Any) -> str:
    """For messages: the command line, or where it lies."""
    words = " ".join(value["argv"])[:60] + " " if is_run(value) else ""
    return f"{words}at {'/'.join(map(str, path))}"


def is_under(asked: Iterable[Path], path: Path) -> bool:
    """Whether anything that was asked for is the output, or lies in it."""
    return any(each[: len(path)] == path for each in asked)


RUN_DAMAGES: Mapping[str, Damage] = {
    "absent": lambda run, _: ABSENT,
    "empty": lambda run, _: {**run, "stdout": ""},
    "bad status": lambda run, _: {**run, "rc": 1, "stdout": "", "stderr": "it does not work"},
    "bad status after all": lambda run, _: {**run, "rc": 1, "stderr": "it did not work"},
    "timed out": lambda run, _: {**run, "rc": None, "timed_out": True, "stdout": ""},
    "cut": lambda run, _: {**run, "stdout": run["stdout"][: len(run["stdout"]) // 2]},
    "another tool's": lambda run, other: {**run, "stdout": other["stdout"]},
}
"""Of a tool's run. A cut is one that nobody noticed: what the node program cuts, it marks."""
OTHER_DAMAGES: Mapping[str, Damage] = {
    "absent": lambda value, _: ABSENT,
    "none": lambda value, _: None,
    "empty": lambda value, _: type(value)() if isinstance(value, (str, list, dict)) else None,
    "cut": lambda value, _: value[: len(value) // 2] if isinstance(value, (str, list)) else None,
    "another tool's": lambda value, other: other["stdout"],
}
"""Of a listing or a file's text."""


def without(answer: Mapping[str, Any], path: Path, left: Any) -> dict[str, Any]:
    """The answer with ``left`` in an output's place."""
    changed: Any = dict(answer)
    place = changed
    for step in path[:-1]:
        place[step] = copy.copy(place[step])
        place = place[step]
    if left is ABSENT:
        del place[path[-1]]
    else:
        place[path[-1]] = left
    return changed  # type: ignore[no-any-return]


class _Watched(dict[str, Any]):
    """A part of an answer that writes down what is asked of it."""

    def __init__(self, value: Mapping[str, Any], path: Path, asked: set[Path]) -> None:
        self._path, self._asked = path, asked
        super().__init__({key: watched(below, (*path, key), asked) for key, below in value.items()})

    def get(self, key: str, default: Any = None) -> Any:
        self._asked.add((*self._path, key))
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self._asked.add((*self._path, key))
        return super().__getitem__(key)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path


def watched(value: Any, path: Path, asked: set[Path]) -> Any:
    """The same value, whose parts add to ``asked`` what is looked at."""
    if isinstance(value, Mapping):
        return _Watched(value, path, asked)
    if isinstance(value, list):
        return [watched(below, (*path, place), asked) for place, below in enumerate(value)]
    return value


@contextmanager
def runs_looked_up(asked: set[Path]) -> Iterator[None]:
    """Let ``find_run``, which looks at every run to find one, count as asking for that one alone."""
    find = tools.find_run

    def watching(*, answer: Mapping[str, Any], argv: Sequence[str]) -> tools.ToolRun | None:
        before = set(asked)
        found = find(answer=answer, argv=argv)
        runs = answer["tools"]
        asked.clear()
        asked.update(before)
        if found is not None:
            asked.update(run.path for run in runs if dict.__getitem__(run, "argv") == list(found.argv))
        return found

    patches = [patch.object(module, "find_run", watching) for module in _LOOK_UP_A_RUN]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
