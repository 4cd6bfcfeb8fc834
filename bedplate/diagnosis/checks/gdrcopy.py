"""GDR-001: GDRCopy maps a GPU's memory for the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis import host_tools
from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer, info, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.gdrcopy import (
    GdrCopyBandwidth,
    GdrCopySanity,
    parse_gdrcopy_copybw,
    parse_gdrcopy_sanity,
)
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

STAGE = "gdrcopy"

ROW = CheckRow(
    id="GDR-001",
    title="GDRCopy maps a GPU's memory for the CPU",
    what="The kernel module gdrdrv is loaded, GDRCopy's own `gdrcopy_sanity` makes its tests on a GPU and "
    "none fails; tests that it waives are told. What `gdrcopy_copybw` writes and reads is told and not "
    "judged: no rate is published for these types.",
    why="libfabric's EFA provider copies small messages to and from GPU memory through GDRCopy. Without it "
    "each takes a copy by the CUDA driver, and messages of a few kilobytes are several times slower.",
    fix="Load the module (`modprobe gdrdrv`), or install GDRCopy built for the running kernel and NVIDIA "
    "driver; the AWS Deep Learning AMIs bring it.",
    by_hand="`lsmod | grep gdrdrv; gdrcopy_sanity -v; gdrcopy_copybw`.",
)


def check(
    *,
    node: str,
    module: str | None,
    sanity: Reading[GdrCopySanity],
    bandwidth: Reading[GdrCopyBandwidth],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where the module is not loaded or a test fails, error where the tests were not made, else pass.

    ``module`` is the loaded module's version, empty where it does not tell, None where it is not loaded.
    """
    writer = Writer(
        check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=0, unit="failed tests"
    )
    if not instance_type.has_gpudirect_rdma:
        return writer.not_applicable(f"{instance_type.name} has no GPUDirect RDMA")
    tests = sanity.record
    if module is None or (tests is not None and tests.no_driver):
        return writer.failed("The kernel module gdrdrv is not loaded", cause="gdrcopy-off")
    if tests is not None and tests.failed:
        return writer.failed(
            f"{tests.failed} of {tests.total} tests of GDRCopy failed",
            cause="gdrcopy-off",
            measured=tests.failed,
            lines=tests.names,
        )
    if tests is None or sanity.problem:
        return writer.error(f"GDRCopy was not tested: {sanity.problem}", remedy=_remedy(sanity.problem))
    if not tests.well:
        return writer.error(f"GDRCopy waived all of its {tests.total} tests")
    if bandwidth.record is None or bandwidth.problem:
        return writer.error(
            f"GDRCopy's rate was not measured: {bandwidth.problem}", remedy=_remedy(bandwidth.problem)
        )
    rates = bandwidth.record
    findings = [info(f"{tests.waived} tests were waived by GDRCopy")] if tests.waived else []
    return writer.passed(
        f"{tests.passed} tests of GDRCopy {module} passed".replace("  ", " "),
        measured=0,
        findings=findings,
        lines=[f"writes {rates.write_gb_per_s:.2f} GB/s, reads {rates.read_gb_per_s:.3f} GB/s"],
    )


def _remedy(problem: str) -> str:
    if "No such file" in problem:
        return "Install GDRCopy's tests (package gdrcopy-tests) on the image, then validate again."
    return LOOK_AGAIN


def _module(answer: Mapping[str, object]) -> tuple[bool, str | None]:
    """Whether the stage ran, and the module that it found."""
    stages = answer.get("stages")
    stage = stages.get(STAGE) if isinstance(stages, dict) else None
    if not isinstance(stage, dict) or "module" not in stage:
        return False, None
    module = stage["module"]
    return (True, module) if module is None or isinstance(module, str) else (False, None)


def _has_gpudirect(instance_type: InstanceType, _nodes: int) -> bool:
    return instance_type.has_gpudirect_rdma


def _judge(facts: NodeFacts) -> Verdict:
    ran, module = _module(facts.answer)
    if not ran and facts.instance_type.has_gpudirect_rdma:
        writer = Writer(check_id=ROW.id, subject=node_subject(facts.node), evidence=facts.evidence)
        return writer.error("GDRCopy was not tested: the answer holds nothing of it")
    return check(
        node=facts.node,
        module=module,
        sanity=read_tool(
            answer=facts.answer, argv=host_tools.GDRCOPY_SANITY, parse=parse_gdrcopy_sanity, with_stderr=True
        ),
        bandwidth=read_tool(answer=facts.answer, argv=host_tools.GDRCOPY_COPYBW, parse=parse_gdrcopy_copybw),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=EXERCISE, applies=_has_gpudirect, judge=_judge, keeps_out=False)
