"""One order as it lies in the bucket: a command of the node program with its options, and its deadline."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Tuple

ORDER_SCHEMA = 1
MOST_ORDER_BYTES = 256 * 1024
"""The longest list of jobs has 30,000 characters; Linux takes 128 KiB for one word."""
MOST_DEADLINE_SECONDS = 24 * 3600
NONCE = re.compile(r"^[A-Za-z0-9-]{8,64}$")
_MOST_WORDS = 256


class OrderRefusedError(ValueError):
    """It is no order that a desk carries out; the message says why, and what is allowed."""


@dataclass(frozen=True)
class Order:
    """``arguments`` is the command with its options, without the nonce, which is the object's name."""

    arguments: Tuple[str, ...]
    deadline_seconds: float

    def to_json(self) -> str:
        """As it is put into the bucket."""
        return json.dumps(
            {
                "schema": ORDER_SCHEMA,
                "arguments": list(self.arguments),
                "deadline_seconds": self.deadline_seconds,
            }
        )

    def argv(self, program: Tuple[str, ...], nonce: str) -> Tuple[str, ...]:
        """The whole command line; no shell reads it."""
        command, *options = self.arguments
        return (*program, command, "--nonce", nonce, *options)


def read_order(data: bytes, *, commands: Tuple[str, ...]) -> Order:
    """The order in ``data``, for one of these commands. Raises ``OrderRefusedError``."""
    if len(data) > MOST_ORDER_BYTES:
        raise OrderRefusedError(f"the order has {len(data)} bytes; at most {MOST_ORDER_BYTES} are allowed")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise OrderRefusedError(f"the order is no JSON: {error}") from error
    if not isinstance(found, dict) or set(found) != {"schema", "arguments", "deadline_seconds"}:
        raise OrderRefusedError("the order is no object of schema, arguments and deadline_seconds")
    if found["schema"] != ORDER_SCHEMA or isinstance(found["schema"], bool):
        raise OrderRefusedError(
            f"the order has schema {_shown(found['schema'])}; this desk reads {ORDER_SCHEMA}"
        )
    return Order(_arguments(found["arguments"], commands), _deadline(found["deadline_seconds"]))


def _arguments(found: Any, commands: Tuple[str, ...]) -> Tuple[str, ...]:
    if not isinstance(found, list) or not 0 < len(found) <= _MOST_WORDS:
        raise OrderRefusedError(f"arguments is no list of 1 to {_MOST_WORDS} words")
    if not all(isinstance(word, str) and "\0" not in word and _is_text(word) for word in found):
        raise OrderRefusedError("arguments has an entry that is no text, or that no program can be given")
    if found[0] not in commands:
        raise OrderRefusedError(
            f"{_shown(found[0])} is no command that a desk runs; allowed: {', '.join(commands)}"
        )
    return tuple(found)


def _deadline(found: Any) -> float:
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        raise OrderRefusedError(f"deadline_seconds is {_shown(found)}; a number of seconds is allowed")
    # Not a number is neither below nor above.
    if not 0 < found <= MOST_DEADLINE_SECONDS:
        raise OrderRefusedError(
            f"deadline_seconds is {_shown(found)}; more than 0 and at most {MOST_DEADLINE_SECONDS} is allowed"
        )
    return float(found)


def _is_text(word: str) -> bool:
    """Half of a surrogate pair, which JSON can hold, is no text."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: Any) -> str:
    return ascii(value)[:80]
