"""What Slurm's daemons wrote: errors and warnings beside those that this kind of host always gives."""

from __future__ import annotations

import re

HARMLESS = {
    r"mpi/pmix|for mpi/pmix|mpi_pmix": "every MPI plugin is tried, and libpmix is not installed beside Slurm",
    r"Could not open (?:job|reservation) state file .*/state/": "the first start of a cluster",
    r"NOTE: Trying backup state save file": "the first start of a cluster",
    r"No fed_mgr state file": "the first start of a cluster",
    r"High latency for \d+ calls to gettimeofday": "the machine had other work",
    r"Database settings not recommended values: innodb_buffer_pool_size": "a MariaDB for a few jobs",
    r"health_check (?:can not be executed \(/opt/bedplate/|didn't run: status:127)": "no hooks on this host",
    r"If using PrologFlags=Contain for pam_slurm_adopt": "see ``older.HOST_CANNOT``",
}
"""Pattern of a line → why it says nothing about the settings."""
_BAD = re.compile(r"\] (?:error|fatal|.*\bWARNING\b|.*\bwarning\b)", re.IGNORECASE)


def unexpected(log: str) -> list[str]:
    """The lines of errors and warnings that no pattern of ``HARMLESS`` accounts for."""
    bad = [line for line in log.splitlines() if _BAD.search(line)]
    return [line for line in bad if not any(re.search(pattern, line) for pattern in HARMLESS)]
