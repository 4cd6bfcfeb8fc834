"""The API of Amazon Managed Grafana: what a provisioner of workspaces asks of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.grafana.records import PlayedServiceAccount, PlayedWorkspace
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service

VERSIONS = ("8.4", "9.4", "10.4", "12.4")
"""Those that others have made workspaces of; AWS's guide speaks of a 13 too, and has no 11."""
SEEN = 100


class GrafanaApi:
    """Workspaces, their configuration, their people, and tokens for their HTTP API."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._records = sandbox.grafana
        self._options = sandbox.options

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "grafana",
            {
                "ListVersions": lambda call: {"grafanaVersions": list(VERSIONS)},
                "ListWorkspaces": self._list,
                "DescribeWorkspace": lambda call: {"workspace": self._workspace(call).described},
                "DescribeWorkspaceConfiguration": self._configuration,
                "UpdateWorkspaceConfiguration": self._configure,
                "ListPermissions": self._permissions,
                "UpdatePermissions": self._permit,
                "ListWorkspaceServiceAccounts": self._accounts,
                "CreateWorkspaceServiceAccount": self._add_account,
                "DeleteWorkspaceServiceAccount": self._delete_account,
                "ListWorkspaceServiceAccountTokens": self._tokens,
                "CreateWorkspaceServiceAccountToken": self._add_token,
                "DeleteWorkspaceServiceAccountToken": self._delete_token,
            },
        )

    def _workspace(self, call: Call) -> PlayedWorkspace:
        wanted = call.need("workspaceId")
        found = self._records.workspaces.get(wanted)
        if found is None or (found.account, found.region) != (call.account, call.region):
            raise ApiError("ResourceNotFoundException", f"Workspace {wanted} was not found")
        return found

    def _list(self, call: Call) -> Mapping[str, Any]:
        return {
            "workspaces": [
                each.described
                for each in self._records.workspaces.values()
                if (each.account, each.region) == (call.account, call.region)
            ]
        }

    def _configuration(self, call: Call) -> Mapping[str, Any]:
        workspace = self._workspace(call)
        return {
            "configuration": json.dumps(workspace.configuration),
            "grafanaVersion": workspace.described["grafanaVersion"],
        }

    def _configure(self, call: Call) -> None:
        workspace = self._workspace(call)
        given = call.need("configuration")
        try:
            wanted = json.loads(given) if isinstance(given, str) else given
        except ValueError as error:
            raise ApiError("ValidationException", "Configuration is not a valid JSON string") from error
        workspace.configuration = wanted

    def _permissions(self, call: Call) -> Mapping[str, Any]:
        return {
            "permissions": [
                {"role": role, "user": {"id": principal, "type": kind}}
                for (kind, principal), role in self._workspace(call).permissions.items()
            ]
        }

    def _permit(self, call: Call) -> Mapping[str, Any]:
        """Do what can be done, and tell the rest as errors of an answer that is well otherwise."""
        workspace = self._workspace(call)
        if "AWS_SSO" not in workspace.described["authentication"]["providers"]:
            raise ApiError("ValidationException", "AWS SSO is not enabled for this workspace")
        unknown = self._options.section("identity_center_unknown", [])
        errors = []
        for each in call.need("updateInstructionBatch"):
            strangers = [user for user in each["users"] if user["id"] in unknown]
            if strangers:
                errors.append(
                    {
                        "code": 404,
                        "message": "User or group was not found in IAM Identity Center",
                        "causedBy": {**each, "users": strangers},
                    }
                )
            for user in each["users"]:
                who = (user["type"], user["id"])
                if user in strangers:
                    continue
                if each["action"] == "ADD":
                    workspace.permissions[who] = each["role"]
                elif workspace.permissions.get(who) == each["role"]:
                    del workspace.permissions[who]
        return {"errors": errors}

    def _accounts(self, call: Call) -> Mapping[str, Any]:
        workspace = self._workspace(call)
        return {
            "workspaceId": workspace.described["id"],
            "serviceAccounts": [
                {"id": each.id, "name": each.name, "isDisabled": "false", "grafanaRole": each.role}
                for each in workspace.service_accounts.values()
            ][:SEEN],
        }

    def _add_account(self, call: Call) -> Mapping[str, Any]:
        workspace, name = self._workspace(call), call.need("name")
        if any(each.name == name for each in workspace.service_accounts.values()):
            raise ApiError("ConflictException", f"Service account {name} already exists")
        made = PlayedServiceAccount(id=str(workspace.number()), name=name, role=call.need("grafanaRole"))
        workspace.service_accounts[made.id] = made
        return {
            "id": made.id,
            "name": name,
            "grafanaRole": made.role,
            "workspaceId": workspace.described["id"],
        }

    def _account(self, call: Call) -> PlayedServiceAccount:
        wanted = call.need("serviceAccountId")
        found = self._workspace(call).service_accounts.get(wanted)
        if found is None:
            raise ApiError("ResourceNotFoundException", f"Service account {wanted} was not found")
        return found

    def _delete_account(self, call: Call) -> Mapping[str, Any]:
        account, workspace = self._account(call), self._workspace(call)
        del workspace.service_accounts[account.id]
        return {"serviceAccountId": account.id, "workspaceId": workspace.described["id"]}

    def _tokens(self, call: Call) -> Mapping[str, Any]:
        account = self._account(call)
        return {
            "workspaceId": call.need("workspaceId"),
            "serviceAccountId": account.id,
            "serviceAccountTokens": [
                {"id": each.id, "name": each.name, "createdAt": each.created, "expiresAt": each.expires}
                for each in account.tokens.values()
            ][:SEEN],
        }

    def _add_token(self, call: Call) -> Mapping[str, Any]:
        account, workspace = self._account(call), self._workspace(call)
        token = workspace.add_token(account, name=call.need("name"), seconds=int(call.need("secondsToLive")))
        return {
            "workspaceId": workspace.described["id"],
            "serviceAccountId": account.id,
            "serviceAccountToken": {"id": token.id, "name": token.name, "key": token.key},
        }

    def _delete_token(self, call: Call) -> Mapping[str, Any]:
        account, wanted = self._account(call), call.need("tokenId")
        if account.tokens.pop(wanted, None) is None:
            raise ApiError("ResourceNotFoundException", f"Token {wanted} was not found")
        return {
            "tokenId": wanted,
            "serviceAccountId": account.id,
            "workspaceId": call.need("workspaceId"),
        }
