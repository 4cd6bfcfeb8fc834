"""NCL-004: between the nodes of an UltraServer NVLink carries the collective, and reaches its floor."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.bandwidth_expectation import Expectation
from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.asked_hosts import doubt_of_names
from bedplate.diagnosis.checks.bandwidth_rule import judge_bandwidth
from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.support import Writer
from bedplate.diagnosis.checks.told_failures import told_failures
from bedplate.diagnosis.parsers.nccl_failures import NVLINK_NOT_WORKING
from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType, ultraservers_of

ROW = CheckRow(
    id="NCL-004",
    title="NVLink between the nodes of an UltraServer is used, and reaches its floor",
    what="The collectives run over the nodes of each NVLink domain, with NVLink between nodes asked for "
    "(`NCCL_MNNVL_ENABLE=1`). The log must show connections by multi-node NVLink on every node, none over "
    "the network, and every rank, on the hosts that were asked for; then the bandwidth is judged at 1 GiB "
    "and 16 GiB as in NCL-003. EFA is judged apart, with NVLink between nodes switched off (NCL-002, "
    "NCL-003).",
    why="Where the IMEX domain is not up NCCL takes EFA instead, at a quarter of the bandwidth, and a number "
    "that was measured over one of the two says nothing about the other.",
    fix="See IMX-001 (the IMEX domain of the job's nodes) and GPU-007 (the NVLink fabric). If both are well, "
    "one node at a time without the others tells which one slows the domain.",
    by_hand="Run the collective of NCL-003 over the UltraServer's nodes with `NCCL_MNNVL_ENABLE=1` and "
    "`NCCL_DEBUG=INFO`, then `grep -c 'via P2P/MNNVL'` and `grep -c 'via NET/'` in its log. Not tried on an "
    "UltraServer by this project: unverified.",
)


def transport(*, subject: Subject, run: CollectiveRun, nodes: int, evidence: Sequence[str] = ()) -> Verdict:
    """Fail where the log shows that NVLink did not carry it, error where it does not prove that it did."""
    writer = Writer(
        check_id=ROW.id,
        subject=subject,
        evidence=evidence,
        expected=run.asked.ranks,
        unit="ranks over NVLink",
        source="NVIDIA/nccl src/transport/p2p.cc and src/mnnvl.cc",
    )
    info = run.info
    if info is None:
        problem = run.unreadable or "the log holds no NCCL message"
        return writer.error(f"NVLink between the nodes is not proven: {problem}")
    told = [each for each in info.failures if each.meaning is NVLINK_NOT_WORKING]
    refused = sorted({each.host for each in told if each.host}) or ["a host"] * bool(told)
    if refused:
        return writer.failed(
            f"NVLink between the nodes does not work on {', '.join(refused)}",
            cause="nvlink-domain-off",
            lines=[each.text for each in told],
        )
    if info.net_channels:
        hosts = sorted({channel.host for channel in info.net_channels})
        return writer.failed(
            f"NCCL went over the network on {', '.join(hosts)}, and not over NVLink",
            cause="nvlink-domain-off",
            lines=[channel.text for channel in info.net_channels],
        )
    hosts_told = {comm.host for comm in info.comms}
    silent = hosts_told - set(info.nvlink_hosts)
    doubt = ""
    if not run.ranks_proven:
        doubt = f"NCCL's lines and the table do not both prove {run.asked.ranks} ranks"
    elif len(hosts_told) != nodes:
        doubt = f"the ranks ran on {len(hosts_told)} hosts, asked were {nodes}"
    elif doubt_of_names(run):
        doubt = doubt_of_names(run)
    elif silent:
        doubt = f"no connection by multi-node NVLink on {', '.join(sorted(silent))}"
    if doubt:
        return writer.error(f"NVLink between the nodes is not proven: {doubt}", lines=run.failure_lines())
    return writer.passed(
        f"{run.asked.ranks} ranks on {nodes} nodes over NVLink",
        measured=run.asked.ranks,
        findings=told_failures(info),
    )


def check(
    *,
    subject: Subject,
    run: CollectiveRun,
    expected: Sequence[Expectation],
    proof: Verdict,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Judge the bandwidth at every named size; one over a transport that is not proven is an error."""
    largest = expected[-1]
    writer = Writer(
        check_id=ROW.id,
        subject=subject,
        evidence=evidence,
        expected=largest.floor_gb_per_s,
        unit="GB/s",
        source=largest.source,
        basis=largest.basis,
    )
    proven = proof.outcome is Outcome.PASS
    return judge_bandwidth(
        writer=writer,
        run=run,
        expected=expected,
        slow_cause=None,
        unproven=lambda: "" if proven else f"the transport is not proven: {proof.summary}",
        crash_is_a_fault=proof.outcome is not Outcome.FAIL,
    )


def _in_an_ultraserver(instance_type: InstanceType, nodes: int) -> bool:
    return nodes > 1 and bool(ultraservers_of(instance_type.name))


CHECK = Check(row=ROW, stage=ENGINE, applies=_in_an_ultraserver, subject="cluster")
