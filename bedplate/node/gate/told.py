"""What a node tells of itself at the gate: written by ``gate-check`` there, read by the gatekeeper."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Tuple


class NotToldError(Exception):
    """What came back is not this node's answer to this question."""


@dataclass(frozen=True)
class Told:
    """``name`` in Slurm, ``mark`` how this boot's gate was opened (empty: it was not), ``sick`` the light
    checks that failed, (id, in words). ``able`` says that nccl-tests is there; ``folder`` holds it where PATH
    does not.
    """

    nonce: str
    name: str
    hostname: str
    pool: str
    instance_type: str
    mark: str
    folder: str
    sick: Tuple[Tuple[str, str], ...] = ()
    able: bool = True

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))


def read_told(text: str, *, node: str, nonce: str) -> Told:
    """The answer in what was printed. Raises ``NotToldError`` for none, another node's or an old one."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    try:
        data = json.loads(lines[-1])
        sick = tuple((str(check_id), str(words)) for check_id, words in data.pop("sick"))
        able = data.pop("able") is True
        told = Told(**{name: str(value) for name, value in data.items()}, sick=sick, able=able)
    except (IndexError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotToldError(f"{node} printed no answer that can be read") from error
    if told.name != node or told.nonce != nonce:
        raise NotToldError(f"asked {node}, and {told.name!r} has answered, or an earlier question was")
    return told
