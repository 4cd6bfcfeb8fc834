"""How a question reaches nodes and how their answers come back: what every transport promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply


class Transport(Protocol):
    """One contract test holds for all: one reply for each node, whatever happens to it."""

    def ask(
        self,
        *,
        instance_ids: Sequence[str],
        question: Question,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> dict[str, Reply]:
        """One reply for each node, in the order asked; ``on_reply`` is called as they come in."""
        ...

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """Those that a question would reach now."""
        ...

    def sleep(self, seconds: float, /) -> None:
        """Wait; tests let no time pass."""
        ...

    def clock(self) -> float:
        """Seconds of a clock that never goes back."""
        ...
