"""How long real Prometheus takes for each group of rules on a large fleet."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.metrics.catalogue import SAMPLES
from tests.bench.rules.backfill import AT_S, INTERVAL_S, Filled, fill
from tests.bench.rules.history import expressions, read_back_s
from tests.support.prometheus import Prometheus

MOST_S = 5.0
"""What a group may take. They are evaluated once a minute."""
MOST_BACK_S = 6 * 3_600
"""Further back than this read a few series of validations alone."""
_RECORDED_BACK_S = 600
_ROUNDS = 3


@dataclass(frozen=True)
class GroupTime:
    """One group: the middle one of some rounds, its slowest rule in it, and how many series it made."""

    name: str
    rules: int
    seconds: float
    slowest: str
    slowest_seconds: float
    series: int


@dataclass(frozen=True)
class Measured:
    """One fleet, all groups."""

    filled: Filled
    groups: tuple[GroupTime, ...]
    fill_seconds: float


def measure(folder: Path, *, nodes: int) -> Measured:
    """Fill blocks, have the recorded series made by promtool, and evaluate each rule at one moment."""
    begun = time.monotonic()
    text = rule_file(environment="bench")
    rules = expressions(text)
    read = read_back_s((expression for _, _, expression in rules), known=SAMPLES)
    back_s = {name: min(back, MOST_BACK_S) for name, back in read.items()}
    filled = fill(folder, nodes=nodes, back_s=back_s)
    config = folder / "prometheus.yml"
    config.write_text("global: {scrape_interval: 1h}\n", encoding="utf-8")
    options = ("--query.max-samples=200000000", "--query.timeout=5m")
    with Prometheus(folder, config=config, data=folder / "data", options=options) as server:
        _record(folder, text, server.url)
    took = time.monotonic() - begun
    with Prometheus(folder, config=config, data=folder / "data", options=options) as server:
        rounds = [[_evaluate(server, expression) for _, _, expression in rules] for _ in range(_ROUNDS)]
    return Measured(filled=filled, groups=_groups(rules, rounds), fill_seconds=took)


def _record(folder: Path, text: str, url: str) -> None:
    """Recording rules over the last minutes, as Prometheus itself back-fills them."""
    (folder / "rules.yml").write_text(text, encoding="utf-8")
    start, end = (_moment(AT_S - _RECORDED_BACK_S), _moment(AT_S))
    argv = ["promtool", "tsdb", "create-blocks-from", "rules", f"--url={url}", f"--start={start}"]
    argv += [f"--end={end}", f"--eval-interval={INTERVAL_S}s", "--output-dir=data", "rules.yml"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr[-2000:]}")


def _moment(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _evaluate(server: Prometheus, expression: str) -> tuple[float, int]:
    """(seconds, series); the time holds the way through HTTP and JSON, which a rule has not to go."""
    before = time.perf_counter()
    found = server.query(expression, at_s=AT_S)
    return time.perf_counter() - before, len(found)


def _groups(
    rules: Sequence[tuple[str, str, str]], rounds: Sequence[Sequence[tuple[float, int]]]
) -> tuple[GroupTime, ...]:
    places: dict[str, list[int]] = {}
    for index, (group, _, _) in enumerate(rules):
        places.setdefault(group, []).append(index)
    typical = [median(each[index][0] for each in rounds) for index in range(len(rules))]
    found = []
    for group, indices in places.items():
        slowest = max(indices, key=typical.__getitem__)
        found.append(
            GroupTime(
                name=group,
                rules=len(indices),
                seconds=median(sum(each[index][0] for index in indices) for each in rounds),
                slowest=rules[slowest][1],
                slowest_seconds=typical[slowest],
                series=sum(rounds[0][index][1] for index in indices),
            )
        )
    return tuple(found)


def broken_bounds(measured: Measured, *, most_s: float = MOST_S) -> list[str]:
    """One sentence for each group that takes too long."""
    return [
        f"{each.name} takes {each.seconds:.1f} s, {most_s:g} s are allowed"
        for each in measured.groups
        if each.seconds > most_s
    ]
