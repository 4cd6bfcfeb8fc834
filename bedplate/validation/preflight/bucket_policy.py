"""Denials of a bucket's policy. IAM's simulator does not look at it for roles. Reading only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

_HARMLESS = {
    ("Bool", "aws:SecureTransport", "false"),
    ("NumericLessThan", "s3:TlsVersion", "1.2"),
    ("NumericLessThan", "s3:TlsVersion", "1.3"),
}
"""Conditions that AWS's own clients never meet: clear text, and TLS of long ago."""


@dataclass
class Denials:
    """``certain`` hold for the principal whatever happens, ``conditional`` where their condition is met."""

    certain: list[str] = field(default_factory=list)
    conditional: list[str] = field(default_factory=list)


def denials(
    policy: str | None, *, principal: str, resources: Sequence[str], actions: Iterable[str]
) -> Denials:
    """What the policy denies of ``actions`` on the ARNs of the bucket and of objects, in words.

    A policy that is no JSON is one certain denial: nothing can be said of it.
    """
    found = Denials()
    if policy is None:
        return found
    try:
        statements = _list(json.loads(policy)["Statement"])
    except (ValueError, KeyError, TypeError):
        found.certain.append("the bucket's policy cannot be read")
        return found
    for number, statement in enumerate(statements, start=1):
        if statement.get("Effect") != "Deny" or not _is_about(statement, principal):
            continue
        denied = [action for action in actions if _matches(statement, "Action", "NotAction", action)]
        touched = any(_matches(statement, "Resource", "NotResource", each) for each in resources)
        if not denied or not touched:
            continue
        name = statement.get("Sid") or f"number {number}"
        text = f"the bucket's policy denies {', '.join(denied)} (statement {name})"
        conditions = list(_conditions(statement))
        if not conditions:
            found.certain.append(text)
        elif not any(each in _HARMLESS for each in conditions):
            found.conditional.append(f"{text} under a condition")
    return found


def _is_about(statement: Mapping[str, Any], principal: str) -> bool:
    """Whether a statement is about the principal; one about everybody but others is too."""
    account = principal.split(":")[4]
    if "NotPrincipal" in statement:
        return not _named(statement["NotPrincipal"], principal, account)
    return _named(statement.get("Principal", "*"), principal, account)


def _named(who: Any, principal: str, account: str) -> bool:
    names = _list(who.get("AWS", [])) if isinstance(who, dict) else _list(who)
    whole = {"*", principal, account, f"arn:{principal.split(':')[1]}:iam::{account}:root"}
    return bool(whole & set(names))


def _matches(statement: Mapping[str, Any], key: str, negated: str, value: str) -> bool:
    if negated in statement:
        return not any(_like(value, pattern) for pattern in _list(statement[negated]))
    return any(_like(value, pattern) for pattern in _list(statement.get(key, [])))


def _like(value: str, pattern: object) -> bool:
    # IAM knows * and ?, and no sets of characters; actions do not tell small letters from large.
    text = str(pattern).replace("[", "[[]")
    if value.startswith("arn:"):
        return fnmatchcase(value, text)
    return fnmatchcase(value.lower(), text.lower())


def _conditions(statement: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for operator, tests in (statement.get("Condition") or {}).items():
        for name, values in tests.items():
            for value in _list(values):
                yield operator, name, str(value).lower() if isinstance(value, bool) else str(value)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
