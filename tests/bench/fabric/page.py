"""The page of the benchmark, and its numbers for machines, from one run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from tests.bench.fabric.measure import Count
from tests.bench.fabric.rows import OURS, ROWS, Row
from tests.bench.fabric.targets import broken_targets, noise_target_met, wrong_by_noise

SHOWN = (8, 64, 232, 1024, 4096)
"""The sizes that have a column of their own."""
_HEAD = """# Benchmark: the search for a bad node, link or leaf

SIMULATED: no hardware was measured. `make bench-fabric` ran every scheme on the same clusters, drawn from
the seed `{seed}`, and wrote this page. A test between nodes of such a cluster shows what its slow, hanging
or silent members leave of the healthy rate; a scheme sees nothing else. All schemes hold their tests to the
same floor.

What is counted: rounds, since the tests of a round run at once and a launch takes longer than what it
measures; tests; *missed*, the share of runs in which something that is wrong was passed as well; *wrong*,
the share of runs in which a node or a link was blamed that is well. How many clusters were drawn depends on
the size, from {fewest} to {most}; {runs:,} runs in all.

## The schemes

| scheme | after | rounds by its authors |
|---|---|---|
| Bedplate | [Validation](validation.md#the-search-between-nodes) | |
| random pairs once | oci-hpc's active check, for all nodes at once | 1 |
| neighbour pairs, one after another | gcm `pairwise-quick` | N/2 |
| pairs, then known-good | Google cluster-health-scanner, which does not confirm | 2 |
| domains, then bisection | NVIDIA cluster-readiness-engine, design notes 055, 056 | 3 healthy, 7 at N = 232 |
| all pairs, circle method | SuperBench | N − 1, N for odd N |
| all pairs, one after another | gcm `pairwise` | N (N − 1) / 2 |

They are written anew from what their authors say of them, and each is shown by
`tests/bench/fabric/test_fabric_peers.py` to take the rounds that its authors count. The schemes of all pairs
name no node by themselves; the rule that favours them is applied: a node is blamed that fails with half of
its partners or more, and nobody where that would be more than half of the nodes. Every pair of a group counts
as a link of it, which favours groups.
"""


def page(counts: Sequence[Count], *, seed: str) -> str:
    """The whole page, Markdown."""
    runs = [one.runs for one in counts]
    head = _HEAD.format(seed=seed, runs=sum(runs), fewest=min(runs), most=max(runs))
    parts = [head, _verdict(counts)]
    for row in ROWS:
        mine = [one for one in counts if one.row == row.id]
        if mine:
            parts.append(_table(row, mine))
    parts.append(_limits())
    return "\n".join(parts)


def numbers(counts: Iterable[Count], *, seed: str) -> str:
    """JSON with every count."""
    rows = list(counts)
    wrong, runs = wrong_by_noise(rows)
    said = {
        "simulated": True,
        "seed": seed,
        "counts": [asdict(one) for one in rows],
        "broken_targets": list(broken_targets(rows)),
        "noise": {"wrong_runs": wrong, "runs": runs, "met": noise_target_met(rows)},
    }
    return json.dumps(said, indent=1) + "\n"


def _verdict(counts: Sequence[Count]) -> str:
    broken = list(broken_targets(counts))
    wrong, runs = wrong_by_noise(counts)
    lines = ["## Targets", ""]
    lines += [f"- missed: {text}" for text in broken] or ["All targets of the rows below are met."]
    share = 100 * wrong / runs if runs else 0.0
    lines += [
        "",
        f"With noise {wrong} of {runs} runs of all sizes blame wrongly: {share:.2f} %; 1 % is allowed.",
    ]
    slowest = max((one for one in counts if one.scheme == OURS), key=lambda one: one.seconds)
    lines += [
        f"The longest search took {slowest.seconds:.1f} s of processor time, the simulator's included.",
        "",
    ]
    return "\n".join(lines)


def _table(row: Row, counts: Sequence[Count]) -> str:
    by_scheme: dict[str, dict[int, Count]] = {}
    for one in counts:
        by_scheme.setdefault(one.scheme, {})[one.nodes] = one
    sizes = [size for size in SHOWN if any(size in found for found in by_scheme.values())]
    head = [
        "scheme",
        *(f"rounds, N = {size}" for size in sizes),
        "tests",
        "missed",
        "wrong",
    ]
    lines = [f"## {row.title}", "", f"Target: {row.target}.", "", _line(head)]
    lines.append(_line(["---"] * len(head)))
    for scheme, found in by_scheme.items():
        largest = max(found)
        tests = f"{found[largest].tests_mean:,.0f} (N = {largest})"
        lines.append(
            _line(
                [
                    scheme,
                    *(_rounds(found, size) for size in sizes),
                    tests,
                    _share(found, "missed"),
                    _share(found, "wrongly_blamed"),
                ]
            )
        )
    return "\n".join([*lines, ""])


def _rounds(found: Mapping[int, Count], size: int) -> str:
    """The median, and the most where that is more."""
    if size not in found:
        return ""
    middle, most = found[size].rounds_median, found[size].rounds_most
    return f"{middle:,g}" if middle == most else f"{middle:,g} (most {most:,})"


def _share(found: Mapping[int, Count], name: str) -> str:
    """Over all sizes, in percent of the runs."""
    runs = sum(one.runs for one in found.values())
    count = sum(getattr(one, name) for one in found.values())
    if not count:
        return "0"
    return f"{100 * count / runs:.2g} %" if count < runs else "all"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _limits() -> str:
    return """## What this does not show

- How often real tests fail by chance. One in a hundred is assumed; nobody has published a rate.
- Faults that come and go. A node that passes once is cleared; it is blamed again only where three bad links
  meet in it.
- Two kinds of nodes among eight or fewer may look like a bad node and bad links: too few pairs tell. The
  confidence of a verdict is low wherever more than a quarter of the nodes is blamed.
- Peers' other checks. Only how they find who is at fault between nodes was written anew.
"""
