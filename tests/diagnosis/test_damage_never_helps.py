"""Deleting, cutting, doubling or swapping lines of what a tool printed never turns a non-pass into a pass.

Two exceptions are inherent, and not claimed. A kernel log from which exactly the line of an XID was deleted
looks like a healthy one. And where exactly one connection between nodes went over TCP, or without GPUDirect
RDMA, NCCL's log without that line looks like that of a healthy run: the other lines prove EFA, and how many
there must be NCCL decides. The answer's checksum guards against both; here such logs are doubled and swapped,
and the kernel's is cut at its ends. ``test_damage_of_samples`` does the same to real outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bedplate.diagnosis import gpu_tools, host_tools, tools
from bedplate.diagnosis.collective import judge_collective
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_exercise, judge_probe
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import answers, gpu_texts, host_texts, texts

P5EN = instance_type("p5en.48xlarge")
HOSTS = ("ip-10-1-0-11", "ip-10-1-0-12")
NAMES = texts.efa_names()

Operation = tuple[str, int, int]
Judge = Callable[[str], bool]
"""Whether a text passes in every check that reads it."""

OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "double", "swap", "cut line", "cut end", "cut head"]),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
    ),
    min_size=1,
    max_size=4,
)


def damaged(text: str, operations: list[Operation]) -> str:
    """The text with some lines deleted, doubled, swapped or cut, and its head or end cut off."""
    lines = text.splitlines()
    for kind, first, second in operations:
        if not lines:
            break
        at, other = first % len(lines), second % len(lines)
        if kind == "delete":
            del lines[at]
        elif kind == "double":
            lines.insert(other, lines[at])
        elif kind == "swap":
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == "cut line":
            lines[at] = lines[at][: second % (len(lines[at]) + 1)]
        elif kind == "cut end":
            lines = lines[: max(1, at)]
        else:
            lines = lines[min(at, len(lines) - 1) :]
    return "\n".join(lines) + "\n"


def _between(text: str) -> bool:
    judged = judge_collective(log=text, rc=0, timed_out=False, nodes=["i-1", "i-2"], instance_type=P5EN)
    return all(verdict.outcome is Outcome.PASS for verdict in judged.verdicts)


def _exercised(argv: tuple[str, ...]) -> Judge:
    def judge(text: str) -> bool:
        answer = answers.exercise_answer(runs={argv: text})
        judged = judge_exercise(
            NodeFacts(node="i-1", answer=answer, instance_type=P5EN, expected=NodeExpectation(dcgm_level=2))
        )
        well = {Outcome.PASS, Outcome.NOT_APPLICABLE}
        return all(verdict.outcome in well for verdict in judged.verdicts)

    return judge


def _probed(argv: tuple[str, ...]) -> Judge:
    def judge(text: str) -> bool:
        answer = answers.probe_answer(runs={argv: text})
        verdicts = judge_probe(NodeFacts(node="i-1", answer=answer, instance_type=P5EN))
        return all(verdict.outcome is Outcome.PASS for verdict in verdicts)

    return judge


def _rated(argv: tuple[str, ...]) -> Judge:
    def judge(text: str) -> bool:
        verdicts = _exercise_verdicts({argv: text}, NodeExpectation(throughput=True), P5EN)
        return all(verdicts[check] is Outcome.PASS for check in ("DCG-005", "DCG-006"))

    return judge


def _deep(text: str) -> bool:
    answer = {tools.dcgm_diag_argv(level=4): text}
    verdicts = _exercise_verdicts(answer, NodeExpectation(dcgm_level=4), P5EN)
    return all(verdicts[f"DCG-00{level}"] is Outcome.PASS for level in range(1, 5))


def _joined(text: str) -> bool:
    kind = instance_type("p6e-gb200.36xlarge")
    return (
        _exercise_verdicts({gpu_tools.IMEX_DOMAIN: text}, NodeExpectation(), kind)["IMX-001"] is Outcome.PASS
    )


def _exercise_verdicts(
    runs: dict[tuple[str, ...], str], expected: NodeExpectation, kind: InstanceType
) -> dict[str, Outcome]:
    answer = answers.exercise_answer(runs=runs)
    facts = NodeFacts(node="i-1", answer=answer, instance_type=kind, expected=expected)
    return {verdict.check_id: verdict.outcome for verdict in judge_exercise(facts).verdicts}


FAIL: dict[tuple[str, int], Any] = {
    ("memory", 5): ("Fail", [{"warning": "bit", "error_id": 57, "error_category": 2, "error_severity": 2}])
}
LONG: dict[tuple[str, int], Any] = {
    ("memtest", 2): ("Fail", [{"warning": "bit", "error_id": 58, "error_category": 2, "error_severity": 2}])
}
SKIP: dict[tuple[str, int], Any] = {("pcie", gpu): ("Skip", []) for gpu in range(8)}

BAD: dict[str, tuple[Judge, str]] = {
    "pair slow": (_between, texts.between_log(peak=200.0)),
    "pair slow in place only": (_between, texts.between_log(peaks={16 * texts.GIB: (470.0, 200.0)})),
    "wrong element": (_between, texts.between_log(wrong={1024: "1"})),
    "not checked": (_between, texts.between_log(wrong=dict.fromkeys(texts.SIZES, "N/A"))),
    "over tcp": (_between, texts.between_log(info={"socket": HOSTS})),
    "one host over tcp": (_between, texts.between_log(info={"socket": HOSTS[:1]})),
    "another provider": (_between, texts.between_log(info={"provider": dict.fromkeys(HOSTS, "tcp;ofi_rxm")})),
    "nic lost": (_between, texts.between_log(info={"nics": {HOSTS[1]: 15}})),
    "without gpudirect": (_between, texts.between_log(info={"gdrdma": False})),
    "one node only": (_between, texts.between_log(table_ranks=8)),
    "smaller sweep": (_between, texts.between_log(sizes=texts.SIZES[:-1])),
    "no footer": (_between, texts.between_log(footer=False)),
    "a run a node": (_between, "".join(texts.between_log(hosts=[host]) for host in HOSTS)),
    "crash behind the table": (
        _between,
        texts.between_log() + "Test NCCL failure a.cu:1 'x'\n .. h pid 1: Test failure a.cu:2\n" * 8,
    ),
    "node slow inside": (_exercised(answers.COLLECTIVE), texts.in_node_log(peak=300.0)),
    "dcgm 4 memory fails": (_exercised(answers.DIAG), texts.diag_v4(changes=FAIL)),
    "dcgm 4 skips": (_exercised(answers.DIAG), texts.diag_v4(changes=SKIP)),
    "dcgm 4 lacks a gpu": (_exercised(answers.DIAG), texts.diag_v4(gpus=7)),
    "dcgm 4 at level 1": (_exercised(answers.DIAG), texts.diag_v4(level=1)),
    "dcgm 3 memory fails": (_exercised(answers.DIAG), texts.diag_v3(statuses={"GPU Memory": "Fail"})),
    "dcgm 3 lacks a gpu": (_exercised(answers.DIAG), texts.diag_v3(gpus=7)),
    "gpu lost": (_probed(tools.NVIDIA_SMI), texts.gpu_table(gpus=7)),
    "ecc": (
        _probed(tools.NVIDIA_SMI),
        texts.gpu_table(changes={5: {"ecc.errors.uncorrected.volatile.total": "33"}}),
    ),
    "remap": (_probed(tools.NVIDIA_SMI), texts.gpu_table(changes={5: {"remapped_rows.failure": "Yes"}})),
    "link down": (_probed(tools.DCGMI_NVLINK), texts.link_table(links={3: "UUDUUUUUUUUUUUUUUU"})),
    "links missing": (_probed(tools.DCGMI_NVLINK), texts.link_table(links={3: "U" * 12 + "_" * 6})),
    "link inactive": (
        _probed(gpu_tools.NVIDIA_SMI_NVLINK),
        gpu_texts.link_speeds(changes={(2, 5): "<inactive>"}),
    ),
    "link slow": (
        _probed(gpu_tools.NVIDIA_SMI_NVLINK),
        gpu_texts.link_speeds(changes={(2, 5): "13.281 GB/s"}),
    ),
    "pcie link narrow": (
        _probed(gpu_tools.NVIDIA_SMI_DETAILS),
        gpu_texts.gpu_details(changes={5: {f"{gpu_texts.LINK}link_widths/current_link_width": "8x"}}),
    ),
    "gpu too hot": (
        _probed(gpu_tools.NVIDIA_SMI_DETAILS),
        gpu_texts.gpu_details(changes={5: {f"{gpu_texts.REASON}hw_thermal_slowdown": "Active"}}),
    ),
    "power limited": (
        _probed(gpu_tools.NVIDIA_SMI_DETAILS),
        gpu_texts.gpu_details(changes={5: {"gpu_power_readings/current_power_limit": "350.00 W"}}),
    ),
    "persistence off": (
        _probed(gpu_tools.NVIDIA_SMI_DETAILS),
        gpu_texts.gpu_details(every={"persistence_mode": "Disabled"}),
    ),
    "fabric not joined": (
        _probed(gpu_tools.NVIDIA_SMI_DETAILS),
        gpu_texts.gpu_details(every={"fabric/state": "In Progress", "fabric/status": "N/A"}),
    ),
    "fabric manager down": (
        _probed(gpu_tools.FABRIC_MANAGER_UNIT),
        gpu_texts.FABRIC_MANAGER_RUNS.replace("=active", "=failed"),
    ),
    "gpu slow": (
        _rated(gpu_tools.throughput_argv(model="H200")),
        gpu_texts.throughput(errors={("targeted_stress", 3): (50, gpu_texts.STRESS_LEVEL)}),
    ),
    "gpu memory slow": (
        _rated(gpu_tools.throughput_argv(model="H200")),
        gpu_texts.throughput(errors={("memory_bandwidth", 3): (62, gpu_texts.MEMORY)}),
    ),
    "dcgm 4 level 4 fails": (_deep, texts.diag_v4(level=4, changes=LONG)),
    "dcgm 4 at level 3": (_deep, texts.diag_v4(level=3)),
    "imex down": (_joined, gpu_texts.imex(status="DOWN", nodes={"10.0.0.1": "UNAVAILABLE"})),
    "imex peer away": (_joined, gpu_texts.imex(connections={("10.0.0.1", "10.0.0.2"): "INVALID"})),
    "efa lost": (_probed(tools.FI_INFO), texts.fabric_list(NAMES[:-1])),
    "clock free": (_probed(host_tools.CLOCK), host_texts.clock(leap="Not synchronised")),
    "clock off": (_probed(host_tools.CLOCK), host_texts.clock(offset=1.5)),
    "huge pages missing": (_probed(host_tools.HUGE_PAGES), "512\n"),
    "gdrcopy fails": (_exercised(host_tools.GDRCOPY_SANITY), host_texts.sanity(failed=("basic", "data"))),
    "memory slow in copies": (_rated(gpu_tools.NVBANDWIDTH), gpu_texts.copies(rates={3: 900.0})),
    "dcgm 3 table fails": (_exercised(answers.DIAG), texts.diag_table(memory="Fail - GPU: 3")),
}


WORDS = {"crash behind the table": "Test NCCL failure"}
"""What has to be left of a text that is bad by its tail alone.

Without its tail, and without its first line, it is word for word the log of an older nccl-tests that ended
well. The exit status tells then, which other tests hold.
"""


@pytest.mark.parametrize("name", BAD)
@given(operations=OPERATIONS)
@example(operations=[])
@settings(max_examples=40, deadline=None)
def test_no_damage_makes_a_bad_text_good(name: str, operations: list[Operation]) -> None:
    """Up to four operations on what a sick node printed leave it without a pass."""
    judge, text = BAD[name]
    left = damaged(text, operations)
    assume(WORDS.get(name, "") in left)
    assert not judge(left)


GOOD: dict[str, tuple[Judge, str]] = {
    "pair": (_between, texts.between_log()),
    "inside": (_exercised(answers.COLLECTIVE), texts.in_node_log()),
    "dcgm": (_exercised(answers.DIAG), texts.diag_v4()),
    "gpus": (_probed(tools.NVIDIA_SMI), texts.gpu_table()),
    "links": (_probed(tools.DCGMI_NVLINK), texts.link_table()),
    "details": (_probed(gpu_tools.NVIDIA_SMI_DETAILS), gpu_texts.gpu_details()),
    "fabric manager": (_probed(gpu_tools.FABRIC_MANAGER_UNIT), gpu_texts.FABRIC_MANAGER_RUNS),
    "rates": (_rated(gpu_tools.throughput_argv(model="H200")), gpu_texts.throughput()),
    "deep": (_deep, texts.diag_v4(level=4)),
    "imex": (_joined, gpu_texts.imex()),
}


@pytest.mark.parametrize("name", GOOD)
@given(at=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_good_text_that_was_cut_is_no_pass(name: str, at: int) -> None:
    """Three quarters of a healthy text, or less, are a partial answer; the whole of it passes."""
    judge, text = GOOD[name]
    assert judge(text)
    assert not judge(text[: at % (len(text) * 3 // 4)])


KERNEL = texts.kernel_log(
    *(f"NVRM: Xid (PCI:0000:53:00): 79, pid={pid}, name=a, GPU has fallen off the bus." for pid in range(9))
)


@given(
    operations=st.lists(
        st.tuples(st.sampled_from(["double", "swap"]), st.integers(0, 99), st.integers(0, 99)), max_size=6
    ),
    cut=st.integers(0, 2),
)
@settings(max_examples=100, deadline=None)
def test_a_sick_kernel_log_stays_sick(operations: list[Operation], cut: int) -> None:
    """Doubled and swapped lines, and a head that is gone, neither hide an XID nor prove its absence."""
    text = "\n".join(damaged(KERNEL, operations).splitlines()[cut:])
    assert not _probed(tools.KERNEL_LOG)(text)


def _one_channel(old: str, new: str) -> str:
    """A healthy log in which one connection is another."""
    assert old in texts.between_log()
    return texts.between_log().replace(old, new, 1)


ONE_CHANNEL = {
    "over tcp": _one_channel("via NET/Libfabric/3/GDRDMA", "via NET/Socket/0"),
    "without gpudirect": _one_channel("via NET/Libfabric/3/GDRDMA", "via NET/Libfabric/3"),
}


@pytest.mark.parametrize("name", ONE_CHANNEL)
@given(
    operations=st.lists(
        st.tuples(st.sampled_from(["double", "swap"]), st.integers(0, 10**6), st.integers(0, 10**6)),
        max_size=4,
    )
)
@settings(max_examples=40, deadline=None)
def test_one_bad_connection_stays_seen(name: str, operations: list[Operation]) -> None:
    """Doubled and swapped lines do not hide the one connection that did not go over EFA with GPUDirect."""
    assert not _between(damaged(ONE_CHANNEL[name], operations))


@pytest.mark.parametrize("name", ONE_CHANNEL)
def test_what_is_not_claimed_of_one_bad_connection(name: str) -> None:
    """The exception itself: without its only line nothing in the log tells of it."""
    text = ONE_CHANNEL[name]
    (changed,) = set(text.splitlines()) - set(texts.between_log().splitlines())
    assert not _between(text)
    assert _between(text.replace(changed + "\n", ""))


@pytest.mark.parametrize("lines", [slice(1, None), slice(3, None), slice(0, 2), slice(0, 4)])
def test_a_healthy_kernel_log_without_its_head_or_its_end_is_no_pass(lines: slice) -> None:
    """What the log does not hold, it does not rule out."""
    whole = texts.kernel_log("usb 1-1: new device", "eth0: link up").splitlines()
    assert _probed(tools.KERNEL_LOG)("\n".join(whole))
    assert not _probed(tools.KERNEL_LOG)("\n".join(whole[lines]))
