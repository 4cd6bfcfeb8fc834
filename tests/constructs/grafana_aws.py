"""A workspace of Amazon Managed Grafana as its API shows it, for the handler's tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


class Gone(Exception):
    """The workspace is not there."""


class Client:
    """A workspace at AWS; ``calls`` is what changed it, in order."""

    def __init__(self) -> None:
        self.statuses = ["ACTIVE"]
        self.configuration: dict[str, Any] = {"plugins": {"pluginAdminEnabled": False}, "kept": 1}
        self.permissions: dict[tuple[str, str], str] = {}
        self.accounts: dict[str, str] = {}
        self.tokens: dict[str, int] = {}
        self.errors: list[dict[str, Any]] = []
        self.breaks: set[str] = set()
        self.calls: list[str] = []
        self.exceptions = SimpleNamespace(ResourceNotFoundException=Gone)

    def describe_workspace(self, *, workspaceId: str) -> dict[str, Any]:  # noqa: N803
        """The next status, the last for ever."""
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        return {"workspace": {"id": workspaceId, "status": status, "endpoint": "http://localhost:1"}}

    def describe_workspace_configuration(self, *, workspaceId: str) -> dict[str, Any]:  # noqa: N803
        """As AWS tells it: JSON text."""
        return {"configuration": json.dumps(self.configuration)}

    def update_workspace_configuration(self, *, workspaceId: str, configuration: str) -> None:  # noqa: N803
        """Another configuration."""
        self._called("configure")
        self.configuration = json.loads(configuration)

    def update_permissions(
        self,
        *,
        workspaceId: str,  # noqa: N803
        updateInstructionBatch: list[dict[str, Any]],  # noqa: N803
    ) -> dict[str, Any]:
        """Remember the instructions."""
        for each in updateInstructionBatch:
            names = ",".join(user["id"] for user in each["users"])
            self._called(f"{each['action']} {each['role']} {names}")
        return {"errors": self.errors}

    def create_workspace_service_account(
        self,
        *,
        workspaceId: str,  # noqa: N803
        name: str,
        grafanaRole: str,  # noqa: N803
    ) -> dict[str, str]:
        """An account."""
        self._called(f"account {grafanaRole}")
        self.accounts["7"] = name
        return {"id": "7"}

    def create_workspace_service_account_token(
        self,
        *,
        workspaceId: str,  # noqa: N803
        serviceAccountId: str,  # noqa: N803
        name: str,
        secondsToLive: int,  # noqa: N803
    ) -> dict[str, Any]:
        """A token."""
        self._called("token")
        self.tokens["9"] = secondsToLive
        return {"serviceAccountToken": {"id": "9", "key": "glsa_1"}}

    def delete_workspace_service_account_token(self, *, tokenId: str, **_: str) -> None:  # noqa: N803
        """The token is gone."""
        self._called("token gone")
        del self.tokens[tokenId]

    def delete_workspace_service_account(self, *, serviceAccountId: str, **_: str) -> None:  # noqa: N803
        """The account is gone."""
        self._called("account gone")
        del self.accounts[serviceAccountId]

    def get_paginator(self, name: str) -> SimpleNamespace:
        """Pages of one item each, and an empty one."""
        pages: dict[str, Callable[[], list[dict[str, Any]]]] = {
            "list_permissions": lambda: [
                {"permissions": [{"role": role, "user": {"type": kind, "id": principal}}]}
                for (kind, principal), role in self.permissions.items()
            ],
            "list_workspace_service_accounts": lambda: [
                {"serviceAccounts": [{"id": number, "name": each}]} for number, each in self.accounts.items()
            ],
            "list_workspace_service_account_tokens": lambda: [
                {"serviceAccountTokens": [{"id": each}]} for each in self.tokens
            ],
        }
        empty = {"permissions": [], "serviceAccounts": [], "serviceAccountTokens": []}
        return SimpleNamespace(paginate=lambda **_: [empty, *pages[name]()])

    def _called(self, what: str) -> None:
        self.calls.append(what)
        if what in self.breaks:
            raise RuntimeError(f"{what} broke")
