"""What every check before a deploy works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bedplate.diagnosis.verdict import CLUSTER, Finding, Measure, Outcome, Subject, Verdict

if TYPE_CHECKING:
    from bedplate.lockfile import LockFile
    from bedplate.spec import Environment
    from bedplate.spec.file_systems import FileSystem
    from bedplate.spec.pools import Pool
    from bedplate.validation.aws import AwsClients


@dataclass(frozen=True)
class Preflight:
    """One run: the environment as asked for, AWS, the time that reservations are held against, the lock file.

    ``lock`` is None where there is none.
    """

    environment: Environment
    clients: AwsClients
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    lock: LockFile | None = None


@dataclass(frozen=True)
class Writer:
    """Writes the verdicts of one check about one subject: the cluster, or a pool."""

    check_id: str
    subject: Subject = CLUSTER

    def passed(
        self,
        summary: str,
        *,
        measured: Measure = None,
        expected: Measure = None,
        unit: str = "",
        source: str = "",
        findings: tuple[Finding, ...] = (),
    ) -> Verdict:
        """AWS says that it is well."""
        return Verdict(
            self.check_id,
            self.subject,
            Outcome.PASS,
            summary,
            measured=measured,
            expected=expected,
            unit=unit,
            source=source,
            findings=findings,
        )

    def failed(
        self,
        summary: str,
        *,
        remedy: str,
        measured: Measure = None,
        expected: Measure = None,
        unit: str = "",
        source: str = "",
    ) -> Verdict:
        """AWS says that the deploy would not work."""
        return Verdict(
            self.check_id,
            self.subject,
            Outcome.FAIL,
            summary,
            measured=measured,
            expected=expected,
            unit=unit,
            source=source,
            remedy=remedy,
        )

    def not_made(self, why: str, *, remedy: str = "") -> Verdict:
        """AWS could not be asked, or its answer cannot be judged."""
        return Verdict(self.check_id, self.subject, Outcome.ERROR, f"could not be made: {why}", remedy=remedy)

    def not_asked(self, why: str) -> Verdict:
        """The question makes no sense before another one is answered well."""
        return Verdict(self.check_id, self.subject, Outcome.NOT_TESTED, f"not asked: {why}")


def of_pool(check_id: str, pool: Pool) -> Writer:
    """The writer of a check's verdict about a pool."""
    return Writer(check_id, Subject("pool", (pool.name,)))


def of_file_system(check_id: str, file_system: FileSystem) -> Writer:
    """The writer of a check's verdict about a file system, which is named by its mount point."""
    return Writer(check_id, Subject("file system", (file_system.mount,)))


def of_bucket(check_id: str, bucket: str) -> Writer:
    """The writer of a check's verdict about a bucket."""
    return Writer(check_id, Subject("bucket", (bucket,)))
