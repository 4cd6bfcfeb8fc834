"""The cluster as actions need it: its instances by EC2, its nodes by Slurm, and the changes to both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode, parse_scontrol_nodes
from bedplate.diagnosis.tools import ToolRun, find_run
from bedplate.errors import AwsRefused, BedplateError
from bedplate.manifest import ClusterManifest, PoolManifest
from bedplate.node.set_nodes import SHOW, Change, encode_changes
from bedplate.validation.actions.live import Live
from bedplate.validation.actions.orchestrators.hyperpod import refused, replacements
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.discovery import login_instances, pool_instances
from bedplate.validation.instance import Instance
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.transport import Transport

_DEADLINE_SECONDS = 180
_CHANGES_AT_ONCE = 64
"""Each is about 300 bytes in base64, and SSM takes 4 KB a parameter and 64 KB a call."""


@dataclass
class Cluster:
    """One deployed environment."""

    scheduler: ClassVar[str] = "Slurm"
    """What the nodes belong to, for people."""
    clients: AwsClients
    manifest: ClusterManifest
    transport: Transport
    _login: str = field(default="", init=False)

    def live(self) -> Live:
        """How things stand. Raises ``BedplateError`` ACT-003 where Slurm cannot be asked."""
        return Live(
            {
                pool.name: {one.instance_id: one for one in self.instances(pool)}
                for pool in self.manifest.pools
            },
            self.slurm(),
            self.scheduler,
        )

    def instances(self, pool: PoolManifest) -> tuple[Instance, ...]:
        """The pool's living instances."""
        return pool_instances(clients=self.clients, manifest=self.manifest, pool=pool)

    def pool(self, name: str) -> PoolManifest:
        """The pool of that name."""
        return next(pool for pool in self.manifest.pools if pool.name == name)

    def slurm(self) -> dict[str, SlurmNode]:
        """Private address → Slurm's node. Raises ``BedplateError`` ACT-003."""
        body = self._ask(Question("scheduler", self._version, _DEADLINE_SECONDS))
        return _read(find_run(answer=body, argv=SHOW))

    def change(self, changes: Sequence[Change]) -> tuple[dict[str, str], dict[str, SlurmNode]]:
        """Make changes in Slurm: node → why it was not changed (empty where it was), and Slurm's nodes by
        address afterwards. Raises ``BedplateError`` ACT-003.
        """
        problems: dict[str, str] = {}
        after: dict[str, SlurmNode] = {}
        for start in range(0, len(changes), _CHANGES_AT_ONCE):
            chunk = changes[start : start + _CHANGES_AT_ONCE]
            options = ("--changes", encode_changes(chunk), *self._version)
            body = self._ask(Question("set-nodes", options, _DEADLINE_SECONDS))
            told = {str(row.get("name")): row for row in body.get("changes", []) if isinstance(row, dict)}
            problems |= {change.name: _problem(told.get(change.name)) for change in chunk}
            after = _read(find_run(answer={"tools": [body.get("after")]}, argv=SHOW))
        return problems, after

    def terminate(self, instance_id: str) -> None:
        """End one instance, so that the service launches another. Raises ``AwsRefused``."""
        if self.manifest.orchestrator.kind == "slurm-hyperpod":
            self._have_replaced(instance_id)
            return
        with aws_errors(f"terminating {instance_id}"):
            self.clients.ec2.terminate_instances(InstanceIds=[instance_id])

    def _have_replaced(self, instance_id: str) -> None:
        """HyperPod ends its own instances: it is asked to replace the node."""
        name = self.manifest.orchestrator.cluster_name
        for call in replacements(cluster=name, nodes=[instance_id]):
            with aws_errors(f"replacing {instance_id}"):
                answer = self.clients.sagemaker.batch_replace_cluster_nodes(**call.parameters)
            for node, why in refused(asked=[instance_id], answer=answer).items():
                raise AwsRefused(
                    f"HyperPod does not replace {node}: {why}",
                    error_id="AWS-004",
                    remedy="See what `aws sagemaker describe-cluster-node` says of it, then repeat it.",
                )

    @property
    def _version(self) -> tuple[str, str]:
        return ("--slurm", self.manifest.orchestrator.version)

    def _ask(self, question: Question) -> Mapping[str, Any]:
        """The answer of the first login node that gives one."""
        problem = "there is no login node"
        logins = login_instances(clients=self.clients, manifest=self.manifest)
        ordered = sorted(logins, key=lambda login: login.instance_id != self._login)
        for login in ordered:
            reply = self.transport.ask(instance_ids=[login.instance_id], question=question)[login.instance_id]
            if reply.answer is not None:
                self._login = login.instance_id
                return reply.answer.body
            problem = f"login node {login.instance_id}: {reply.problem}"
            if question.command == "set-nodes":
                # It may have been done half: another node must not do it again unseen.
                break
        raise _silent(problem)


def _read(run: ToolRun | None) -> dict[str, SlurmNode]:
    problem = "its answer holds no scontrol" if run is None else run.problem()
    if run is None or problem:
        raise _silent(str(problem))
    try:
        return {node.address: node for node in parse_scontrol_nodes(run.stdout)}
    except ParseError as error:
        raise _silent(str(error)) from error


def _problem(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "the login node says nothing about it"
    if row.get("refused"):
        return str(row["refused"])
    update = row.get("update")
    if not isinstance(update, Mapping):
        return "the login node does not say how scontrol ended"
    if update.get("rc") != 0:
        words = [line for line in str(update.get("stderr", "")).splitlines() if line.strip()]
        return f"scontrol ended with {update.get('rc')}: {words[-1].strip()[:200] if words else 'no words'}"
    return ""


def _silent(problem: str) -> BedplateError:
    return BedplateError(
        f"the scheduler cannot be asked: {problem}",
        error_id="ACT-003",
        remedy="See that a login node runs and `scontrol show node` answers there, then repeat the command.",
    )
