"""What the DCGM checks have in common: which tests must have run, and what a status means.

A fail is not always hardware (severity 5 is configuration), a pass is not always a pass (warnings ride on
it), a skip is not a pass, and a test that is not in the answer was not run: every expected test must have
passed on every GPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bedplate.diagnosis.checks.support import Writer, info, warning
from bedplate.diagnosis.parsers.dcgm_results import (
    FAIL,
    NOT_RUN,
    PASS,
    SEVERITIES,
    SEVERITIES_HARDWARE,
    SEVERITY_CONFIG,
    SKIP,
    UNKNOWN,
    WARN,
    DcgmDiag,
    DiagResult,
    test_key,
)
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Severity, Verdict
from bedplate.hardware import InstanceType

Expected = tuple[tuple[str, ...], ...]
"""Tests that must have run: each by its name and its other names."""

# Deployment tests of DCGM 3 that tell of settings, not of hardware; DCGM 4 says so by severity instead.
_SETTINGS = frozenset(
    map(
        test_key,
        (
            "Denylist",
            "Blacklist",
            "NVML Library",
            "CUDA Main Library",
            "CUDA Toolkit Library",
            "Permissions and OS Blocks",
            "Persistence Mode",
            "Environment Variables",
            "Graphics Processes",
        ),
    )
)
_BUSY = "Another DCGM run was under way (status 217): nothing is wrong with the node, validate it again."


def judge(
    *,
    writer: Writer,
    diag: Reading[DcgmDiag],
    instance_type: InstanceType,
    expected_v3: Expected,
    expected_v4: Expected,
    belongs: Iterable[DiagResult],
    causes: Mapping[int, str] = {},
    of_the_node: bool = False,
) -> Verdict:
    """Judge the results that belong to a check; ``belongs`` are those of the run that it answers for.

    ``causes`` names causes of their own by DCGM's error ids. ``of_the_node`` says that the tests look at the
    node's software, of which DCGM 3 has one result without a GPU.
    """
    record = diag.record
    if record is None:
        return writer.error(f"DCGM cannot be judged: {diag.problem}", remedy=_remedy_of_error(diag.problem))
    results = tuple(belongs)
    failed = [result for result in results if _is_fail(result)]
    findings = [finding for result in results if not _is_fail(result) for finding in _findings(result)]
    if failed:
        return _failed(writer, failed, findings, causes)
    if record.runtime_error:
        return writer.error(f"DCGM stopped: {record.runtime_error}", findings=findings)
    if diag.problem:
        return writer.error(
            f"DCGM ended badly though no test failed: {diag.problem}",
            findings=findings,
            remedy=_remedy_of_error(diag.problem),
        )
    expected = expected_v4 if record.generation == 4 else expected_v3
    missing, not_run = _coverage(
        results,
        expected,
        gpus=instance_type.gpus,
        generation=record.generation,
        of_the_node=of_the_node,
    )
    if not_run:
        return writer.not_tested(f"DCGM skipped {', '.join(not_run)}: a skipped test is not a pass")
    if missing:
        return writer.error(f"DCGM's answer lacks {', '.join(missing[:4])}", findings=findings)
    odd = [result for result in results if result.status == UNKNOWN]
    if odd:
        return writer.error(
            f"DCGM's answer holds a status that is not known, of {_where(odd[0])}", findings=findings
        )
    summaries = [name for name, status in record.summaries if _contradicts(name, status, results)]
    if summaries:
        return writer.error(
            f"DCGM's own summary contradicts its results: {', '.join(summaries)}", findings=findings
        )
    tests = len({test_key(result.test) for result in results})
    return writer.passed(
        f"{tests} tests passed on all {instance_type.gpus} GPUs", measured=tests, findings=findings
    )


def _contradicts(name: str, status: str, results: Sequence[DiagResult]) -> bool:
    """Whether DCGM's summary of a test says worse than the results of it, none of which failed."""
    own = [result for result in results if test_key(result.test) == test_key(name)]
    if status in {FAIL, UNKNOWN}:
        return bool(own)
    return status not in {PASS, WARN} and bool(own) and all(one.status in {PASS, WARN} for one in own)


def _coverage(
    results: Sequence[DiagResult], expected: Expected, *, gpus: int, generation: int, of_the_node: bool
) -> tuple[list[str], list[str]]:
    """(what is missing, what was skipped), in words.

    A result counts for the GPU that it names. One that names none counts in DCGM 3 only: for all of them
    where it says so, or where the test is of the node's software. A test of hardware that does not say which
    GPUs it ran on has proven none of them.
    """
    missing: list[str] = []
    skipped: list[str] = []
    for names in expected:
        keys = {test_key(name) for name in names}
        own = [result for result in results if test_key(result.test) in keys]
        if any(result.status not in {PASS, WARN} for result in own):
            skipped.append(names[0])
        covered = {result.gpu for result in own}
        of_all = [result for result in own if result.gpu is None and (of_the_node or result.all_gpus)]
        if not of_all or generation != 3:
            missing += [f"{names[0]} on GPU {gpu}" for gpu in range(gpus) if gpu not in covered]
    return missing, skipped


def _is_fail(result: DiagResult) -> bool:
    """A fail; and a warn that no setting explains, or that DCGM weighs as hardware."""
    if result.status == FAIL:
        return True
    if result.status != WARN:
        return False
    severities = {warning.severity for warning in result.warnings} - {None}
    if severities:
        return bool(severities & SEVERITIES_HARDWARE)
    return test_key(result.test) not in _SETTINGS


def _is_configuration(result: DiagResult) -> bool:
    severities = [warning.severity for warning in result.warnings if warning.severity is not None]
    if severities:
        return all(severity == SEVERITY_CONFIG for severity in severities)
    return test_key(result.test) in _SETTINGS


def _failed(
    writer: Writer, failed: list[DiagResult], findings: list[Finding], causes: Mapping[int, str]
) -> Verdict:
    hardware = [result for result in failed if not _is_configuration(result)]
    shown = hardware or failed
    names = ", ".join(dict.fromkeys(result.test for result in shown))
    where = ", ".join(str(gpu) for gpu in sorted({result.gpu for result in shown if result.gpu is not None}))
    rest = [
        Finding(Severity.CRITICAL, f"Failed for a reason of configuration: {_describe(result)}")
        for result in failed
        if hardware and result not in hardware
    ]
    return writer.failed(
        f"DCGM failed {names}" + (f" on GPU {where}" if where else ""),
        cause=_named_cause(shown, causes) or ("dcgm-hardware" if hardware else "dcgm-configuration"),
        measured=len(shown),
        findings=rest + findings,
        lines=map(_describe, shown),
    )


def _named_cause(failed: list[DiagResult], causes: Mapping[int, str]) -> str:
    """The cause that every failed result's error ids name; empty where one says something else."""
    ids = [remark.error_id for result in failed for remark in result.warnings]
    named = {causes.get(each, "") if each is not None else "" for each in ids}
    return named.pop() if len(named) == 1 else ""


def _findings(result: DiagResult) -> list[Finding]:
    """Warnings that ride on a result; where DCGM weighs one as hardware it is critical, whatever the status
    says.
    """
    found = []
    for remark in result.warnings:
        text = f"{_where(result)} ({result.status}): {remark.text}"
        if remark.severity in SEVERITIES_HARDWARE:
            found.append(Finding(Severity.CRITICAL, f"{text} [{SEVERITIES[remark.severity or 0]}]"))
        else:
            found.append(warning(text))
    if result.status == WARN and not result.warnings:
        found.append(warning(f"{_where(result)} warns"))
    if result.status in {SKIP, NOT_RUN} and not result.warnings:
        found.append(info(f"{_where(result)} was not run"))
    return found


def _where(result: DiagResult) -> str:
    return result.test if result.gpu is None else f"{result.test} on GPU {result.gpu}"


def _describe(result: DiagResult) -> str:
    remarks = "; ".join(f"{remark.text} (error {remark.error_id})" for remark in result.warnings)
    return f"{_where(result)}: {result.status}" + (f": {remarks}" if remarks else "")


def _remedy_of_error(problem: str) -> str:
    if "status 217" in problem:
        return _BUSY
    return "See that nv-hostengine runs and that nothing else uses the GPUs, then validate again."
