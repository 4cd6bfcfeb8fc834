"""What every step of a validation works with."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.node.run_jobs import Job, encode_jobs, thinning_seconds
from bedplate.validation.aws import AwsClients
from bedplate.validation.evidence import EvidenceStore
from bedplate.validation.instance import Instance
from bedplate.validation.progress import Progress
from bedplate.validation.record import Record
from bedplate.validation.run_lock import RESUME_WITHIN
from bedplate.validation.steps.job_batches import job_batches, merged
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.ssm_limits import ARGUMENT_CHARACTERS
from bedplate.validation.transports.transport import Transport

_LAUNCH_SECONDS = 120
"""Beside a job's own deadline: for srun to be refused, to start, and to be stopped."""


@dataclass
class Context:
    """One run. ``logins`` are the login nodes there are; ``login`` is the instance id of the node that jobs
    are started from, empty where none answers.
    """

    record: Record
    clients: AwsClients
    transport: Transport
    evidence: EvidenceStore
    progress: Progress
    logins: tuple[Instance, ...] = ()
    login: str = ""
    login_problem: str = ""
    nonces_before: frozenset[str] = frozenset()
    """Nonces of the commands that the run was cut off with, where this one goes on with it."""
    batches_taken_up: int = 0
    """Of jobs that a run before has started: what this one reads beside them now is not theirs."""

    @property
    def slurm_option(self) -> tuple[str, str]:
        """Which version of Slurm's clients the login node is to use."""
        return ("--slurm", self.record.manifest.orchestrator.version)

    def run_jobs(self, jobs: list[Job]) -> Reply:
        """Run jobs on disjoint nodes at once, from the login node; in batches where they are very many."""
        batches = job_batches(jobs, characters=ARGUMENT_CHARACTERS)
        return merged([(batch, self._run_batch(batch)) for batch in batches])

    def _run_batch(self, jobs: list[Job]) -> Reply:
        # Logs are thinned when their jobs have ended, all on one core.
        longest = max(job.deadline_seconds for job in jobs) + sum(thinning_seconds(job) for job in jobs)
        deadline = int(longest) + _LAUNCH_SECONDS
        options = ("--jobs", encode_jobs(jobs), *self.slurm_option)
        question = Question("run-jobs", options, deadline, usable_seconds=RESUME_WITHIN.total_seconds())
        reply = self.transport.ask(instance_ids=[self.login], question=question)[self.login]
        self.batches_taken_up += reply.taken_up
        return reply
