"""VER-002: the nodes of a pool carry the same software."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.support import Writer, warning
from bedplate.diagnosis.verdict import CLUSTER, Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

DECISIVE = (
    "nvidia-driver",
    "efa-driver",
    "efa-installer",
    "libfabric",
    "libfabric-api",
    "nccl",
    "aws-ofi-nccl",
)
"""What takes part in a collective; all else (kernel, DCGM) is told as a finding."""

ROW = CheckRow(
    id="VER-002",
    title="the nodes of a pool carry the same software",
    what="Every node of a pool tells the same version of the NVIDIA driver, the EFA driver and installer, "
    "libfabric, NCCL and aws-ofi-nccl. Other differences (kernel, DCGM) are findings. Nodes whose versions "
    "already failed VER-001 are named there and left out here.",
    why="One rank with another plugin or libfabric can be slow, hang or fail in every job that it is in, and "
    "looks like bad hardware. Nodes launched at different times from an image that moved differ so.",
    fix="Bring all nodes of a pool to one image: pin it (`bedplate lock`), then launch the odd ones anew.",
    by_hand="`srun -N 8 --ntasks-per-node=1 cat /opt/amazon/efa_installed_packages | sort | uniq -c`, and "
    "the same with `modinfo -F version efa nvidia`.",
)


def check(
    *,
    pool: str,
    versions: Mapping[str, Mapping[str, str]],
    silent: Sequence[str] = (),
    left_out: Sequence[str] = (),
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where a decisive version differs, not-tested where not every node told, else pass.

    ``versions`` is node → component → version; ``silent`` are the pool's nodes that told nothing,
    ``left_out`` those that VER-001 names already.
    """
    writer = Writer(check_id=ROW.id, subject=CLUSTER, evidence=evidence, expected=1, unit="sets of versions")
    decisive = {name: _only(found, DECISIVE) for name, found in versions.items()}
    told = {name: found for name, found in decisive.items() if found}
    quiet = len(versions) - len(told) + len(silent)
    sets = len({tuple(sorted(found.items())) for found in told.values()})
    differing = [each for each in DECISIVE if len(_spread(told, each)) > 1]
    findings = _findings(versions)
    if differing:
        return writer.failed(
            f"pool {pool}: {', '.join(differing)} differ between nodes",
            cause="version-skew",
            measured=sets,
            lines=[_line(told, component) for component in differing],
            findings=findings,
        )
    total = len(versions) + len(silent) + len(left_out)
    if len(told) < 2:
        return writer.not_tested(f"pool {pool}: {len(told)} of {total} nodes told versions to compare")
    unknown = [each for each in DECISIVE if 0 < sum(each in found for found in told.values()) < len(told)]
    if unknown or quiet or left_out:
        why = f"{', '.join(unknown)} not told by all" if unknown else f"{quiet} nodes told nothing"
        why = why if unknown or quiet else f"{len(left_out)} nodes are at fault by VER-001"
        return writer.not_tested(
            f"pool {pool}: {len(told)} of {total} nodes carry the same software; {why}",
            measured=sets,
            remedy="Mend what kept the others from telling, then validate again.",
        )
    return writer.passed(
        f"pool {pool}: all {total} nodes carry the same software", measured=sets, findings=findings
    )


def _only(versions: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    return {name: versions[name] for name in names if versions.get(name)}


def _spread(versions: Mapping[str, Mapping[str, str]], component: str) -> Counter[str]:
    return Counter(found[component] for found in versions.values() if found.get(component))


def _line(versions: Mapping[str, Mapping[str, str]], component: str) -> str:
    """``nvidia-driver: 570.1 on 7 nodes, 580.2 on i-0001``: nodes are named where they are few."""
    parts = []
    for version, count in _spread(versions, component).most_common():
        names = sorted(name for name, found in versions.items() if found.get(component) == version)
        parts.append(f"{version} on {', '.join(names) if count <= 2 else f'{count} nodes'}")
    return f"{component}: {', '.join(parts)}"


def _findings(versions: Mapping[str, Mapping[str, str]]) -> list[Finding]:
    return [
        warning(_line(versions, component), remedy="Bring all nodes of a pool to one image.")
        for component in _others(versions)
        if len(_spread(versions, component)) > 1
    ]


def _others(versions: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield from sorted({name for found in versions.values() for name in found} - set(DECISIVE))


def _several(_instance_type: InstanceType, nodes: int) -> bool:
    return nodes > 1


CHECK = Check(row=ROW, stage=ENGINE, applies=_several, subject="cluster")
