"""Step 2: give nodes that have just been launched the time to boot before they are called unreachable."""

from __future__ import annotations

from datetime import UTC, datetime

from bedplate.validation.deadlines import deadlines
from bedplate.validation.steps.context import Context

_PAUSE_SECONDS = 1.0


def await_agents(context: Context) -> None:
    """Wait for the agents of young nodes; a node that is older than its boot may take is not waited for."""
    offline = _young_and_offline(context)
    if not offline:
        return
    total = len(offline)
    context.progress.phase("Wait for nodes to boot", total)
    while offline:
        context.transport.sleep(_PAUSE_SECONDS)
        still = _young_and_offline(context)
        for name in sorted(offline - still):
            context.progress.advance(name)
        offline = still


def _young_and_offline(context: Context) -> set[str]:
    boot = deadlines(simulated=context.record.simulated).boot
    launched = {node.node: node.launched_at for node in context.record.nodes}
    launched |= {login.instance_id: login.launched_at for login in context.logins}
    now = datetime.now(UTC)
    young = [name for name, moment in launched.items() if moment is not None and now - moment < boot]
    return set(young) - context.transport.online(young) if young else set()
