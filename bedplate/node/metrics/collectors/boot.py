"""Whether the node's set-up is done, and whether it has passed its gate."""

from __future__ import annotations

from typing import List

from bedplate.node.bootstrap.places import RECORD
from bedplate.node.bootstrap.record import read_record
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.gate.mark import read_mark
from bedplate.node.identity import boot_id
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.exposition import Family, gauge


def _applies(_settings: NodeSettings) -> bool:
    return True


def _collect(around: Surroundings) -> List[Family]:
    try:
        record = read_record(around.path(RECORD).read_text(encoding="utf-8"))
    except OSError:
        record = None  # a bootstrap that runs has taken its record away
    done = record is not None and record.boot_id == boot_id() and record.is_done
    families = [gauge("bedplate_bootstrap_done", int(done))]
    if around.settings.gate == "pair" and around.settings.role == "compute":
        families.append(gauge("bedplate_gate_open", int(read_mark() is not None)))
    return families


COLLECTOR = Collector("boot", _applies, _collect)
