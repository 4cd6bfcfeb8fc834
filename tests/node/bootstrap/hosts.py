"""Hosts whose programs answer by a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bedplate.node.bootstrap.boot_log import BootLog
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.runner import Ran

Answer = tuple[int | None, str]
Answers = Mapping[str, Answer | list[Answer]]


class ScriptedRunner:
    """Answers by the longest beginning of the command line in the table; else with status 0 and no word.

    A list is answered in turn, its last entry for ever. ``missing`` programs are not on the PATH.
    """

    def __init__(self, answers: Answers, *, missing: Sequence[str] = ()) -> None:
        self.answers = {
            key: list(value) if isinstance(value, list) else value for key, value in answers.items()
        }
        self.missing = set(missing)
        self.calls: list[str] = []

    def has(self, program: str) -> bool:
        """Whether it is not missing."""
        return program not in self.missing

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Answer."""
        call = " ".join(argv)
        self.calls.append(call)
        for key in sorted(self.answers, key=len, reverse=True):
            if call.startswith(key):
                answer = self.answers[key]
                if isinstance(answer, list):
                    answer = answer.pop(0) if len(answer) > 1 else answer[0]
                status, text = answer
                return Ran(tuple(argv), status, text, "" if status == 0 else text)
        return Ran(tuple(argv), 0)


class Machine:
    """A folder, a clock that only waiting moves, and a scripted runner."""

    def __init__(self, root: Path, answers: Answers | None = None, *, missing: Sequence[str] = ()) -> None:
        self.root = root
        self.now = 0.0
        self.waits: list[float] = []
        self.runner = ScriptedRunner(answers or {}, missing=missing)
        self.host = Host(
            root=str(root),
            runner=self.runner,
            log=BootLog(root / "var/log/bedplate-bootstrap.log"),
            instance_id="i-0123456789abcdef0",
            clock=lambda: self.now,
            sleep=self._sleep,
        )

    def write(self, path: str, text: str) -> None:
        """A file of the machine."""
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def text(self, path: str) -> str:
        """A file of the machine."""
        return (self.root / path.lstrip("/")).read_text()

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def host_of(root: Path, answers: Answers) -> Host:
    """A host whose programs answer so."""
    return Machine(root, answers).host
