"""``collect-metrics``: write what this node tells of itself, for node_exporter; every 30 s, by a timer."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Sequence, Tuple

from bedplate.node.bootstrap.exporters.scrape import renamed
from bedplate.node.bootstrap.places import (
    COLLECT_LOCKS,
    COLLECTED,
    METRICS,
    SCRAPE,
    SETTINGS,
    SLURM_NAME,
)
from bedplate.node.bootstrap.settings import NodeSettings, SettingsRefusedError
from bedplate.node.identity import node_root
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.collectors import COLLECTORS
from bedplate.node.metrics.exposition import GAUGE, Family, exposition, sample
from bedplate.node.metrics.isolated import IsolatedCallError, call_isolated
from bedplate.node.metrics.text_file import remove_text_file, write_text_file

HELP = "write what this node tells of itself as text files for node_exporter"
PREFIX = "bedplate-"
_SUMMARY = "bedplate-collectors"
_DEADLINE_SECONDS = 25.0


@dataclass(frozen=True)
class Outcome:
    """How one collector's run ended; ``problem`` is empty where it went well."""

    name: str
    seconds: float
    problem: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the settings are."""
    parser.add_argument(
        "--settings", metavar="FILE", default="", help=f"what the deploy wrote (default: {SETTINGS})"
    )


def main(arguments: argparse.Namespace) -> int:
    """0 where every collector did its work; a metric says which did not."""
    root = node_root()
    path = Path(arguments.settings or root + SETTINGS)
    try:
        settings = NodeSettings.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SettingsRefusedError) as error:
        print(f"bedplate-node: collect-metrics: {path}: {error}", file=sys.stderr)
        return 1
    around = Surroundings(root, settings, Path(root + COLLECTED))
    outcomes = collect(around, COLLECTORS, folder=Path(root + METRICS), locks=Path(root + COLLECT_LOCKS))
    rename_node(root)
    for each in outcomes:
        if each.problem:
            print(f"bedplate-node: collect-metrics: {each.name}: {each.problem}", file=sys.stderr)
    return 1 if any(each.problem for each in outcomes) else 0


def rename_node(root: str) -> None:
    """Label this node by its name in Slurm from when that is known on; the agent looks at its file itself."""
    scrape = Path(root + SCRAPE)
    try:
        name = Path(root + SLURM_NAME).read_text(encoding="utf-8").strip()
        text = renamed(scrape.read_text(encoding="utf-8"), node=name) if name else None
        if text is not None:
            partial = scrape.with_name(f".{scrape.name}.new")
            partial.write_text(text, encoding="utf-8")
            partial.replace(scrape)
    except OSError:
        return  # slurmd has told no name yet, or this node has no agent


def collect(
    around: Surroundings,
    collectors: Sequence[Collector],
    *,
    folder: Path,
    locks: Path,
    deadline_seconds: float = _DEADLINE_SECONDS,
    now: Callable[[], float] = time.time,
) -> List[Outcome]:
    """Run those that apply, each in a process of its own and one after the other. The file of one that fails
    is taken away: an old value would be served as if it were of now.
    """
    outcomes = []
    ended: List[Tuple[str, float]] = []
    for each in collectors:
        if not each.applies(around.settings):
            remove_text_file(folder, PREFIX + each.name)
            continue
        begun = time.monotonic()
        problem = ""
        try:
            text = call_isolated(
                lambda each=each: exposition(each.collect(around)),  # type: ignore[misc]
                deadline_seconds=deadline_seconds,
                lock=locks / each.name,
            )
            write_text_file(folder, PREFIX + each.name, text)
            ended.append((each.name, now()))
        except (IsolatedCallError, OSError) as error:
            problem = str(error)
            remove_text_file(folder, PREFIX + each.name)
        outcomes.append(Outcome(each.name, time.monotonic() - begun, problem))
    write_text_file(folder, _SUMMARY, exposition(_summary(outcomes, ended)))
    return outcomes


def _summary(outcomes: Sequence[Outcome], ended: Sequence[Tuple[str, float]]) -> List[Family]:
    return [
        Family(
            "bedplate_collector_success",
            GAUGE,
            tuple(sample(int(not each.problem), {"collector": each.name}) for each in outcomes),
        ),
        Family(
            "bedplate_collector_seconds",
            GAUGE,
            tuple(sample(round(each.seconds, 3), {"collector": each.name}) for each in outcomes),
        ),
        Family(
            "bedplate_collector_timestamp_seconds",
            GAUGE,
            tuple(sample(round(at, 3), {"collector": name}) for name, at in ended),
        ),
    ]
