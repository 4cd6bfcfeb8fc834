"""NOD-003: the huge pages that EFA takes its buffers from are set aside."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis import host_tools
from bedplate.diagnosis.check import PROBE, Check, has_efa
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer, info, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.huge_pages import parse_huge_page_count, parse_huge_page_kib
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType
from bedplate.hardware.huge_pages import EFA_HUGE_PAGE_KIB, EFA_HUGE_PAGES, LARGEST_HUGE_PAGE_KIB, SOURCE

ROW = CheckRow(
    id="NOD-003",
    title="the huge pages that EFA takes its buffers from are set aside",
    what=f"The kernel holds {EFA_HUGE_PAGES} huge pages of 2 MiB or as much in others. Where the default "
    "page is larger than 16 MiB (arm64 with pages of 64 KiB), EFA's own set-up reserves none and nothing is "
    "owed.",
    why="libfabric takes about 110 MB of buffers for each endpoint from huge pages, and falls back to small "
    "ones in silence, which cost time in every message. Pages are only to be had while memory is in one "
    "piece, that is early after boot.",
    fix="Reboot the node: the bootstrap has set `vm.nr_hugepages` for the next boot. If they stay away, look "
    "for what takes memory at boot.",
    by_hand="`grep Huge /proc/meminfo`.",
)


def check(
    *,
    node: str,
    count: Reading[int],
    page_kib: Reading[int],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where fewer are set aside, error where the kernel does not tell, else pass."""
    wanted_mib = EFA_HUGE_PAGES * EFA_HUGE_PAGE_KIB // 1024
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=wanted_mib,
        unit="MiB",
        source=SOURCE,
    )
    if instance_type.efa_count == 0:
        return writer.not_applicable(f"{instance_type.name} has no EFA")
    if page_kib.record is None or page_kib.problem:
        return writer.error(f"The size of huge pages cannot be read: {page_kib.problem}")
    if count.record is None or count.problem:
        return writer.error(f"Huge pages cannot be counted: {count.problem}", remedy=LOOK_AGAIN)
    held_mib = count.record * page_kib.record // 1024
    lines = [f"{count.record} pages of {page_kib.record} KiB"]
    if page_kib.record > LARGEST_HUGE_PAGE_KIB:
        return writer.passed(
            f"Huge pages are of {page_kib.record // 1024} MiB here, of which EFA takes none",
            measured=held_mib,
            findings=[info("EFA's buffers are in small pages on this kernel")],
            lines=lines,
        )
    if held_mib < wanted_mib:
        return writer.failed(
            f"{held_mib} of {wanted_mib} MiB of huge pages are set aside",
            cause="huge-pages-missing",
            measured=held_mib,
            lines=lines,
        )
    return writer.passed(f"{held_mib} MiB of huge pages are set aside", measured=held_mib, lines=lines)


def _page_kib(facts: NodeFacts) -> Reading[int]:
    files = facts.answer.get("files")
    text = files.get("meminfo") if isinstance(files, dict) else None
    if not isinstance(text, str):
        return Reading(None, "the answer does not hold /proc/meminfo")
    try:
        return Reading(parse_huge_page_kib(text))
    except ParseError as error:
        return Reading(None, str(error))


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        count=read_tool(answer=facts.answer, argv=host_tools.HUGE_PAGES, parse=parse_huge_page_count),
        page_kib=_page_kib(facts),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, applies=has_efa, judge=_judge, keeps_out=False)
