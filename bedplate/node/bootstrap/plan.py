"""The steps in their order, and how they are run one after the other."""

from __future__ import annotations

import time
from typing import Callable, List, Sequence, Tuple

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import (
    DONE,
    FAILED,
    FAULTY,
    LEFT,
    SKIPPED,
    Step,
    StepFailedError,
    StepResult,
)
from bedplate.node.bootstrap.steps import (
    follow_lists,
    hold_updates,
    install_boot_unit,
    install_containers,
    install_hooks,
    install_lustre_client,
    install_nfs_client,
    install_program,
    keep_desk,
    keep_exporters,
    keep_gate,
    keep_topology,
    make_scratch,
    make_users,
    mount_file_systems,
    set_hugepages,
    set_memlock,
    set_nccl_defaults,
    set_persistence,
    set_up_lnet,
)

STEPS: Tuple[Step, ...] = (
    install_program.STEP,
    # Before the unit, whose writing makes systemd read both.
    set_memlock.STEP,
    install_boot_unit.STEP,
    install_hooks.STEP,
    keep_topology.STEP,
    keep_desk.STEP,
    keep_gate.STEP,
    hold_updates.STEP,
    set_hugepages.STEP,
    set_nccl_defaults.STEP,
    set_persistence.STEP,
    make_scratch.STEP,
    install_lustre_client.STEP,
    set_up_lnet.STEP,
    install_nfs_client.STEP,
    mount_file_systems.STEP,
    make_users.STEP,
    follow_lists.STEP,
    # Last: they take longest, and nothing waits for them.
    install_containers.STEP,
    keep_exporters.STEP,
)


def run_steps(
    host: Host,
    settings: NodeSettings,
    *,
    steps: Sequence[Step] = STEPS,
    later: Sequence[str] = (),
    clock: Callable[[], float] = time.monotonic,
) -> List[StepResult]:
    """Run them all: a failed step does not stop those that do without it. Never raises for a step.

    ``later`` names steps that a later run of the same boot is for: they are left here.
    """
    names = [step.name for step in steps]
    results = [
        StepResult(name, FAILED, "there is no such step to leave for later", 0.0)
        for name in later
        if name not in names
    ]
    for step in steps:
        begun = clock()
        broken = [each.name for each in results if each.outcome == FAILED and each.name in step.needs]
        outcome, reason = (
            (LEFT, "is for a later run of this boot")
            if step.name in later
            else _run(step, host, settings, broken)
        )
        host.log.say(f"step {step.name}: {outcome}: {reason}")
        results.append(StepResult(step.name, outcome, reason, clock() - begun))
    return results


def _run(step: Step, host: Host, settings: NodeSettings, broken: Sequence[str]) -> Tuple[str, str]:
    why_not = step.why_not(settings)
    if why_not:
        return SKIPPED, why_not
    bad = FAILED if step.holds_jobs else FAULTY
    if broken:
        return bad, f"not tried, for {', '.join(broken)} failed"
    host.log.say(f"step {step.name}")
    try:
        return DONE, step.run(host, settings)
    except StepFailedError as error:
        return bad, str(error)
    except Exception as error:  # noqa: BLE001 - whatever breaks in a step, the others run and the node says so
        return bad, f"{type(error).__name__}: {error}"
