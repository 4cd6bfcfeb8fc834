"""Progress: each place gets the player that fits, and lines on standard error that can be read later."""

from __future__ import annotations

import io
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from bedplate.validation.progress import NullProgress, PlainProgress, Progress, RichProgress, progress_for


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "quiet", "player"),
    [
        (_Terminal(), {}, False, RichProgress),
        (_Terminal(), {"CI": "true"}, False, PlainProgress),
        (_Terminal(), {"NO_COLOR": "1"}, False, PlainProgress),
        (_Terminal(), {"TERM": "dumb"}, False, PlainProgress),
        (io.StringIO(), {}, False, PlainProgress),
        (_Terminal(), {}, True, NullProgress),
    ],
)
def test_the_player_fits_the_place(
    stream: io.StringIO, environ: dict[str, str], quiet: bool, player: type[Progress]
) -> None:
    """A live line on a terminal, plain lines in CI, pipes and without colours, nothing when quiet."""
    progress = progress_for(quiet=quiet, stream=stream, environ=environ)
    try:
        assert type(progress) is player
    finally:
        progress.close()


def test_plain_lines_carry_time_phase_and_count() -> None:
    """Every event is one line with the time of day, the phase and how far it is."""
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.phase("Probe nodes", 2)
    progress.advance("h200-1 answered")
    progress.note("h200-2 is slow")
    progress.advance()
    progress.phase("Fabric")
    progress.advance("round 1")
    progress.close()
    progress.close()
    lines = stream.getvalue().splitlines()
    assert all(re.match(r"\d\d:\d\d:\d\dZ  ", line) for line in lines)
    said = [re.sub(r"[\d.]+ s$", "N s", line[11:]) for line in lines]
    assert said == [
        "Probe nodes (0/2)",
        "Probe nodes (1/2): h200-1 answered",
        "h200-2 is slow",
        "Probe nodes (2/2)",
        "Probe nodes: N s",
        "Fabric",
        "Fabric (1): round 1",
        "Fabric: N s",
    ]


def test_steps_from_several_threads_are_all_counted() -> None:
    """Nodes that answer at once each count, and no line is torn."""
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.phase("Probe", 200)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: progress.advance(str(i)), range(200)))
    progress.close()
    assert "Probe (200/200)" in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 202


def test_the_live_line_keeps_finished_phases_on_the_screen() -> None:
    """On a terminal each phase stays with its count, notes stay too, and text is never markup."""
    stream = _Terminal()
    progress = RichProgress(stream)
    progress.phase("Probe [nodes]", 1)
    progress.advance("[b]answered[/b]")
    progress.note("[red]note[/red]")
    progress.phase("Fabric")
    progress.advance()
    progress.close()
    progress.close()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())
    for part in ("Probe [nodes]", "1/1", "[red]note[/red]", "Fabric"):
        assert part in text


def test_null_progress_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The silent player prints nothing at all."""
    progress = NullProgress()
    progress.phase("x", 1)
    progress.advance("y")
    progress.note("z")
    progress.close()
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")
