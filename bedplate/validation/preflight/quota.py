"""The arithmetic of quotas: what is in use and what is asked for, against what the account may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict

SOURCE = "AWS Service Quotas"


@dataclass(frozen=True)
class Quota:
    """One quota as Service Quotas tells it."""

    service: str
    code: str
    name: str
    limit: float


def quota_by_code(preflight: Preflight, *, service: str, code: str) -> Quota:
    """The account's value, or AWS's default where the account has none of its own."""
    from bedplate.validation.aws import aws_errors

    quotas = preflight.clients.quotas
    with aws_errors(f"reading the quota {service}/{code}"):
        try:
            row = quotas.get_service_quota(ServiceCode=service, QuotaCode=code)["Quota"]
        except quotas.exceptions.NoSuchResourceException:
            row = quotas.get_aws_default_service_quota(ServiceCode=service, QuotaCode=code)["Quota"]
    return Quota(service, code, row.get("QuotaName", code), float(row["Value"]))


def quotas_by_name(preflight: Preflight, *, service: str, fits: Callable[[str], bool]) -> list[Quota]:
    """The quotas of a service whose name (in lower case) fits, for those whose code is published nowhere."""
    from bedplate.validation.aws import aws_errors

    found = []
    with aws_errors(f"listing the quotas of {service}"):
        for page in preflight.clients.quotas.get_paginator("list_service_quotas").paginate(
            ServiceCode=service
        ):
            for row in page["Quotas"]:
                name = row.get("QuotaName", "")
                if fits(name.lower()):
                    found.append(Quota(service, row.get("QuotaCode", ""), name, float(row["Value"])))
    return found


def judge_quota(writer: Writer, *, quota: Quota, in_use: float, requested: float, unit: str) -> Verdict:
    """A pass exactly where what is in use and what is asked for fit together under the limit."""
    needed = in_use + requested
    sums = f"{requested:g} asked for + {in_use:g} in use = {needed:g} of {quota.limit:g} {unit}"
    source = f"{SOURCE}: {quota.name} ({quota.code})"
    if needed > quota.limit:
        remedy = (
            f"Ask for at least {needed:g}: aws service-quotas request-service-quota-increase --service-code "
            f"{quota.service} --quota-code {quota.code} --desired-value {needed:g}"
        )
        return writer.failed(
            f"{quota.name}: {sums}; {needed - quota.limit:g} too many",
            measured=needed,
            expected=quota.limit,
            unit=unit,
            source=source,
            remedy=remedy,
        )
    return writer.passed(
        f"{quota.name}: {sums}", measured=needed, expected=quota.limit, unit=unit, source=source
    )


def first_that_fails(writer: Writer, verdicts: list[Verdict]) -> list[Verdict]:
    """Those that are no pass, or else one pass that tells all sums."""
    from bedplate.diagnosis.verdict import Outcome

    bad = [verdict for verdict in verdicts if verdict.outcome is not Outcome.PASS]
    told = "; ".join(verdict.summary for verdict in verdicts)
    return bad or [writer.passed(told, source=verdicts[0].source)]
