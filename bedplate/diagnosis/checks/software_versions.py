"""VER-001: the versions of a node's software go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType
from bedplate.hardware.software.compatibility import deviations, violations

ROW = CheckRow(
    id="VER-001",
    title="the versions of a node's software go together",
    what="The versions that the node tells (NVIDIA driver, EFA driver and installer, libfabric; NCCL and "
    "aws-ofi-nccl from NCCL's own log) are held against a table of minimums, needs and known faults, each "
    "with its source. Parts of different EFA installers, and pairs of plugin and NCCL that nobody tested, "
    "are findings. Where a tool that tells a version (kernel and DCGM too) gave no answer, it is an error.",
    why="A plugin that does not know the type runs on untuned, one that does not find its libfabric falls "
    "back to TCP, and either shows as a slow node.",
    fix="Bring the image to versions that belong together: one EFA installer brings driver, libfabric and "
    "plugin; an AWS Deep Learning AMI brings all.",
    by_hand="`cat /opt/amazon/efa_installed_packages; fi_info --version; modinfo -F version efa`, and the "
    "lines `NCCL version` and `Initializing aws-ofi-nccl` of a run with `NCCL_DEBUG=INFO`.",
)

_REMEDY = "Bring the image to versions that belong together, then launch the nodes anew."


def check(
    *,
    node: str,
    versions: Mapping[str, str],
    exercised: bool,
    unread: Mapping[str, str] | None = None,
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where the table forbids what is told, error where the node does not tell what it was asked.
    ``unread`` is component → why what the node says of it cannot be trusted.

    ``exercised`` says whether NCCL ran on the node and could tell its own version and its plugin's.
    """
    writer = Writer(
        check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=0, unit="mismatches"
    )
    wrong = violations(versions=versions, instance_type=instance_type.name)
    if wrong:
        return writer.failed(
            wrong[0].text if len(wrong) == 1 else f"{len(wrong)} versions do not go together",
            cause="software-incompatible",
            measured=len(wrong),
            lines=[f"{each.text} ({each.source})" for each in wrong],
            remedy=_REMEDY,
        )
    told_twice = sorted(name for name, version in versions.items() if "," in version)
    if told_twice:
        return writer.error(
            f"The node tells two versions of {', '.join(told_twice)}",
            lines=[f"{name}: {versions[name]}" for name in told_twice],
        )
    doubts = [
        f"{name}: {why}" for name, why in sorted((unread or {}).items()) if _is_asked(name, instance_type)
    ]
    if doubts:
        return writer.error(f"The node's version cannot be read of {doubts[0]}", lines=doubts)
    needed = needed_components(instance_type)
    silent = [name for name in (*needed, *(_OF_NCCL if exercised else ())) if not versions.get(name)]
    if silent:
        return writer.error(f"The node does not tell its version of {', '.join(silent)}")
    if needs_nccl(instance_type) and not exercised:
        return writer.not_tested("NCCL and its plugin did not run, so their versions are not known")
    findings = [warning(f"{each.text} ({each.source})") for each in deviations(versions)]
    if instance_type.efa_count and not versions.get("efa-driver"):
        findings.append(info("the EFA driver tells no version, as the kernel's own does"))
    return writer.passed(
        "The versions go together",
        measured=0,
        findings=findings,
        lines=[f"{name} {version}" for name, version in sorted(versions.items())],
    )


_OF_EFA = frozenset({"efa-driver", "efa-installer", "libfabric"})


def _is_asked(component: str, instance_type: InstanceType) -> bool:
    return component not in _OF_EFA or instance_type.efa_count > 0


_OF_NCCL = ("nccl", "aws-ofi-nccl")


def needed_components(instance_type: InstanceType) -> tuple[str, ...]:
    """What the probe of a type must tell; an EFA driver that came with the kernel has no version to tell."""
    return ("nvidia-driver", *(("libfabric",) if instance_type.efa_count else ()))


def needs_nccl(instance_type: InstanceType) -> bool:
    """Whether NCCL runs on nodes of the type, over EFA."""
    return instance_type.gpus > 1 and instance_type.efa_count > 0


CHECK = Check(row=ROW, stage=ENGINE)
