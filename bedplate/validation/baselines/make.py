"""From runs that an operator accepts to a baseline, or to the reasons why they are no ground for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median_low

from bedplate.diagnosis.bandwidth_expectation import BASELINE_SHARE
from bedplate.diagnosis.verdict import Outcome
from bedplate.errors import BedplateError
from bedplate.hardware import bandwidth_ceiling
from bedplate.manifest import ClusterManifest
from bedplate.validation.baselines.baseline import Baseline, BaselineFigure
from bedplate.validation.judgement import judge
from bedplate.validation.result import Bandwidth, RunResult

OLDEST = timedelta(days=7)
"""A run that is older may be of other software, other nodes, another fabric."""

_MAY_BE_OPEN = frozenset({"NCL-001", "NCL-003", "NCL-004"})
"""Checks that may have been not-tested for want of a figure: that is what a baseline is made for."""
_MUST_STAND = frozenset({*_MAY_BE_OPEN, "NCL-002", "FAB-001", "FAB-002"})
"""Checks whose waiver would let a baseline be made of nodes that nobody has seen to be well."""


class BaselineRefused(BedplateError):
    """The runs are no ground for a baseline; ``reasons`` says why, one sentence each."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(
            "the baseline is refused: " + " ".join(reasons),
            error_id="BAS-001",
            remedy="Mend what the run names, validate again, and accept that run.",
        )


def make_baseline(
    *,
    runs: Mapping[str, RunResult],
    manifest: ClusterManifest,
    reason: str,
    before: Baseline | None = None,
    may_lower: bool = False,
    moment: datetime | None = None,
) -> Baseline:
    """A baseline of these runs (id → result): of each shape the lowest run counts, and of many tests of one
    shape in one run their median.

    Raises ``BaselineRefused`` with every reason: a run that is not complete, not of this environment, too
    old, simulated beside real ones, with a fault, or with a check open that a baseline cannot close; a
    figure that the wires do not allow; and, without ``may_lower``, a figure well below that of ``before``,
    or one of its figures missing.
    """
    moment = moment or datetime.now(UTC)
    reasons = [why for run, result in runs.items() for why in _against(run, result, manifest, moment)]
    if not runs:
        reasons.append("No run was named.")
    if len({result.simulated for result in runs.values()}) > 1:
        reasons.append("Some of the runs are simulated and some are not.")
    figures = _figures(runs.values(), manifest)
    reasons += [why for figure in figures for why in _impossible(figure, manifest)]
    if before is not None and not may_lower:
        reasons += _lowered(figures, before)
    if not figures and not reasons:
        reasons.append("The runs hold no bandwidth.")
    if reasons:
        raise BaselineRefused(reasons)
    return Baseline(
        environment=manifest.environment,
        account=manifest.account,
        region=manifest.region,
        simulated=any(result.simulated for result in runs.values()),
        accepted_at=moment.isoformat(timespec="seconds"),
        reason=reason,
        runs=sorted(runs),
        versions=_common_versions(runs.values()),
        figures=figures,
    )


def _against(run: str, result: RunResult, manifest: ClusterManifest, moment: datetime) -> Iterator[str]:
    if (result.environment, result.account, result.region) != (
        manifest.environment,
        manifest.account,
        manifest.region,
    ):
        yield (
            f"Run {run} is of {result.environment} in {result.account}/{result.region}, not of "
            f"{manifest.environment} in {manifest.account}/{manifest.region}."
        )
    if result.kind != "validate" or not result.complete:
        yield f"Run {run} is no validation that came to its end."
    age = moment - datetime.fromisoformat(result.finished_at)
    if age > OLDEST:
        yield f"Run {run} is {age.days} days old, and at most {OLDEST.days} are allowed."
    waived = sorted({waiver.check_id for waiver in result.waivers} & _MUST_STAND)
    if waived:
        yield f"Run {run} waives {', '.join(waived)}."
    judgement = judge(result=result)
    for fault in judgement.faults:
        yield f"Run {run} found a fault: {fault.check_id} on {fault.subject}."
    for verdict in judgement.unproven:
        open_for_want_of_a_figure = (
            verdict.check_id in _MAY_BE_OPEN
            and verdict.outcome is Outcome.NOT_TESTED
            and verdict.measured is not None
            and verdict.expected is None
        )
        if not open_for_want_of_a_figure:
            yield f"Run {run} left {verdict.check_id} on {verdict.subject} open: {verdict.summary}."
    for missing in judgement.missing:
        yield f"Run {run} has no verdict of {missing.check_id} on {missing.subject}."


def _figures(results: Iterable[RunResult], manifest: ClusterManifest) -> list[BaselineFigure]:
    lowest: dict[tuple[str, str, str, int, int], float] = {}
    for result in results:
        for key, value in _medians(result).items():
            lowest[key] = min(value, lowest.get(key, value))
    pools = {pool.name: pool for pool in manifest.pools}
    return [
        BaselineFigure(
            pool=pool,
            instance_type=pools[pool].instance_type,
            efas=pools[pool].hardware.efa_count,
            collective=collective,
            path="nvlink" if path == "nvlink" else "efa",
            nodes=nodes,
            size_bytes=size,
            gb_per_s=value,
        )
        for (pool, collective, path, nodes, size), value in sorted(lowest.items())
        if pool in pools
    ]


def _medians(result: RunResult) -> dict[tuple[str, str, str, int, int], float]:
    pool_of = {node.node: node.pool for node in result.nodes}
    tests: dict[tuple[str, str, str, int, int], list[float]] = defaultdict(list)
    for each in result.bandwidths:
        pools = {pool_of.get(node, "") for node in each.nodes}
        if len(pools) == 1:
            key = (pools.pop(), each.collective, _path(each), len(each.nodes), each.size_bytes)
            tests[key].append(each.busbw_gb_per_s)
    return {key: median_low(values) for key, values in tests.items()}


def _path(each: Bandwidth) -> str:
    return each.path or ("nvlink" if each.scope == "in-node" else "efa")


def _impossible(figure: BaselineFigure, manifest: ClusterManifest) -> Iterator[str]:
    hardware = next(pool.hardware for pool in manifest.pools if pool.name == figure.pool)
    ceiling = bandwidth_ceiling(
        instance_type=hardware, collective=figure.collective, nodes=figure.nodes, path=_asked_path(figure)
    )
    if not ceiling.allows(figure.gb_per_s):
        yield (
            f"{figure.gb_per_s:g} GB/s of {figure.collective} over {figure.nodes} nodes is more than the "
            f"wires allow ({ceiling.value_gb_per_s:.0f} GB/s)."
        )


def _asked_path(figure: BaselineFigure) -> str | None:
    return "efa" if figure.path == "efa" else None


def _lowered(figures: Sequence[BaselineFigure], before: Baseline) -> Iterator[str]:
    known = {_shape(figure): figure.gb_per_s for figure in before.figures}
    measured = {_shape(figure) for figure in figures}
    for old_figure in before.figures:
        if _shape(old_figure) not in measured:
            yield (
                f"The baseline that is stored has {old_figure.collective} over {old_figure.nodes} nodes of "
                f"{old_figure.pool}, and these runs have not measured it."
            )
    for figure in figures:
        old = known.get(_shape(figure))
        if old is not None and figure.gb_per_s < BASELINE_SHARE * old:
            yield (
                f"{figure.collective} over {figure.nodes} nodes of {figure.pool} reached {figure.gb_per_s:g} "
                f"GB/s, and the baseline that is stored says {old:g}."
            )


def _shape(figure: BaselineFigure) -> tuple[str, str, int, str, str, int, int]:
    return (
        figure.pool,
        figure.instance_type,
        figure.efas,
        figure.collective,
        figure.path,
        figure.nodes,
        figure.size_bytes,
    )


def _common_versions(results: Iterable[RunResult]) -> dict[str, str]:
    told: dict[str, set[str]] = defaultdict(set)
    for result in results:
        for node in result.nodes:
            for component, version in node.versions.items():
                told[component].add(version)
    return {component: versions.pop() for component, versions in told.items() if len(versions) == 1}
