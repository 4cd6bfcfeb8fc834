"""The front door for a run between nodes: one log in, transport and bandwidth out."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.collective import CollectiveJudgement, Suspect, judge_collective
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import texts

HOSTS = ("ip-10-1-0-11", "ip-10-1-0-12")


def _judge(log: str, kind: InstanceType, **changes: Any) -> CollectiveJudgement:
    arguments: dict[str, Any] = {"rc": 0, "timed_out": False, "nodes": ["i-1", "i-2"], **changes}
    return judge_collective(log=log, instance_type=kind, **arguments)


def test_a_healthy_run_passes_both(p5en: InstanceType) -> None:
    """EFA with GPUDirect, 16 devices a node, 16 ranks, above the floor."""
    judgement = _judge(texts.between_log(), p5en, evidence=["run.json"])
    assert [verdict.check_id for verdict in judgement.verdicts] == ["NCL-002", "NCL-003"]
    assert {verdict.outcome for verdict in judgement.verdicts} == {Outcome.PASS}
    assert {verdict.subject for verdict in judgement.verdicts} == {CLUSTER}
    assert (judgement.ranks, judgement.busbw_gb_per_s, judgement.problem) == (16, 470.0, "")
    assert [each.size_bytes for each in judgement.measurements] == [1 << 30, 1 << 34]
    assert {(each.scope, each.nodes) for each in judgement.measurements} == {("all-nodes", ("i-1", "i-2"))}
    assert judgement.transport.evidence == ("run.json",)


def test_a_pair_is_about_its_link(p5en: InstanceType) -> None:
    """The subject of a pair is the link between its two nodes."""
    judgement = _judge(texts.between_log(), p5en, scope="pair")
    assert judgement.bandwidth.subject == Subject("link", ("i-1", "i-2"))
    assert {each.scope for each in judgement.measurements} == {"pair"}


def test_eight_nodes_and_another_collective_pass(p5en: InstanceType) -> None:
    """64 ranks over all-gather of p5, where a figure is published for a pair."""
    p5 = instance_type("p5.48xlarge")
    info = {"nics": dict.fromkeys(HOSTS, 32)}
    judgement = _judge(
        texts.between_log(collective="all_gather", peak=340.0, info=info), p5, collective="all_gather"
    )
    assert judgement.outcome is Outcome.PASS
    hosts = [f"ip-10-1-0-{index}" for index in range(8)]
    whole = _judge(
        texts.between_log(hosts=hosts, peak=370.0), p5en, nodes=[f"i-{index}" for index in range(8)]
    )
    assert (whole.outcome, whole.ranks) == (Outcome.PASS, 64)


def test_slow_nodes_fail_without_blaming_one(p5en: InstanceType) -> None:
    """Below the floor the run fails; who is at fault the search says."""
    judgement = _judge(texts.between_log(peak=200.0), p5en)
    assert (judgement.transport.outcome, judgement.bandwidth.outcome) == (Outcome.PASS, Outcome.FAIL)
    assert (judgement.bandwidth.cause, judgement.busbw_gb_per_s) == (None, 200.0)


def test_tcp_is_found_and_its_host_suspected(p5en: InstanceType) -> None:
    """A host that fell back to sockets is named by NCCL's own log."""
    judgement = _judge(texts.between_log(info={"socket": [HOSTS[1]]}), p5en)
    assert (judgement.transport.outcome, judgement.transport.cause) == (Outcome.FAIL, "efa-fallback-socket")
    assert judgement.suspects == (Suspect(HOSTS[1], "efa-fallback-socket"),)


@pytest.mark.parametrize(
    "words", ["Failed to initialize any NET plugin", "Error: network AWS Libfabric not found."]
)
def test_a_host_without_the_plugin_that_was_asked_for_is_suspected(words: str, p5en: InstanceType) -> None:
    """NCCL is told to use the plugin and ends without it: the host is named, nothing fell back in silence."""
    log = (
        f"8: {HOSTS[1]}:41:42 [0] plugin/net.cc:334 NCCL WARN {words}\n"
        f"8: {HOSTS[1]}: Test NCCL failure common.cu:1279 'invalid usage / {words}'\n"
    )
    judgement = _judge(log, p5en, rc=3)
    assert (judgement.transport.outcome, judgement.transport.cause) == (Outcome.FAIL, "efa-fallback-socket")
    assert judgement.suspects == (Suspect(HOSTS[1], "efa-fallback-socket"),)
    assert judgement.bandwidth.outcome is Outcome.ERROR
    assert judgement.busbw_gb_per_s is None


def test_a_bandwidth_over_another_transport_is_no_pass(p5en: InstanceType) -> None:
    """Fast enough, and not over EFA: measured something else."""
    judgement = _judge(texts.between_log(info={"socket": HOSTS}), p5en)
    assert judgement.bandwidth.outcome is Outcome.ERROR
    assert "the transport is not" in judgement.bandwidth.summary


@pytest.mark.parametrize("provider", ["tcp;ofi_rxm", "efa;ofi_rxd", "sockets", "EFA2"])
def test_only_the_provider_efa_is_efa(provider: str, p5en: InstanceType) -> None:
    """A layered or another provider is a fallback."""
    judgement = _judge(texts.between_log(info={"provider": {HOSTS[0]: provider}}), p5en)
    assert judgement.transport.cause == "efa-fallback-socket"


def test_a_host_with_too_few_devices_is_suspected(p5en: InstanceType) -> None:
    """15 of 16 NICs on one host."""
    judgement = _judge(texts.between_log(info={"nics": {HOSTS[0]: 15}}), p5en)
    assert (judgement.transport.outcome, judgement.transport.cause) == (Outcome.FAIL, "efa-device-lost")
    assert judgement.suspects == (Suspect(HOSTS[0], "efa-device-lost"),)


def test_more_devices_than_the_type_has_prove_nothing(p5en: InstanceType) -> None:
    """17 NICs where 16 EFAs are attached: whatever was counted, it was not the type's EFAs."""
    judgement = _judge(texts.between_log(info={"nics": dict.fromkeys(HOSTS, 17)}), p5en)
    assert judgement.transport.outcome is Outcome.ERROR
    assert "found 17 NICs" in judgement.transport.summary


def test_a_network_that_is_not_the_plugins_proves_nothing(p5en: InstanceType) -> None:
    """The plugin was loaded and told its provider, and NCCL took its own InfiniBand transport."""
    judgement = _judge(texts.between_log().replace("via NET/Libfabric/", "via NET/IB/"), p5en)
    assert judgement.transport.outcome is Outcome.ERROR
    assert "channels go over IB" in judgement.transport.summary
    assert judgement.bandwidth.outcome is not Outcome.PASS


def test_data_that_bounces_through_the_host_fails_where_the_type_has_gpudirect(p5en: InstanceType) -> None:
    """No GDRDMA behind the network's name."""
    judgement = _judge(texts.between_log(info={"gdrdma": False}), p5en)
    assert (judgement.transport.outcome, judgement.transport.cause) == (Outcome.FAIL, "gpudirect-off")


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (texts.between_log(table_ranks=8), "8 ranks, asked were 16"),
        (texts.between_log(info={"ranks_told": 8}), "NCCL tells of 8 ranks"),
        (texts.between_log(hosts=HOSTS[:1], table_ranks=16), "NCCL tells of 8 ranks"),
        (texts.in_node_log(info=False), "no NCCL message"),
        ("", "neither a table"),
    ],
)
def test_a_run_that_did_not_span_the_nodes_is_not_proven(log: str, words: str, p5en: InstanceType) -> None:
    """Ranks by NCCL and ranks by ratio must both be those that were asked for."""
    judgement = _judge(log, p5en)
    assert judgement.transport.outcome is Outcome.ERROR
    assert words in judgement.transport.summary
    assert judgement.bandwidth.outcome is not Outcome.PASS


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("Selected provider", "does not tell its libfabric provider"),
        ("[send] via NET", "no channel leaves"),
        ("rank 11 nranks", "15 of 16 ranks"),
    ],
)
def test_what_a_log_does_not_show_is_not_proven(gone: str, words: str, p5en: InstanceType) -> None:
    """Provider, channels and ranks of every host must be there."""
    lines = [
        line
        for line in texts.between_log().splitlines()
        if gone not in line or ("rank 11" not in gone and HOSTS[1] not in line)
    ]
    judgement = _judge("\n".join(lines), p5en)
    assert judgement.transport.outcome is Outcome.ERROR
    assert words in judgement.transport.summary


def test_an_old_plugin_that_does_not_count_its_nics_proves_nothing(p5en: InstanceType) -> None:
    """Before 1.6 the provider's line has no count."""
    log = texts.between_log().replace(", fabric is efa-direct (found 16 nics)", "")
    judgement = _judge(log, p5en)
    assert judgement.transport.outcome is Outcome.ERROR
    assert "too old" in judgement.transport.summary


def test_a_hang_fails_with_its_cause(p5en: InstanceType) -> None:
    """Past its deadline: a failed test, whatever it had printed; no bandwidth."""
    judgement = _judge(texts.between_log(footer=False), p5en, rc=None, timed_out=True)
    assert (judgement.bandwidth.outcome, judgement.bandwidth.cause) == (Outcome.FAIL, "collective-hang")
    assert (judgement.hung, judgement.busbw_gb_per_s) == (True, None)


@pytest.mark.parametrize(
    ("log", "rc"),
    [
        ("srun: error: Unable to allocate resources: Requested nodes are busy\n", 1),
        (texts.between_log(), 3),
        (texts.between_log(), None),
        (texts.between_log(footer=False), 0),
        (texts.between_log() + "srun: error: gpu-2: task 3: Exited with exit code 2\n", 0),
    ],
)
def test_a_run_that_ended_badly_is_an_error(log: str, rc: int | None, p5en: InstanceType) -> None:
    """Refused, crashed, killed, cut: no bandwidth is taken from it."""
    judgement = _judge(log, p5en, rc=rc)
    assert judgement.bandwidth.outcome is Outcome.ERROR
    assert (judgement.busbw_gb_per_s, judgement.measurements, judgement.bandwidth.cause) == (None, (), None)
    assert judgement.problem


def test_a_refused_launch_is_told_from_a_crash(p5en: InstanceType) -> None:
    """The scheduler's refusal blames no node, and may be tried again."""
    busy = _judge("srun: error: Unable to allocate resources: Requested nodes are busy\n", p5en, rc=1)
    assert busy.launch_failed
    assert not _judge(texts.between_log(), p5en, rc=3).launch_failed


STARTED = "\n".join(texts.between_log(footer=False).splitlines()[:40]) + "\n"
REPORT = "h: Test NCCL failure common.cu:1 'remote process exited or there was a network error'\n"


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (
            "p: error while loading shared libraries: libnccl.so.2: cannot open shared object file\n",
            "library",
        ),
        ("srun: error: gpu-2: task 8: Segmentation fault (core dumped)\n", "a signal"),
        ("MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD\n", "MPI ended"),
        ("h: Test CUDA failure common.cu:1079 'initialization error'\n", "CUDA does not start"),
        (REPORT + "srun: error: gpu-2: task 8: Bus error\n", "a signal"),
        ("srun: error: gpu-2: task 8: Exited with exit code 9\n", "exit code 9"),
    ],
)
def test_a_crash_fails_with_what_its_first_failure_means(tail: str, words: str, p5en: InstanceType) -> None:
    """Ended by itself with a bad status and no whole table: a fault, told by its own line, not a report."""
    judgement = _judge(STARTED + tail, p5en, rc=3)
    assert (judgement.bandwidth.outcome, judgement.bandwidth.cause) == (Outcome.FAIL, "collective-crash")
    assert words in judgement.bandwidth.summary
    assert judgement.busbw_gb_per_s is None


@pytest.mark.parametrize(
    ("tail", "rc"),
    [
        ("slurmstepd: error: *** STEP 7.0 ON gpu-1 CANCELLED AT 2026-01-01T00:00:00 ***\n", 143),
        ("srun: error: gpu-2: task 8: Killed\n", 137),
        ("srun: error: gpu-2: task 8: Segmentation fault\n", None),
        ("", 1),
    ],
)
def test_an_end_from_outside_or_unsaid_is_no_crash(tail: str, rc: int | None, p5en: InstanceType) -> None:
    """Cancelled, killed, a log that was cut, a status alone: an error, and no cause is named."""
    judgement = _judge(STARTED + tail, p5en, rc=rc)
    assert (judgement.bandwidth.outcome, judgement.bandwidth.cause) == (Outcome.ERROR, None)


def test_wrong_results_fail_even_where_the_status_says_so_too(p5en: InstanceType) -> None:
    """nccl-tests ends with 7 for wrong data: a fault shown, not an error."""
    judgement = _judge(texts.between_log(wrong={64: "2"}), p5en, rc=7)
    assert (judgement.bandwidth.outcome, judgement.bandwidth.cause) == (Outcome.FAIL, "data-corruption")


def test_a_bandwidth_without_floor_is_measured_and_not_tested() -> None:
    """20 nodes of p5en are more than the published 16: nothing says what is enough."""
    kind = instance_type("p5en.48xlarge")
    hosts = [f"ip-10-1-0-{index}" for index in range(20)]
    judgement = _judge(
        texts.between_log(hosts=hosts, peak=360.0), kind, nodes=[f"i-{index}" for index in range(20)]
    )
    assert (judgement.transport.outcome, judgement.bandwidth.outcome) == (Outcome.PASS, Outcome.NOT_TESTED)
    assert (judgement.busbw_gb_per_s, judgement.outcome) == (360.0, Outcome.NOT_TESTED)


def test_nodes_that_share_one_nvlink_domain_do_not_exercise_efa() -> None:
    """In an UltraServer NCCL goes over NVLink: EFA is not tested, and not passed."""
    kind = instance_type("p6e-gb200.36xlarge")
    judgement = _judge(texts.between_log(), kind)
    assert judgement.transport.outcome is Outcome.NOT_TESTED
    assert judgement.bandwidth.outcome is not Outcome.PASS
