"""A simulated loopback by ``fi_pingpong``: a pair of processes for each EFA device, and many devices.

A node's sixteen devices start 32 processes, so both ends are a few lines of sh, where other tools are Python.
What a device would measure and count is written beside its node whenever the node's faults change;
``bedplate.sandbox.fleet.tools.fi_pingpong`` plays the same as a function, and refuses what is no such pair.
"""

from __future__ import annotations

from bedplate.diagnosis.host_tools import LOOPBACK_BYTES, LOOPBACK_ITERATIONS
from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.truth import NodeTruth

FOLDER = "pingpong"
SHARE_OF_WIRE = 0.8
"""Of the wire's rate that a ping-pong of 16 MiB reaches here: an assumption, nothing is published."""
_TITLES = "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec"
_DEAD = "dead"

# $1 is the node's folder; what follows are fi_pingpong's own words. The two ends meet by files named after
# the port, since all nodes share one host.
_PAIR = r"""
pair() {
  plan=$1/PLAN root=$1/root; shift
  port= domain= server=
  while [ $# -gt 1 ]; do
    case "$1 $2" in
    "-e rdm" | "-p efa" | "-f efa" | "-S SIZE" | "-I COUNT") ;;
    "-B "*) port=$2 server=yes ;;
    "-P "*) port=$2 ;;
    "-d "*-rdm) domain=$2 ;;
    *) return 0 ;;
    esac
    shift 2
  done
  [ -n "$port" ] && [ -e "$plan/$domain" ] || return 0
  meeting=$root/run/fi_pingpong.$port
  if [ -n "$server" ]; then
    [ $# -eq 0 ] || return 0
    : >"$meeting"
    await "$meeting.done" "ctrl/read: Resource temporarily unavailable"
    rm -f "$meeting" "$meeting.done"
  else
    [ "$*" = 127.0.0.1 ] || return 0
    await "$meeting" "failed to connect: Connection refused"
    device=$root/sys/class/infiniband/${domain%-rdm}/ports/1/hw_counters
    { read -r state; while read -r name rise; do
      read -r value <"$device/$name" && echo $((value + rise)) >"$device/$name"
    done; } <"$plan/$domain.rise"
    [ "$state" != DEAD ] || fail 11 "fi_eq_sread: Resource temporarily unavailable"
    : >"$meeting.done"
  fi
  while read -r line; do echo "$line"; done <"$plan/$domain"
  exit 0
}
await() {
  patience=1000
  while [ ! -e "$1" ]; do
    [ $((patience -= 1)) -gt 0 ] || fail 1 "$2"
    sleep 0.02
  done
}
fail() { echo "[error] util/pingpong.c: $2" >&2; exit "$1"; }
"""


def with_pair(start: str, *, folder: str) -> str:
    """A launcher's text that plays either end by itself, and starts the stand-in for everything else."""
    text = _PAIR.strip().replace("PLAN", FOLDER).replace("DEAD", _DEAD)
    text = text.replace("SIZE", str(LOOPBACK_BYTES)).replace("COUNT", str(LOOPBACK_ITERATIONS))
    return f'{text}\npair "{folder}" "$@"\n{start}'


def write_loopbacks(truth: NodeTruth) -> None:
    """Write what each device that the kernel sees measures and counts, into the node's folder."""
    folder = truth.folder / FOLDER
    folder.mkdir(exist_ok=True)
    for device in range(truth.hardware.efa_count):
        name = f"{efa_name(truth.hardware, device)}-rdm"
        file, rise = folder / name, folder / f"{name}.rise"
        if device in truth.effects.lost_efas:
            file.unlink(missing_ok=True)
            continue
        state = [_DEAD] if is_dead(truth, device) else ["alive"]
        counts = (
            []
            if is_dead(truth, device)
            else [f"{key} {value}" for key, value in rises(truth, device).items()]
        )
        rise.write_text("\n".join(state + counts) + "\n", encoding="ascii")
        file.write_text("\n".join(table(truth, device)) + "\n", encoding="ascii")


def _speed(truth: NodeTruth, device: int) -> float:
    return min((speed for index, speed in truth.effects.faulty_efas if index == device), default=1.0)


def is_dead(truth: NodeTruth, device: int) -> bool:
    """Whether a device carries nothing at all."""
    return _speed(truth, device) == 0


def rises(truth: NodeTruth, device: int) -> dict[str, int]:
    """What each counter rises by: both ends are on one device, which sends all twice."""
    moved = 2 * LOOPBACK_BYTES * LOOPBACK_ITERATIONS
    errors = sum(times for index, times in truth.effects.efa_errors if index == device)
    found = dict.fromkeys(("tx_bytes", "rx_bytes", "send_bytes", "recv_bytes"), moved)
    return {**found, "retrans_timeout_events": errors, "retrans_pkts": 40 * errors} if errors else found


def table(truth: NodeTruth, device: int) -> tuple[str, str]:
    """What either end prints."""
    return _TITLES, _row(truth, device)


def _row(truth: NodeTruth, device: int) -> str:
    speed = _speed(truth, device) or 1.0
    mb_per_s = truth.hardware.efa_gbps_each / 8 * 1000 * SHARE_OF_WIRE * speed
    mb_per_s *= noise(f"{truth.seed}/{truth.instance_id}/{device}/loopback")
    total = 2 * LOOPBACK_BYTES * LOOPBACK_ITERATIONS
    each_us = LOOPBACK_BYTES / mb_per_s
    seconds = total / mb_per_s / 1e6
    counts = f"{LOOPBACK_ITERATIONS:<8}={LOOPBACK_ITERATIONS:<8}"
    return f"16m     {counts}3.1g    {seconds:8.2f}s{mb_per_s:10.2f}{each_us:11.2f}{1 / each_us:11.2f}"
