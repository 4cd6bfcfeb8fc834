"""One run of the live chain from its healthy beginning to its end, and what was seen."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bedplate.telemetry.dashboards.asked import all_queries
from tests.telemetry.live.cases import BY_VALIDATION_ALERT, OPEN_ALERT, Case
from tests.telemetry.live.chain import ENVIRONMENT, Labels, LiveChain
from tests.telemetry.live.pages import Told
from tests.telemetry.live.scaled import Scale

PEOPLE = "people"
_HEALTHY_SCRAPES = 25
_WAIT_SCRAPES = 50
_SETTLE_SCRAPES = 8
"""How long all is well, how long alerts may take, and how long more is looked whether others come."""
_LOOKED_AT = "xid-94"
"""The panels of one node and of one job are asked about those of this case: there is an Xid to see."""


@dataclass(frozen=True)
class Row:
    """One case: seconds until its alert fired, None where it did not; other alerts on the same subject; the
    first message that named it, None where Alertmanager sent none of it.
    """

    case: Case
    fired_s: float | None
    beside: tuple[str, ...]
    told: Told | None


@dataclass(frozen=True)
class Outcome:
    """The whole run."""

    scale: Scale
    scrape_s: int
    down: int
    early: tuple[str, ...]
    rows: tuple[Row, ...]
    stray: tuple[str, ...]
    """Alerts on a subject whose faults do not explain them."""
    pages_by_node: tuple[tuple[str, str, int], ...]
    empty_panels: tuple[str, ...]
    queries: int
    gaps: tuple[str, ...] = ()
    """Nodes that the machine could not scrape for a moment: their pages are not counted."""


def play(folder: Path) -> Outcome:
    """Take some 80 scrapes: not three minutes on an idle machine."""
    with LiveChain(folder) as chain:
        time.sleep(_HEALTHY_SCRAPES * chain.scrape_s)
        down = len(chain.prometheus.query("up == 0"))
        early = tuple(_shown(each) for state in ("pending", "firing") for each in chain.alerts(state))
        chain.inject()
        seen = _watch(chain)
        queries, empty = _ask_panels(chain)
        gaps = _gaps(chain)
        return Outcome(
            scale=chain.scale,
            scrape_s=chain.scrape_s,
            down=down,
            early=early,
            rows=tuple(_row(chain, case, seen) for case in chain.played),
            stray=_stray(chain, seen),
            pages_by_node=_pages_by_node(chain.pages.told, without=gaps),
            gaps=tuple(" ".join(each) for each in sorted(gaps)),
            empty_panels=empty,
            queries=queries,
        )


def _watch(chain: LiveChain) -> dict[tuple[tuple[str, str], ...], float]:
    """Each alert that fires, with the seconds after which it was first seen."""
    seen: dict[tuple[tuple[str, str], ...], float] = {}

    def all_have_fired() -> bool:
        for each in chain.alerts("firing"):
            seen.setdefault(tuple(sorted(each.items())), chain.now_s() - chain.injected_s)
        found = [dict(each) for each in seen]
        return all(_first(chain, case, found) for case in chain.played)

    chain.wait(all_have_fired, at_most_s=_WAIT_SCRAPES * chain.scrape_s)
    end = time.monotonic() + _SETTLE_SCRAPES * chain.scrape_s
    chain.wait(lambda: all_have_fired() and time.monotonic() > end, at_most_s=2 * (end - time.monotonic()))
    return seen


def _first(chain: LiveChain, case: Case, found: Sequence[Labels]) -> bool:
    return any(each["alertname"] == case.alert and chain.belongs(each, case) for each in found)


def _row(chain: LiveChain, case: Case, seen: dict[tuple[tuple[str, str], ...], float]) -> Row:
    own = [(dict(each), at_s) for each, at_s in seen.items() if chain.belongs(dict(each), case)]
    fired = [at_s for each, at_s in own if each["alertname"] == case.alert]
    names = set(chain.nodes_of(case))
    told = [
        each
        for each in chain.pages.told
        if any(
            name == case.alert and cluster == case.cluster and (not node or node in names)
            for name, cluster, node, _ in each.alerts
        )
    ]
    return Row(
        case=case,
        fired_s=min(fired, default=None),
        beside=tuple(sorted({each["alertname"] for each, _ in own} - {case.alert})),
        told=told[0] if told else None,
    )


def _stray(chain: LiveChain, seen: dict[tuple[tuple[str, str], ...], float]) -> tuple[str, ...]:
    found = []
    for key in seen:
        labels = dict(key)
        about = [case for case in chain.played if chain.belongs(labels, case)]
        explained = {BY_VALIDATION_ALERT, OPEN_ALERT}
        explained |= {name for case in about for name in (case.alert, *case.beside)}
        if labels["alertname"] not in explained:
            found.append(f"{_shown(labels)} beside {', '.join(case.name for case in about) or 'nothing'}")
    return tuple(sorted(found))


def _gaps(chain: LiveChain) -> set[tuple[str, str]]:
    """Nodes of which a target went away and came back: no case does that, a busy machine does."""
    found = chain.prometheus.query(f"max by (cluster, node) (changes(up[{chain.now_s():.0f}s])) > 1")
    return {(each["metric"]["cluster"], each["metric"].get("node", "")) for each in found}


def _pages_by_node(
    told: Sequence[Told], *, without: set[tuple[str, str]]
) -> tuple[tuple[str, str, int], ...]:
    """(cluster, node, messages to people that are about the node)."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in told:
        if each.receiver == PEOPLE:
            counts.update({(cluster, node) for _, cluster, node, _ in each.alerts if node})
    return tuple(
        (cluster, node, count)
        for (cluster, node), count in sorted(counts.items())
        if (cluster, node) not in without
    )


def _ask_panels(chain: LiveChain) -> tuple[int, tuple[str, ...]]:
    """How many queries all dashboards have, and those that have no series now."""
    windows = {"__rate_interval": f"{4 * chain.scrape_s}s", "__interval": f"{chain.scrape_s}s"}
    node, job = _node_and_job(chain)
    asked = all_queries({"environment": ENVIRONMENT, "job": job, "node": node, "__range": "10m", **windows})
    empty = [
        f"{each.dashboard}: {each.panel} {each.ref_id}"
        for each in asked
        # A panel of days looks at each quarter of an hour; here there are minutes.
        if not chain.prometheus.query(each.expression.replace(":15m]", f":{chain.scrape_s}s]"))
    ]
    return len(asked), tuple(empty)


def _node_and_job(chain: LiveChain) -> tuple[str, str]:
    case = next(each for each in chain.played if each.name == _LOOKED_AT)
    node = chain.fleets[case.cluster].nodes[case.node]
    assert node.job is not None
    return chain.nodes_of(case)[0], node.job.job_id


def _shown(labels: Labels) -> str:
    where = " ".join(labels[name] for name in ("cluster", "node", "hpc_job", "cause") if labels.get(name))
    return f"{labels['alertname']} {where}"
