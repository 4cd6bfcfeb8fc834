"""A validation of simulated nodes in which one part of every answer to one kind of question is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bedplate.validation.result import RunResult
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from tests.bench.faults.cluster import Cluster
from tests.bench.faults.harness import validate
from tests.bench.faults.played_node import PlayedNodes
from tests.bench.faults.transports import DirectTransport, played_transport
from tests.bench.faults.virtual_time import VirtualTime

ANY = "*"
"""In a path: each element of a list, or each value of a mapping of many alike."""
Path = tuple[str, ...]
ABSENT = object()

DAMAGES: Mapping[str, Callable[[Any], Any]] = {
    "absent": lambda value: ABSENT,
    "none": lambda value: None,
    "empty": lambda value: type(value)() if isinstance(value, (str, list, dict)) else value,
    "half": lambda value: value[: len(value) // 2] if isinstance(value, (str, list)) else value,
    "of another kind": lambda value: "x" if isinstance(value, (list, dict, int)) else [],
}
"""What is left of a part; one that stays as it was is no damage."""


@dataclass
class Seen:
    """Every answer (question, body) as the nodes gave it."""

    answers: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)


@dataclass(frozen=True)
class Spoiling:
    """A ``Transport`` that hands on ``inner``'s replies, those to ``command`` changed by ``spoil``."""

    inner: DirectTransport
    seen: Seen
    command: str = ""
    spoil: Callable[[Any], Any] = lambda body: body

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def ask(
        self,
        *,
        instance_ids: Sequence[str],
        question: Question,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> dict[str, Reply]:
        """As the transport's."""
        found = {}
        for name, reply in self.inner.ask(instance_ids=instance_ids, question=question).items():
            if reply.answer is not None:
                self.seen.answers.append((question.command, reply.answer.body))
                if question.command == self.command:
                    body = self.spoil(reply.answer.body)
                    reply = replace(reply, answer=replace(reply.answer, body=body))
            found[name] = reply
            if on_reply:
                on_reply(reply)
        return found


def spoiled_run(
    cluster: Cluster,
    *,
    command: str = "",
    path: Path = (),
    damage: Callable[[Any], Any] = lambda value: value,
) -> tuple[RunResult, Seen]:
    """The validation's result where each answer to ``command`` has the damage at ``path``."""
    clock, seen = VirtualTime(), Seen()
    with PlayedNodes(clock, cluster.environment) as nodes:
        inner = played_transport(cluster, nodes, clock)
        transport = Spoiling(inner, seen, command, lambda body: damaged(body, path, damage))
        return validate(cluster, "spoiled", transport), seen


def paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """Where every part of an answer lies, many alike as one."""
    if isinstance(value, list):
        yield from {each: None for below in value for each in paths(below, (*above, ANY))}
    elif isinstance(value, Mapping) and value and not _are_counters(value):
        for key, below in value.items():
            step = ANY if _are_alike(value) else str(key)
            yield (*above, step)
            yield from paths(below, (*above, step))


def _are_counters(value: Mapping[str, Any]) -> bool:
    return all(isinstance(each, int) and not isinstance(each, bool) for each in value.values())


def _are_alike(value: Mapping[str, Any]) -> bool:
    shapes = {frozenset(each) if isinstance(each, Mapping) else None for each in value.values()}
    return len(value) > 1 and len(shapes) == 1 and None not in shapes


def damaged(value: Any, path: Path, damage: Callable[[Any], Any]) -> Any:
    """A copy of an answer with the damage at every place of the path."""
    if not path:
        return damage(value)
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        changed = [damaged(each, rest, damage) for each in value]
        return [each for each in changed if each is not ABSENT]
    if not isinstance(value, Mapping):
        return value
    rows = {key: damaged(each, rest, damage) if step in (ANY, key) else each for key, each in value.items()}
    return {key: each for key, each in rows.items() if each is not ABSENT}
