"""What a run that ended well tells of failures all the same: it rides on the pass, and decides nothing."""

from __future__ import annotations

from bedplate.diagnosis.checks.support import warning
from bedplate.diagnosis.parsers.nccl_info import NcclInfo
from bedplate.diagnosis.verdict import Finding

_MOST = 8
"""Findings of one run; the evidence has every line."""


def told_failures(info: NcclInfo | None) -> tuple[Finding, ...]:
    """One warning for each thing that the log's lines of failure mean, with the hosts that report it."""
    hosts: dict[str, set[str]] = {}
    found: dict[str, tuple[str, str]] = {}
    for each in () if info is None else info.failures:
        hosts.setdefault(each.meaning.text, set()).add(each.host)
        found.setdefault(each.meaning.text, (each.text, each.meaning.mend))
    findings = []
    for meaning, (line, mend) in list(found.items())[:_MOST]:
        named = sorted(hosts[meaning] - {""})
        more = f" and {len(named) - _MOST} more" if len(named) > _MOST else ""
        who = f" (told by {', '.join(named[:_MOST])}{more})" if named else ""
        findings.append(
            warning(f"The run ended well, and its log tells that {meaning}{who}: {line}", remedy=mend)
        )
    return tuple(findings)
