"""The units of systemd that collect and send. None of them may take what jobs need: each has a bound on its
memory, is the first that the kernel ends where memory is short, and stands back for everything else on the
processors. The bounds are ours to choose.
"""

from __future__ import annotations

import shlex
from typing import Dict, Sequence

from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.exporters.scrape import DCGM_PORT, NODE_PORT
from bedplate.node.bootstrap.exporters.table import MetricsTable
from bedplate.node.bootstrap.places import (
    AGENT_BUFFER,
    COUNTERS,
    GPU_JOBS,
    METRICS,
    PROGRAM,
    PYTHON,
    SCRAPE,
)

COLLECT, COLLECT_TIMER = "bedplate-collect.service", "bedplate-collect.timer"
NODE_EXPORTER = "bedplate-node-exporter.service"
DCGM_EXPORTER = "bedplate-dcgm-exporter.service"
AGENT = "bedplate-metrics-agent.service"
ENGINE = "nvidia-dcgm.service"
"""DCGM's own daemon, which ``dcgmi`` asks: where the image has it, the exporter asks it too, so that one
engine alone reads the GPUs."""
COLLECTORS = ("loadavg", "meminfo", "filesystem", "diskstats", "mdadm", "netdev", "timex", "stat", "systemd")
"""Of node_exporter; that of processors is off."""
SERIES_AN_HOUR = 30_000
"""Of one node; ours to choose. The agent drops what is beyond, so that one node cannot fill the workspace."""
_COLLECT_TIMER_TEXT = f"""\
[Unit]
Description=Bedplate: collect this node's metrics
[Timer]
OnBootSec=30s
OnUnitInactiveSec=30s
AccuracySec=1s
Unit={COLLECT}
[Install]
WantedBy=timers.target
"""
# A child that hangs in the kernel is left behind; systemd would wait for it.
_COLLECT_TEXT = f"""\
[Unit]
Description=Bedplate: collect this node's metrics once
[Service]
Type=oneshot
TimeoutStartSec=300
KillMode=process
Nice=10
ExecStart={PYTHON} {PROGRAM} collect-metrics
"""


def collect_units() -> Dict[str, str]:
    """Unit → text of what writes text files."""
    return {COLLECT: _COLLECT_TEXT, COLLECT_TIMER: _COLLECT_TIMER_TEXT}


def node_exporter_unit(command: str, table: MetricsTable) -> str:
    """It listens for this node alone."""
    units = "|".join(table.systemd_units)
    words = [
        command,
        "--collector.disable-defaults",
        *(f"--collector.{name}" for name in (*COLLECTORS, "textfile")),
        f"--collector.textfile.directory={METRICS}",
        # PCS has the version in the name of slurmd's unit.
        f"--collector.systemd.unit-include=^({units})(-[0-9.]+)?[.]service$",
        "--collector.netdev.device-exclude=^(lo|docker.*|veth.*|br-.*)$",
        f"--web.listen-address=127.0.0.1:{NODE_PORT}",
    ]
    # No user and no mounts of its own: in those every file system is read-only, and it would say so.
    extra = "NoNewPrivileges=yes\nCapabilityBoundingSet=CAP_DAC_READ_SEARCH\n"
    return _service("serve this node's metrics", words, memory="256M", extra=extra)


def dcgm_exporter_unit(command: str, *, engine: bool) -> str:
    """``engine``: DCGM's daemon runs on the node, and is asked; without it the exporter has one in itself."""
    words = [
        *(command, "--collectors", COUNTERS, "--address", f"127.0.0.1:{DCGM_PORT}"),
        *("--collect-interval", "10000", "--no-hostname", "--hpc-job-mapping-dir", GPU_JOBS),
        *(("--remote-hostengine-info", "localhost:5555") if engine else ()),
    ]
    after = f"Wants={ENGINE}\nAfter={ENGINE}\n" if engine else ""
    return _service("serve the GPUs' metrics", words, memory="2G", unit=after)


def agent_unit(command: str, told: Collection) -> str:
    """Signed with the node's role, for the one workspace; what cannot be sent is kept on disk, 1 GB of it.

    The command line holds no secret. Nothing listens: whoever is on the node could write to the workspace in
    its name. As root, since ParallelCluster's head node keeps others from the metadata service.
    """
    words = [
        command,
        f"-promscrape.config={SCRAPE}",
        "-promscrape.configCheckInterval=30s",
        f"-remoteWrite.url={told.url}",
        "-remoteWrite.aws.useSigv4",
        f"-remoteWrite.aws.region={told.region}",
        "-remoteWrite.aws.service=aps",
        f"-remoteWrite.tmpDataPath={AGENT_BUFFER}",
        "-remoteWrite.maxDiskUsagePerURL=1GB",
        # By default two for each processor: hundreds.
        "-remoteWrite.queues=2",
        "-remoteWrite.maxBlockSize=1MB",
        f"-remoteWrite.maxHourlySeries={SERIES_AN_HOUR}",
        "-memory.allowedBytes=256MB",
        "-httpListenAddr=",
        # Flags that older versions lack are read from the environment, which takes any.
        "-envflag.enable",
    ]
    extra = (
        "Environment=remoteWrite_forcePromProto=true GOMAXPROCS=2\n"
        f"StateDirectory={AGENT_BUFFER.partition('/var/lib/')[2]}\n"
        "NoNewPrivileges=yes\nProtectSystem=strict\nProtectHome=yes\nPrivateTmp=yes\n"
    )
    return _service(
        "send this node's metrics to Amazon Managed Service for Prometheus",
        words,
        memory="1G",
        unit="Wants=network-online.target\nAfter=network-online.target\n",
        extra=extra,
    )


def _service(description: str, words: Sequence[str], *, memory: str, unit: str = "", extra: str = "") -> str:
    # To systemd, % and $ are its own in a command line.
    line = " ".join(shlex.quote(word).replace("%", "%%").replace("$", "$$") for word in words)
    return f"""\
[Unit]
Description=Bedplate: {description}
StartLimitIntervalSec=0
{unit}[Service]
ExecStart={line}
Restart=always
RestartSec=10
Nice=10
OOMScoreAdjust=500
MemoryMax={memory}
{extra}[Install]
WantedBy=multi-user.target
"""
