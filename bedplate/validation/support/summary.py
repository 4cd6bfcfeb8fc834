"""The words for the case: what is at fault on which machine, and what shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.validation.reports.wording import SIMULATED, cause_title, measure_text, sentence, time_text
from bedplate.validation.support.sources import FoundRun


def summary_text(*, found: FoundRun, machine: Mapping[str, Any], verdicts: Sequence[Verdict]) -> str:
    """A page of Markdown that can be pasted into a support case."""
    return "\n".join(_lines(found, machine, verdicts)) + "\n"


def _lines(found: FoundRun, machine: Mapping[str, Any], verdicts: Sequence[Verdict]) -> Iterator[str]:
    node, result = found.node, found.result
    yield f"# {node.instance_type} {node.node}"
    yield ""
    if result.simulated:
        yield f"**{SIMULATED}**"
        yield ""
    ec2: Mapping[str, Any] = machine["ec2"]
    place = ec2.get("AvailabilityZoneId") or ec2.get("AvailabilityZone") or result.region
    yield f"Account {result.account}, {place}. Seen {time_text(result.finished_at)}."
    for name, label in (("LaunchTime", "Launched"), ("CapacityReservationId", "Capacity reservation")):
        if ec2.get(name):
            yield f"{label}: {ec2[name]}."
    if "problem" in ec2:
        yield f"EC2 could not be asked about it now: {ec2['problem']}"
    failed = [verdict for verdict in verdicts if verdict.outcome is Outcome.FAIL]
    yield ""
    yield "## What failed"
    yield ""
    if not failed:
        yield "No check failed on this node."
    for verdict in failed:
        yield from _verdict(verdict)
    yield from _xids(machine["xids"])
    yield from _boards(machine["gpus"])
    yield ""
    yield "## Versions"
    yield ""
    yield from (f"- {name}: {version}" for name, version in sorted(node.versions.items()))
    yield ""
    yield "`contents.json` lists every file, and how many secrets were left out of which kind."


def _verdict(verdict: Verdict) -> Iterator[str]:
    title = cause_title(verdict.cause) or sentence(verdict.summary)
    yield f"### {verdict.check_id}: {title}"
    yield ""
    yield f"{sentence(verdict.summary)}."
    if verdict.measured is not None and verdict.expected is not None:
        expected = measure_text(verdict.expected, verdict.unit)
        yield f"Measured {measure_text(verdict.measured)}, expected {expected}."
    if verdict.confidence is not None:
        yield f"Confidence {verdict.confidence:.0%}: {'; '.join(verdict.because)}."
    if verdict.excerpt:
        yield ""
        # Indented, so that no line of the node's can end the block.
        yield from (f"    {line}" for line in verdict.excerpt.splitlines())
    yield ""


def _xids(rows: Sequence[Mapping[str, Any]] | None) -> Iterator[str]:
    yield "## XIDs in the kernel log of this boot"
    yield ""
    if rows is None:
        yield "There is no whole kernel log of this node."
    elif not rows:
        yield "None."
    for row in rows or ():
        meaning = f" ({row['meaning']}; NVIDIA: {row['nvidia_action']})" if row["meaning"] else ""
        yield f"- {row['kind']} {row['code']} on {row['device']}, {row['count']} times{meaning}"
        yield f"  `{str(row['line']).replace('`', chr(39))}`"


def _boards(boards: Sequence[Mapping[str, str]]) -> Iterator[str]:
    yield ""
    yield "## GPUs"
    yield ""
    if not boards:
        yield "The driver told nothing whole about its GPUs."
        return
    yield "| bus | serial | UUID | VBIOS | board |"
    yield "|---|---|---|---|---|"
    for row in boards:
        names = ("bus_id", "serial", "uuid", "vbios_version", "board_part_number")
        cells = (row.get(name, "").replace("|", " ") or "not told" for name in names)
        yield f"| {' | '.join(cells)} |"
