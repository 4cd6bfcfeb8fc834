"""Which commands a run has sent, so that the run that goes on with it can collect their answers.

SSM keeps invocations for 30 days and the bucket their output: an answer that nobody was there to read is not
lost, nor is a command that still works when its controller is gone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from bedplate.validation.stores.store import Store
from bedplate.validation.transports.question import Question


@dataclass(frozen=True)
class Sent:
    """One SendCommand: ``question`` is the question's digest, ``sent_at`` ISO 8601 in UTC."""

    command_id: str
    nonce: str
    question: str
    instance_ids: tuple[str, ...]
    sent_at: str


def sent_key(run_id: str) -> str:
    """The key of a run's log."""
    return f"runs/{run_id}/sent.json"


@dataclass
class SentLog:
    """The log of one run; ``before`` are the commands of the process that was cut off, each used once."""

    store: Store
    run_id: str
    before: list[Sent] = field(default_factory=list)
    _all: list[Sent] = field(default_factory=list)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def add(self, sent: Iterable[Sent]) -> None:
        """Keep commands, at once and before their answers are waited for."""
        with self._writing:
            self._all += sent
            body = json.dumps([asdict(one) for one in self._all]).encode("utf-8")
            self.store.write(sent_key(self.run_id), body)

    def take(self, question: Question, instance_ids: Iterable[str]) -> list[Sent]:
        """The earliest unused command of the run before for each instance, if it is not too old."""
        wanted, found = set(instance_ids), []
        now = datetime.now(UTC)
        with self._writing:
            for sent in list(self.before):
                age_seconds = (now - datetime.fromisoformat(sent.sent_at)).total_seconds()
                usable = sent.question == question.digest and age_seconds < question.usable_seconds
                if usable and wanted & set(sent.instance_ids):
                    wanted -= set(sent.instance_ids)
                    self.before.remove(sent)
                    found.append(sent)
        return found


def load_sent_log(*, store: Store, run_id: str, resumed: bool) -> SentLog:
    """The log of a run, with what was sent before where it goes on with one that was cut off.

    A log that cannot be read is as good as none: everything is asked anew.
    """
    log = SentLog(store, run_id)
    found = store.read(sent_key(run_id)) if resumed else None
    if found is None:
        return log
    try:
        rows = json.loads(found.body)
        before = [Sent(**{**row, "instance_ids": tuple(row["instance_ids"])}) for row in rows]
        for sent in before:
            datetime.fromisoformat(sent.sent_at)
    except (ValueError, TypeError, KeyError):
        return log
    log.before, log._all = list(before), list(before)
    return log
