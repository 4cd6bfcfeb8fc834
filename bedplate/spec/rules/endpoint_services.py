"""NET-011: further endpoints are asked for where they are made, each once."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.endpoints import ENDPOINT_SERVICES
from bedplate.spec.problems import Path
from bedplate.spec.rules.rule import Rule, Violation

_WHOLE_NAMES = ("com.amazonaws.", "aws.", "api.aws.")
_OWN = frozenset(each.name for each in ENDPOINT_SERVICES)


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse them beside a way out, whole names, and names that are there already."""
    network = draft.network
    if network is None or not network.endpoint_services:
        return
    path = ("network", "endpoint_services")
    if network.internet != "none":
        yield Violation(
            path=path,
            at_key=True,
            message="endpoints are asked for, and the nodes have a way out by a NAT gateway",
            allowed="`endpoint_services` with `internet: none`",
            remedy="Remove `endpoint_services`, or set `internet: none`.",
        )
        return
    for index, name in enumerate(network.endpoint_services):
        if name.startswith(_WHOLE_NAMES):
            yield _whole_name(name, path=(*path, index), region=draft.region)
        elif name in network.endpoint_services[:index] or name in _OWN:
            why = "stands in the list before" if name not in _OWN else "has an endpoint in any case"
            yield Violation(
                path=(*path, index),
                message=f"{name} {why}",
                allowed="each service once, and none of " + ", ".join(sorted(_OWN)),
                remedy="Remove it.",
            )


def _whole_name(name: str, *, path: Path, region: str | None) -> Violation:
    short = name.removeprefix(f"com.amazonaws.{region}.")
    return Violation(
        path=path,
        message=f"{name} is a whole name, and `com.amazonaws.REGION.` is put before it once more",
        allowed="what follows `com.amazonaws.REGION.`",
        remedy="Write the last part alone, such as ecr.api."
        if short == name
        else "Remove it: the cluster has that endpoint in any case."
        if short in _OWN
        else f"Write {short}.",
    )


RULE = Rule(
    row=CheckRow(
        id="NET-011",
        title="further endpoints are asked for once, and in a closed network",
        what=(
            "`network.endpoint_services` is given with `internet: none` alone, and names each service once "
            "and none that the cluster has an endpoint for in any case, by what follows "
            "`com.amazonaws.REGION.` in its name."
        ),
        why=(
            "An interface endpoint costs by the hour in each zone. Beside a NAT gateway nothing needs it, "
            "and AWS refuses a second one with private DNS for one service in a VPC."
        ),
        fix="Keep the services that jobs call and that the cluster does not.",
        by_hand="`aws ec2 describe-vpc-endpoint-services --query ServiceNames` lists what there is.",
    ),
    check=check,
)
