"""The live chain: simulated exporters, real Prometheus, real Alertmanager, and who is told."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import yaml

from bedplate.sandbox.fleet.fault import KINDS, make_fault
from bedplate.sandbox.telemetry.fleet import FleetPlan, TelemetryFleet
from bedplate.sandbox.telemetry.server import ExporterServer
from bedplate.sandbox.telemetry.targets import answer, targets
from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.exposition import exposition
from tests.support.prometheus import Alertmanager, Prometheus
from tests.telemetry.live.cases import HEALTHY_CLUSTER, LOST, Case, cases
from tests.telemetry.live.pages import Pages
from tests.telemetry.live.scaled import Scale, local_alert_manager, scaled_rules

ENVIRONMENT = "demo"
_TYPES = {"hopper": "p5en.48xlarge", "blackwell": "p6e-gb200.36xlarge"}
_SMALL = "p5.4xlarge"
_WINDOW_S = 600.0
"""dcgm-exporter's window, as long as a run."""
_BUSY = 12
"""An interval of scrapes is so many times what it takes to make all pages once, for others compute too."""
_SLOW = 0.4
"""What is slower than before is held against some hours; here against minutes, so it must be slower."""
_SHORTEST_S, _LONGEST_S = 2, 6
Labels = Mapping[str, str]


@dataclass
class LiveChain:
    """Every case's fleet is healthy until ``inject``. Programs and servers run while it is open."""

    folder: Path
    played: tuple[Case, ...] = field(default_factory=cases)

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._began = time.monotonic()
        epoch_s = time.time()
        self.fleets = {
            name: TelemetryFleet(plan, epoch_s=epoch_s) for name, plan in plans(self.played).items()
        }
        self.scrape_s = self._fitting_interval_s()
        self.scale = scale_for(self.scrape_s)
        try:
            self.servers = {
                name: self._stack.enter_context(ExporterServer(fleet, clock=self.now_s, window_s=_WINDOW_S))
                for name, fleet in self.fleets.items()
            }
            self.pages = self._stack.enter_context(Pages())
            self._start_programs()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def now_s(self) -> float:
        """Seconds of the run."""
        return time.monotonic() - self._began

    def inject(self) -> None:
        """Everything at once, each on the nodes of its case."""
        self.injected_s = self.now_s()
        for case in self.played:
            fleet = self.fleets[case.cluster]
            if case.name == LOST:
                self._write_targets(without=case.cluster)
            elif case.is_fault:
                fleet.inject(make_fault(fault_of(case)), at_s=self.injected_s)
            else:
                for index in range(case.node, case.node + case.nodes):
                    fleet.befall(case.name, node=index, at_s=self.injected_s)

    def alerts(self, state: str) -> list[Labels]:
        """The labels of the alerts that are ``pending`` or ``firing`` now."""
        return [each["metric"] for each in self.prometheus.query(f'ALERTS{{alertstate="{state}"}}')]

    def nodes_of(self, case: Case) -> list[str]:
        """The names of the case's nodes."""
        nodes = self.fleets[case.cluster].nodes[case.node : case.node + case.nodes]
        return [dict(node.labels)["node"] for node in nodes]

    def belongs(self, labels: Labels, case: Case) -> bool:
        """Whether an alert is about the case: its node, its job, its validation, or its whole cluster."""
        if labels.get("cluster") != case.cluster:
            return False
        nodes = self.fleets[case.cluster].nodes[case.node : case.node + case.nodes]
        own = {dict(node.labels)["node"] for node in nodes}
        jobs = {node.job.job_id for node in nodes if node.job}
        instances = {node.truth.instance_id for node in nodes}
        if "subject" in labels:
            of_all = labels["subject"] == "cluster" and labels["cause"] == case.name
            return of_all or any(each in labels["subject"] for each in instances)
        found = [labels[name] in own_ for name, own_ in self._named(own, jobs) if labels.get(name)]
        return all(found)

    @staticmethod
    def _named(nodes: set[str], jobs: set[str]) -> Iterator[tuple[str, set[str]]]:
        yield "node", nodes
        yield "hpc_job", jobs
        yield "slurm_job_id", jobs

    def wait(self, until: Callable[[], bool], *, at_most_s: float) -> bool:
        """Look every second until it is so; False where it is not in time."""
        end = time.monotonic() + at_most_s
        while not until():
            if time.monotonic() > end:
                return False
            time.sleep(1)
        return True

    def _fitting_interval_s(self) -> int:
        """Scrapes as far apart as the machine needs at this moment."""
        before = time.monotonic()
        for fleet in self.fleets.values():
            for each in targets(fleet):
                exposition(answer(fleet, each.path, at_s=0.0))
        took_s = time.monotonic() - before
        return min(max(math.ceil(took_s * _BUSY), _SHORTEST_S), _LONGEST_S)

    def _start_programs(self) -> None:
        self._write_targets()
        definition = alert_manager_definition(topic_arn="arn:", region="us-west-2", environment=ENVIRONMENT)
        path = self.folder / "alertmanager.yml"
        path.write_text(
            local_alert_manager(definition, url=self.pages.url, scale=self.scale), encoding="utf-8"
        )
        self.alertmanager = self._stack.enter_context(Alertmanager(self.folder, config=path))
        rules = scaled_rules(rule_file(environment=ENVIRONMENT), self.scale)
        (self.folder / "rules.yml").write_text(rules, encoding="utf-8")
        config = self.folder / "prometheus.yml"
        config.write_text(yaml.safe_dump(self._config()), encoding="utf-8")
        self.prometheus = self._stack.enter_context(Prometheus(self.folder, config=config))

    def _config(self) -> dict[str, Any]:
        jobs = sorted({each.job for fleet in self.fleets.values() for each in targets(fleet)})
        return {
            "global": {"scrape_interval": f"{self.scrape_s}s", "scrape_timeout": f"{self.scrape_s}s"},
            "rule_files": ["rules.yml"],
            "alerting": {
                "alertmanagers": [
                    {"static_configs": [{"targets": [self.alertmanager.url.removeprefix("http://")]}]}
                ]
            },
            "scrape_configs": [
                {
                    "job_name": job,
                    "file_sd_configs": [{"files": [f"targets-{job}.json"], "refresh_interval": "1s"}],
                }
                for job in jobs
            ],
        }

    def _write_targets(self, *, without: str = "") -> None:
        """One file a job, whole or not at all: Prometheus reads them again when they change."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name, fleet in self.fleets.items():
            for each in targets(fleet):
                own = {"__metrics_path__": each.path, "instance": f"{name}{each.path}"}
                entry = {"targets": [self.servers[name].address], "labels": {**dict(each.labels), **own}}
                found.setdefault(each.job, []).extend([entry] if name != without else [])
        for job, entries in found.items():
            partial = self.folder / f".targets-{job}"
            partial.write_text(json.dumps(entries), encoding="utf-8")
            partial.replace(self.folder / f"targets-{job}.json")


def scale_for(scrape_s: int) -> Scale:
    """Five minutes become five scrapes, and holding times a third of that."""
    return Scale(
        ranges=60 / scrape_s,
        holds=180 / scrape_s,
        waits=60 / scrape_s,
        least_range_s=4 * scrape_s,
        evaluation_s=scrape_s,
    )


def plans(played: Sequence[Case]) -> dict[str, FleetPlan]:
    """Each cluster with as many nodes as its cases need, a job for each case; and one that stays healthy."""
    sizes: dict[str, list[int]] = {}
    for case in played:
        sizes.setdefault(case.cluster, []).append(case.nodes)
    found = {
        name: FleetPlan(
            environment=ENVIRONMENT,
            cluster=name,
            instance_type=_TYPES.get(name, _SMALL),
            nodes=sum(jobs),
            job_sizes=tuple(jobs),
        )
        for name, jobs in sizes.items()
    }
    healthy = FleetPlan(
        environment=ENVIRONMENT, cluster=HEALTHY_CLUSTER, nodes=3, instance_type=_TYPES["hopper"]
    )
    return {**found, HEALTHY_CLUSTER: healthy}


def fault_of(case: Case) -> dict[str, Any]:
    """As a faults file has it."""
    scope = KINDS[case.name].scope
    detail: dict[str, float] = {"peer_index": case.node + 1} if scope == "link" else {}
    if "speed" in KINDS[case.name].fields:
        detail["speed"] = _SLOW
    return {
        "cause": case.name,
        "node_index": case.node if scope in ("node", "link") else None,
        "detail": detail,
    }
