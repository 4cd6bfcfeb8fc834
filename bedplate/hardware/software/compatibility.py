"""What the tables say of one node's versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bedplate.hardware.software.rows import BUNDLES, KNOWN_BAD, MINIMUMS, NEEDS, TESTED, Bundle
from bedplate.hardware.software.version import at_least, begins_with, version_key

INSTALLER, LIBFABRIC, PLUGIN, DRIVER, NCCL = (
    "efa-installer",
    "libfabric",
    "aws-ofi-nccl",
    "efa-driver",
    "nccl",
)


@dataclass(frozen=True)
class Mismatch:
    """One thing that does not go together, in words, with the document that says so."""

    text: str
    source: str


def violations(*, versions: Mapping[str, str], instance_type: str) -> tuple[Mismatch, ...]:
    """What a table forbids: too old for the type, too old for another component, or known to be bad.

    ``versions`` is component → version; what is not told violates nothing.
    """
    return (*_too_old(versions, instance_type), *_unmet(versions), *_bad(versions))


def deviations(versions: Mapping[str, str]) -> tuple[Mismatch, ...]:
    """What is unusual and forbidden by nothing: parts of different installers, pairs that nobody tested."""
    return (*_mixed(versions), *_untested(versions))


def _too_old(versions: Mapping[str, str], instance_type: str) -> Iterator[Mismatch]:
    for row in MINIMUMS:
        told = versions.get(row.component)
        if told and instance_type in row.types and not at_least(told, row.version):
            yield Mismatch(
                f"{row.component} {told} is too old for {instance_type}: {row.version} or newer", row.source
            )


def _unmet(versions: Mapping[str, str]) -> Iterator[Mismatch]:
    for row in NEEDS:
        told, other = versions.get(row.component), versions.get(row.other)
        if told and other and at_least(told, row.since) and not at_least(other, row.least):
            yield Mismatch(
                f"{row.component} {told} needs {row.other} {row.least} or newer; it is {other}", row.source
            )


def _bad(versions: Mapping[str, str]) -> Iterator[Mismatch]:
    for row in KNOWN_BAD:
        told = versions.get(row.component)
        if told and version_key(told) == version_key(row.version):
            yield Mismatch(
                f"{row.component} {told} is known to be bad ({row.what}); {row.fixed_in} mends it", row.source
            )


def _bundle(installer: str | None) -> Bundle | None:
    key = version_key(installer or "")
    return next((row for row in BUNDLES if key and version_key(row.installer) == key), None)


def _mixed(versions: Mapping[str, str]) -> Iterator[Mismatch]:
    row = _bundle(versions.get(INSTALLER))
    if row is None:
        return
    for component, brought in ((LIBFABRIC, row.libfabric), (PLUGIN, row.plugin), (DRIVER, row.driver)):
        told = versions.get(component)
        if told and brought and not begins_with(told, brought):
            yield Mismatch(
                f"{component} is {told}; EFA installer {row.installer} brings {brought}", row.source
            )


def _untested(versions: Mapping[str, str]) -> Iterator[Mismatch]:
    plugin, nccl = versions.get(PLUGIN), versions.get(NCCL)
    row = next((row for row in TESTED if plugin and begins_with(plugin, row.plugin)), None)
    if row is None or not nccl:
        return
    series = version_key(nccl)[:2]
    if not version_key(row.oldest) <= series <= version_key(row.newest):
        span = row.oldest if row.oldest == row.newest else f"{row.oldest} to {row.newest}"
        yield Mismatch(
            f"{PLUGIN} {plugin} was tested with NCCL {span}; NCCL is {nccl}",
            "aws/aws-ofi-nccl: release notes",
        )
