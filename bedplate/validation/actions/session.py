"""One call of the command: accept the result, look at the cluster, plan, and carry the plan out if asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex

from bedplate.manifest import ClusterManifest
from bedplate.validation.actions.accept import accept
from bedplate.validation.actions.cluster import Cluster
from bedplate.validation.actions.journal import Journals, new_plan_id
from bedplate.validation.actions.model import ActionPlan
from bedplate.validation.actions.perform import Performer
from bedplate.validation.actions.plan import plan_actions
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.aws import AwsClients
from bedplate.validation.progress import Progress
from bedplate.validation.result import RunResult, Waiver
from bedplate.validation.run_lock import ACTIONS, Resume, take_hold
from bedplate.validation.stores.bucket import BucketStore
from bedplate.validation.stores.store import Store
from bedplate.validation.transports.chosen import transport_to


@dataclass
class ActionSession:
    """Actions on one environment."""

    cluster: Cluster
    journals: Journals
    store: Store

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the environment: no validation and no other action begins meanwhile.

        What is known of the last run stays: one that was cut off can be taken up afterwards.

        Raises ``ChecksFailed`` RUN-001 where a run or another action is under way.
        """
        lock = take_hold(
            store=self.store,
            new_run_id=lambda: new_plan_id(datetime.now(UTC)),
            fingerprint=ACTIONS,
            resume=Resume.FRESH,
        )
        lock.keep_alive()
        try:
            yield
        finally:
            lock.release(complete=True)

    def plan(
        self, *, result: RunResult, policy: ActionPolicy, waivers: Mapping[str, str] | None = None
    ) -> ActionPlan:
        """What would be done now; changes nothing. ``waivers`` are added to the run's own.

        Raises ``BedplateError`` ACT-001 to ACT-003, and ``AwsRefused``.
        """
        now = datetime.now(UTC)
        manifest, clients = self.cluster.manifest, self.cluster.clients
        accept(result=result, manifest=manifest, simulated=clients.simulated, policy=policy, now=now)
        return plan_actions(
            result=_waived(result, waivers or {}),
            manifest=manifest,
            live=self.cluster.live(),
            policy=policy,
            plan_id=new_plan_id(now),
            now=now,
        )

    def carry_out(
        self,
        *,
        result: RunResult,
        policy: ActionPolicy,
        waivers: Mapping[str, str] | None = None,
        announce: Callable[[ActionPlan], None],
        progress: Progress,
        wait_seconds: float,
    ) -> ActionPlan:
        """Go on with what earlier plans left waiting, then plan, announce, and do; within ``hold``.

        Raises as ``plan`` does. What was done until then is in the journal.
        """
        performer = Performer(self.cluster, self.journals, wait_seconds=wait_seconds, progress=progress)
        for journal in self.journals.open_ones():
            progress.note(f"going on with {journal.plan.id}")
            performer.go_on(journal.plan)
        plan = self.plan(result=result, policy=policy, waivers=waivers)
        if not plan.actions:
            return plan
        announce(plan)
        return performer.perform(plan)


def new_session(*, clients: AwsClients, manifest: ClusterManifest) -> ActionSession:
    """Actions on a deployed environment. Raises ``AwsRefused``."""
    wanted = manifest.validation
    run_id = f"act-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{token_hex(4)}"
    transport = transport_to(clients=clients, manifest=manifest, run_id=run_id)
    return ActionSession(
        Cluster(clients, manifest, transport),
        Journals(clients, wanted.result_bucket),
        BucketStore(clients, wanted.result_bucket),
    )


def _waived(result: RunResult, waivers: Mapping[str, str]) -> RunResult:
    known = {waiver.check_id for waiver in result.waivers}
    more = [Waiver(check_id=check, reason=why) for check, why in waivers.items() if check not in known]
    return result.model_copy(update={"waivers": [*result.waivers, *more]})
