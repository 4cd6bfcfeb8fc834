"""A program between two readings of its node's EFA counters, printed into its own log.

Each node's first task prints one line before the program and one after it, with the sums over the node's EFA
devices: ``BEDPLATE-EFA before node=gpu-1 tx_bytes=… …`` (``bedplate.diagnosis.parsers.efa_traffic``). It is a
few lines of sh, for it runs once for each rank: they cost nothing beside the program.
"""

from __future__ import annotations

from typing import Sequence, Tuple

COUNTERS = (
    "tx_bytes",
    "rx_bytes",
    "rx_drops",
    "retrans_pkts",
    "retrans_timeout_events",
    "unresponsive_remote_events",
    "impaired_remote_conn_events",
)
"""Of the Linux driver (drivers/infiniband/hw/efa/efa_verbs.c); those that a driver lacks are left out."""

# A missing program is told in the words of slurmstepd, which would have told it without us.
_SCRIPT = r"""
command -v "$1" >/dev/null || { echo "bedplate: execve(): $1: No such file or directory" >&2; exit 2; }
count() {
  [ "${SLURM_LOCALID:-0}" = 0 ] || return 0
  line="BEDPLATE-EFA $1 node=${SLURMD_NODENAME:-unknown}"
  for name in COUNTERS; do
    sum=0 told=
    for file in "${BEDPLATE_ROOT:-}"/sys/class/infiniband/*/ports/1/hw_counters/$name; do
      value=; [ -r "$file" ] && read -r value <"$file"
      case $value in '' | *[!0-9]*) ;; *) sum=$((sum + value)) told=yes ;; esac
    done
    [ -z "$told" ] || line="$line $name=$sum"
  done
  echo "$line"
}
count before; "$@"; code=$?; count after; exit $code
"""
_HEAD = ("sh", "-c", _SCRIPT.replace("COUNTERS", " ".join(COUNTERS)).strip(), "bedplate-counted")


def counted(argv: Sequence[str]) -> Tuple[str, ...]:
    """The command that runs ``argv`` between the two readings, with its exit status."""
    return (*_HEAD, *argv)


def is_counted(argv: Sequence[str]) -> bool:
    """Whether a command is one of ``counted``."""
    return tuple(argv[: len(_HEAD)]) == _HEAD


def uncounted(argv: Sequence[str]) -> Tuple[str, ...]:
    """The program of a command, without the readings around it."""
    return tuple(argv[len(_HEAD) :]) if is_counted(argv) else tuple(argv)
