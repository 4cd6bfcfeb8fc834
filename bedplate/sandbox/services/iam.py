"""IAM's policy simulator, which moto lacks; all other operations go on to moto."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.iam.models import iam_backends

from bedplate.sandbox.services.service import ApiError, Call, Service

_EVERYTHING = '{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'
_ADMINISTRATOR = ":policy/AdministratorAccess"
_DECISIONS = {
    PermissionResult.PERMITTED: "allowed",
    PermissionResult.NEUTRAL: "implicitDeny",
    PermissionResult.DENIED: "explicitDeny",
}


def iam_service() -> Service:
    """The table of operations."""
    return Service("iam", {"SimulatePrincipalPolicy": _simulate}, exclusive=False)


def _simulate(call: Call) -> Mapping[str, Any]:
    """Judge each action on each resource by the policies of the role or user."""
    policies = list(_policies(call.account, call.need("PolicySourceArn")))
    results = [
        {
            "EvalActionName": action,
            "EvalResourceName": resource,
            "EvalDecision": _DECISIONS[_decide(policies, action, resource)],
            "MatchedStatements": [],
            "MissingContextValues": [],
        }
        for action in call.need("ActionNames")
        for resource in call.get("ResourceArns") or ["*"]
    ]
    return {"EvaluationResults": results, "IsTruncated": False}


def _decide(policies: list[IAMPolicy], action: str, resource: str) -> PermissionResult:
    found = [policy.is_action_permitted(action, resource) for policy in policies]
    for result in (PermissionResult.DENIED, PermissionResult.PERMITTED):
        if result in found:
            return result
    return PermissionResult.NEUTRAL


def _policies(account: str, arn: str) -> Iterator[IAMPolicy]:
    backend = iam_backends[account]["aws"]
    known: list[Any] = [*backend.roles.values(), *backend.users.values()]
    principals = {each.arn: each for each in known}
    if arn not in principals:
        raise ApiError("NoSuchEntity", f"The principal {arn} cannot be found.")
    principal = principals[arn]
    for policy_arn, policy in principal.managed_policies.items():
        # moto knows AWS's own policies by name alone.
        yield IAMPolicy(_EVERYTHING if policy_arn.endswith(_ADMINISTRATOR) else policy)
    for document in principal.policies.values():
        yield IAMPolicy(document)
