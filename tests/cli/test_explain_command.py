"""``bedplate explain`` finds every id, and names the nearest for those that are none."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from bedplate.cli.registries import REGISTRIES, all_rows, find_row

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_rule_is_explained(bedplate: Bedplate) -> None:
    """What, why, how to mend and how to check by hand, for an id in any case."""
    done = bedplate("explain", "cap-003")
    assert done.returncode == 0
    assert done.stdout.startswith("CAP-003: ")
    for head in ("What\n", "Why\n", "To mend\n", "By hand\n"):
        assert head in done.stdout
    assert "`ultraserver-block`" in done.stdout


@pytest.mark.parametrize("check_id", ["SPC-002", "CAP-002", "GPU-001", "CLI-001"])
def test_ids_of_all_tables_are_found(check_id: str) -> None:
    """Rules, checks and the command line's own errors are explained from one place."""
    row = find_row(check_id)
    assert row is not None
    assert row.id == check_id


def test_unknown_ids_get_the_nearest(bedplate: Bedplate) -> None:
    """An id that is none is a usage error that names the nearest."""
    done = bedplate("explain", "CAP-0008")
    assert done.returncode == 2
    assert "Did you mean CAP-008?" in done.stderr


def test_without_an_id_all_are_listed(bedplate: Bedplate) -> None:
    """The list holds every id once, sorted, as text and as JSON."""
    listed = [line.split()[0] for line in bedplate("explain").stdout.splitlines()]
    assert listed == sorted(set(listed))
    assert listed == sorted(row.id for row in all_rows())
    assert [row["id"] for row in json.loads(bedplate("explain", "--json").stdout)] == listed


def test_each_family_is_in_the_table_that_is_named_for_it() -> None:
    """An id's letters lead to its table, so that explaining it imports no other."""
    families = [family for named in REGISTRIES.values() for family in named]
    assert len(families) == len(set(families))
    assert {row.id.partition("-")[0] for row in all_rows()} <= set(families)
