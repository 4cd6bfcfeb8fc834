"""The table of many runs: for each kind of fault, what became of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.bench.faults.score import CONSEQUENCE, HARMLESS, LET_PASS, NAMED, OPEN, UNPROVEN, Score

FATES = (NAMED, CONSEQUENCE, UNPROVEN, OPEN, HARMLESS, LET_PASS)


@dataclass
class Tally:
    """Counts over runs. ``kinds`` is kind → fate → how often; ``wrong`` is kind → runs with a wrong blame."""

    runs: Counter[str] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    healthy: Counter[str] = field(default_factory=Counter)
    healthy_passed: Counter[str] = field(default_factory=Counter)
    false_passes: list[int] = field(default_factory=list)
    crashes: list[int] = field(default_factory=list)
    seconds: Counter[str] = field(default_factory=Counter)

    def add(self, score: Score) -> None:
        """Count one run."""
        self.runs[score.how] += 1
        self.versions[score.version or "unknown"] += 1
        self.seconds[score.how] += score.seconds  # type: ignore[assignment]
        if score.crash:
            self.crashes.append(score.number)
            return
        if score.healthy:
            self.healthy[score.instance_type] += 1
            self.healthy_passed[score.instance_type] += score.passed
        for kind, fate in score.faults:
            self.kinds[kind][fate] += 1
            if score.wrong:
                self.wrong[kind].append(score.number)
        if score.wrong and not score.faults:
            self.wrong["(none)"].append(score.number)
        if score.false_pass:
            self.false_passes.append(score.number)

    @property
    def wrongly_blaming(self) -> tuple[int, ...]:
        """The runs in which something was blamed that has no fault, or not that one."""
        return tuple(sorted({number for numbers in self.wrong.values() for number in numbers}))

    def rows(self) -> list[tuple[str, ...]]:
        """One row a kind: kind, how often, and each fate."""
        found = []
        for kind, fates in sorted(self.kinds.items()):
            total = sum(fates.values())
            found.append(
                (kind, str(total), *(str(fates[fate]) for fate in FATES), str(len(self.wrong.get(kind, ()))))
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "runs": dict(self.runs),
            "kinds": {kind: dict(fates) for kind, fates in sorted(self.kinds.items())},
            "healthy_runs": dict(self.healthy),
            "healthy_runs_passed": dict(self.healthy_passed),
            "false_passes": self.false_passes,
            "wrongly_blaming_runs": list(self.wrongly_blaming),
            "crashed_runs": self.crashes,
        }


def tally(scores: Iterable[Score]) -> Tally:
    """Count them all."""
    found = Tally()
    for score in scores:
        found.add(score)
    return found


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for the terminal and for Markdown alike."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rule = "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])])
    return "\n".join([line(head), f"|{rule}|", *map(line, rows)])


HEAD = ("kind", "injected", *FATES, "runs with a wrong blame")


def healthy_rows(found: Tally) -> Mapping[str, str]:
    """Instance type → how many runs without a fault passed."""
    return {kind: f"{found.healthy_passed[kind]} of {count}" for kind, count in sorted(found.healthy.items())}
