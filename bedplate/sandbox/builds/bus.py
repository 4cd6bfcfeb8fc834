"""The default event bus: what happens in the sandbox, carried to the targets that are played.

moto keeps the rules. Targets are CodeBuild projects and SNS topics; others hear nothing.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from moto.events.models import Rule, events_backends
from moto.sns.models import sns_backends

from bedplate.sandbox.builds.player import BuildPlayer
from bedplate.sandbox.services.service import ApiError

LOG = logging.getLogger("bedplate.sandbox.events")


class EventBus:
    """Carries events; ``builds`` starts what a CodeBuild target asks for."""

    def __init__(self, builds: BuildPlayer) -> None:
        self._builds = builds

    def stack_changed(self, *, account: str, region: str, stack_id: str, status: str, reason: str) -> None:
        """CloudFormation Stack Status Change (CloudFormation User Guide, event detail)."""
        detail = {
            "stack-id": stack_id,
            "status-details": {"status": status, "status-reason": reason},
            "client-request-token": "",
        }
        self._publish(
            account, region, "aws.cloudformation", "CloudFormation Stack Status Change", [stack_id], detail
        )

    def build_ended(self, build: Mapping[str, Any]) -> None:
        """CodeBuild Build State Change (CodeBuild User Guide, "Build notifications")."""
        _, _, _, region, account, _ = build["arn"].split(":", 5)
        detail = {
            "build-status": build["buildStatus"],
            "project-name": build["projectName"],
            "build-id": build["arn"],
        }
        self._publish(
            account, region, "aws.codebuild", "CodeBuild Build State Change", [build["arn"]], detail
        )

    def fire(self, rule: Rule) -> None:
        """Carry a rule's own event: its schedule is due."""
        event = _event(rule.account_id, rule.region_name, "aws.events", "Scheduled Event", [rule.arn], {})
        self._carry(rule, event)

    def scheduled_rules(self) -> Iterator[tuple[Rule, str]]:
        """Every enabled rule with a schedule, and that."""
        for regions in list(events_backends.values()):
            for backend in list(regions.values()):
                for rule in list(backend.event_buses["default"].rules.values()):
                    if rule.scheduled_expression and rule.state == "ENABLED":
                        yield rule, rule.scheduled_expression

    def _publish(
        self,
        account: str,
        region: str,
        source: str,
        detail_type: str,
        resources: list[str],
        detail: Mapping[str, Any],
    ) -> None:
        event = _event(account, region, source, detail_type, resources, detail)
        for rule in list(events_backends[account][region].event_buses["default"].rules.values()):
            # A rule on a schedule alone has no pattern, which moto would match with everything.
            listens = rule.state == "ENABLED" and rule.event_pattern.get_pattern()
            if listens and rule.event_pattern.matches_event(cast("Any", event)):
                self._carry(rule, event)

    def _carry(self, rule: Rule, event: Mapping[str, Any]) -> None:
        for target in list(rule.targets):
            service = target["Arn"].split(":")[2]
            try:
                if service == "codebuild":
                    self._start_build(rule, target)
                elif service == "sns":
                    sns_backends[rule.account_id][rule.region_name].publish(
                        _text(target, event), arn=target["Arn"]
                    )
                else:
                    LOG.info("rule %s: a target of %s hears nothing here", rule.name, service)
            except ApiError as error:
                LOG.warning("rule %s: %s", rule.name, error)

    def _start_build(self, rule: Rule, target: Mapping[str, Any]) -> None:
        order = json.loads(target.get("Input") or "{}")
        self._builds.start(
            account=rule.account_id,
            region=rule.region_name,
            project_name=target["Arn"].rpartition("/")[2],
            overrides={each["name"]: each["value"] for each in order.get("environmentVariablesOverride", [])},
        )


def _event(
    account: str,
    region: str,
    source: str,
    detail_type: str,
    resources: list[str],
    detail: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": detail_type,
        "source": source,
        "account": account,
        "time": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "region": region,
        "resources": resources,
        "detail": detail,
    }


def _text(target: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """What the target is sent: the event, or the template with its places filled from the event.

    A template that is a JSON string reaches a topic with its quotes, as at AWS.
    """
    transformer = target.get("InputTransformer")
    if transformer is None:
        return str(target.get("Input") or json.dumps(event))
    text = str(transformer["InputTemplate"])
    for name, path in transformer.get("InputPathsMap", {}).items():
        found: Any = event
        for part in path.removeprefix("$.").split("."):
            found = found.get(part, "") if isinstance(found, Mapping) else ""
        text = text.replace(f"<{name}>", found if isinstance(found, str) else json.dumps(found))
    return text
