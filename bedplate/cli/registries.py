"""Where explanations come from: one table for each family of ids, imported when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec

from bedplate.explanation import CheckRow

REGISTRIES = {
    "bedplate.spec.catalogue": ("SPC", "CAP", "NET", "STO", "ORC", "VAL", "OBS"),
    "bedplate.diagnosis.checks": (
        "GPU",
        "NVL",
        "EFA",
        "DCG",
        "NCL",
        "FAB",
        "NOD",
        "NVM",
        "FSX",
        "CLK",
        "GDR",
        "VER",
        "IMX",
        "KUB",
    ),
    "bedplate.capacity.lock_rows": ("LCK",),
    "bedplate.slurm.jobs.rows": ("JOB",),
    "bedplate.cli.catalogue": ("CLI",),
    "bedplate.validation.aws_rows": ("AWS",),
    "bedplate.validation.reports.rows": ("RES",),
    "bedplate.validation.actions.rows": ("ACT",),
    "bedplate.validation.run_rows": ("RUN",),
    "bedplate.validation.transports.kubernetes.rows": ("KAP",),
    "bedplate.validation.baselines.rows": ("BAS",),
    "bedplate.validation.preflight": ("PRE",),
    "bedplate.stacks.rows": ("APP", "IMG"),
    "bedplate.sandbox.rows": ("SBX", "DEM"),
}
"""Module with a mapping ``ROWS`` → the families that it explains. Cheap ones first."""


def find_row(check_id: str) -> CheckRow | None:
    """Return the explanation of an id; the table of its family is imported first."""
    family = check_id.partition("-")[0]
    ordered = sorted(REGISTRIES, key=lambda module: family not in REGISTRIES[module])
    return next((rows[check_id] for rows in map(rows_of, ordered) if check_id in rows), None)


def all_rows() -> Iterator[CheckRow]:
    """Yield every explanation of every table that this installation has."""
    for module in REGISTRIES:
        yield from rows_of(module).values()


def rows_of(module: str) -> Mapping[str, CheckRow]:
    """Return the table of a module; empty where this installation has no such module."""
    try:
        there = find_spec(module) is not None
    except ModuleNotFoundError:
        there = False
    rows: Mapping[str, CheckRow] = getattr(import_module(module), "ROWS", {}) if there else {}
    return rows
