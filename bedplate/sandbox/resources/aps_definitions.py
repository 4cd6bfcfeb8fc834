"""What AMP refuses of rule files and alert manager definitions.

Structure: Prometheus' documentation, "Recording rules" and "Alerting rules"; AMP User Guide, "Creating a
rules file" and "Alert manager". Expressions are read by promql-parser. How AMP words a refusal is unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import promql_parser
import yaml

from bedplate.sandbox.cloudformation.errors import ResourceError

_OF_A_GROUP = {"name", "interval", "limit", "query_offset", "labels", "rules"}
_OF_A_RULE = {"record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations"}
_OF_AN_ALERT_ALONE = {"for", "keep_firing_for", "annotations"}
_OUTER = {"alertmanager_config", "template_files"}
_INTEGRATIONS = {"sns_configs", "pagerduty_configs"}
_REFUSED_OF_SNS = {"api_url", "http_config"}
_DURATION = re.compile(r"^(\d+(ms|[smhdwy]))+$|^0$")
_REFUSED_OF_PAGERDUTY = {"url", "http_config", "service_key_file", "routing_key_file"}
_TIMES = ("group_wait", "group_interval", "repeat_interval")


def check_rules(text: str) -> None:
    """Refuse a rule file that AMP would not make ACTIVE."""
    document = _yaml(text, "Data")
    if not isinstance(document, dict) or not isinstance(document.get("groups"), list):
        raise _refused("Data holds no groups")
    names: set[str] = set()
    for group in document["groups"]:
        name = group.get("name") if isinstance(group, dict) else None
        if not name:
            raise _refused("a group has no name")
        if name in names:
            raise _refused(f'groupname: "{name}" is repeated in the same file')
        names.add(name)
        _known(group, _OF_A_GROUP, f"group {name}")
        for rule in group.get("rules") or []:
            _check_rule(rule, f"group {name}")


def _check_rule(rule: Any, where: str) -> None:
    if not isinstance(rule, dict) or len({"record", "alert"} & set(rule)) != 1 or not rule.get("expr"):
        raise _refused(f"rule {rule!r} of {where} is no rule")
    where = f"rule {rule.get('alert') or rule.get('record')} of {where}"
    _known(rule, _OF_A_RULE, where)
    if "record" in rule and _OF_AN_ALERT_ALONE & set(rule):
        raise _refused(f"{where}: a recording rule takes none of {sorted(_OF_AN_ALERT_ALONE & set(rule))}")
    for each in ("for", "keep_firing_for"):
        if each in rule and not _DURATION.match(str(rule[each])):
            raise _refused(f"{where}: {each}: {rule[each]} is no duration")
    try:
        promql_parser.parse(str(rule["expr"]))
    except ValueError as error:
        raise _refused(f"{where}: could not parse expression {rule['expr']!r}: {error}") from error


def check_alert_manager(text: str | None) -> None:
    """Refuse a definition that AMP would not make ACTIVE."""
    if text is None:
        return
    document = _yaml(text, "AlertManagerDefinition")
    if not isinstance(document, dict) or "alertmanager_config" not in document:
        raise _refused("AlertManagerDefinition holds no alertmanager_config")
    _known(document, _OUTER, "AlertManagerDefinition")
    config = _yaml(document["alertmanager_config"], "alertmanager_config")
    if not isinstance(config, dict) or not isinstance(config.get("route"), dict):
        raise _refused("alertmanager_config has no route")
    receivers = {each.get("name"): each for each in config.get("receivers") or []}
    for receiver in receivers.values():
        _check_receiver(receiver)
    if "receiver" not in config["route"]:
        raise _refused("the root route has no receiver")
    for route in _routes(config["route"]):
        if "receiver" in route and route["receiver"] not in receivers:
            raise _refused(f'undefined receiver "{route["receiver"]}" used in route')
        for each in _TIMES:
            if not _DURATION.match(str(route.get(each, "0"))):
                raise _refused(f"{each}: {route[each]} is no duration")


def _check_receiver(receiver: dict[str, Any]) -> None:
    name = receiver.get("name")
    _known(receiver, {"name", *_INTEGRATIONS}, f"receiver {name}")
    for each in receiver.get("sns_configs") or []:
        refused = _REFUSED_OF_SNS & set(each)
        if refused:
            raise _refused(f"receiver {name}: {sorted(refused)} is not supported")
        if "topic_arn" not in each or "region" not in (each.get("sigv4") or {}):
            raise _refused(f"receiver {name}: topic_arn and sigv4.region are needed")
    for each in receiver.get("pagerduty_configs") or []:
        _check_pager_duty(each, name)


def _check_pager_duty(each: dict[str, Any], name: Any) -> None:
    refused = _REFUSED_OF_PAGERDUTY & set(each)
    if refused:
        raise _refused(f"receiver {name}: {sorted(refused)} is not supported")
    key = each.get("routing_key", each.get("service_key"))
    if not isinstance(key, dict) or "secret_arn" not in (key.get("aws_secrets_manager") or {}):
        raise _refused(f"receiver {name}: routing_key has to name a secret of Secrets Manager")


def _routes(route: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield route
    for each in route.get("routes") or []:
        yield from _routes(each)


def _known(given: dict[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise _refused(f"{where}: field {unknown[0]} not found")


def _yaml(text: Any, name: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, AttributeError) as error:
        raise _refused(f"{name} is no YAML: {error}") from error


def _refused(why: str) -> ResourceError:
    return ResourceError(f"ValidationException: {why}")
