"""``docs/bench-faults.md``: written from the runs, never by hand."""

from __future__ import annotations

from pathlib import Path

from tests.bench.faults.draws import NOT_DRAWN
from tests.bench.faults.tally import HEAD, Tally, healthy_rows, text_table

_INTRO = """\
# What the validation finds: fault-injected runs

SIMULATED. Written by `make bench-faults`; do not edit. In each run faults are injected into a cluster of
simulated nodes, the whole validation runs against it and sees only what tools print, and its result is
compared with what was injected. It shows that the engine does not take a sick cluster for a sound one; it
says nothing about hardware.

| what became of a fault | meaning |
|---|---|
| named | That cause was named on that node, link or cluster. |
| consequence | Another cause was named there that the same fault explains. |
| unproven | The kind has no cause to be named (a cut log, a lost agent): the run is rightly not passed. |
| open | The run is not passed, and names neither: it says what could not be proven. |
| harmless | NVIDIA says to ignore it; nothing had to be said. |
| let pass | The run passed. **This column must be 0.** |
"""


def write_page(path: Path, *, found: Tally, seed: str, first: int, runs: int, log: Path) -> None:
    """Write the page; ``log`` lies beside it."""
    total = sum(found.runs.values())
    blamed = found.wrongly_blaming
    healthy = [(kind, passed) for kind, passed in healthy_rows(found).items()]
    parts = [
        _INTRO,
        (
            f"Seed `{seed}`, runs {first} to {first + runs - 1}: {total} runs"
            f"{'' if total == runs else ' are made so far'}, {found.runs['processes']} of "
            "them through real probe processes with stand-in tools, the rest through the same programs and "
            f"the same tools' text called in one process. Made by {_versions(found)}. Each run's score is in "
            f"[{log.name}]({log.name}).\n"
        ),
        f"- **False passes: {len(found.false_passes)}**{_listed(found.false_passes)}",
        f"- Crashes of the validation: {len(found.crashes)}{_listed(found.crashes)}",
        f"- Runs that blamed something without a fault, or for another cause: {len(blamed)}{_listed(blamed)}",
        "",
        text_table(HEAD, found.rows()),
        "",
        (
            "Runs in which nothing had to be told, and how many of them passed (a validation that passes "
            "nothing has no false passes either):"
        ),
        "",
        text_table(("type", "passed"), healthy),
        "",
        *(f"Not drawn: `{kind}`, since {why}." for kind, why in NOT_DRAWN.items()),
        "",
        "To see one run again, with its verdicts:",
        "",
        "```text",
        f".venv/bin/python -m tests.bench.faults.show --seed {seed} NUMBER",
        "```",
        "",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _versions(found: Tally) -> str:
    told = [f"`{version}` ({count})" for version, count in found.versions.most_common()]
    return "version " + told[0].split(" ")[0] if len(told) == 1 else "versions " + ", ".join(told)


def _listed(numbers: list[int] | tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:12]))
    return f" (runs {shown}{', …' if len(numbers) > 12 else ''})" if numbers else ""
