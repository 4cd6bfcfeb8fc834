"""What the sandbox remembers of Grafana workspaces."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

PATH = "/bedplate/grafana/"
"""Where the workspaces' HTTP APIs are on the sandbox's own endpoint; at AWS each has a host name."""
NEW_CONFIGURATION = {"plugins": {"pluginAdminEnabled": False}, "unifiedAlerting": {"enabled": False}}


@dataclass
class PlayedToken:
    """A token of a service account; ``key`` is told once at AWS."""

    id: str
    name: str
    key: str
    created: datetime
    expires: datetime


@dataclass
class PlayedServiceAccount:
    """A service account and its tokens by id."""

    id: str
    name: str
    role: str
    tokens: dict[str, PlayedToken] = field(default_factory=dict)


@dataclass
class PlayedWorkspace:
    """One workspace. ``described`` is as DescribeWorkspace tells it; ``folders``, ``sources`` and
    ``dashboards`` are by uid, as Grafana tells them; ``asked`` is every request to its HTTP API.
    """

    account: str
    region: str
    described: dict[str, Any]
    configuration: dict[str, Any] = field(default_factory=lambda: json.loads(json.dumps(NEW_CONFIGURATION)))
    permissions: dict[tuple[str, str], str] = field(default_factory=dict)
    service_accounts: dict[str, PlayedServiceAccount] = field(default_factory=dict)
    folders: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    dashboards: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    numbers: int = 0

    def number(self) -> int:
        """The next id."""
        self.numbers += 1
        return self.numbers

    def role_of(self, key: str, *, now: datetime | None = None) -> str | None:
        """The role of a token that is alive, or None."""
        moment = now or datetime.now(UTC)
        for each in self.service_accounts.values():
            for token in each.tokens.values():
                if secrets.compare_digest(token.key, key) and token.expires > moment:
                    return each.role
        return None

    def add_token(self, account: PlayedServiceAccount, *, name: str, seconds: int) -> PlayedToken:
        """A new token."""
        now = datetime.now(UTC)
        token = PlayedToken(
            id=str(self.number()),
            name=name,
            key=f"glsa_{secrets.token_hex(16)}",
            created=now,
            expires=now + timedelta(seconds=seconds),
        )
        account.tokens[token.id] = token
        return token


@dataclass
class GrafanaRecords:
    """Workspaces by id."""

    workspaces: dict[str, PlayedWorkspace] = field(default_factory=dict)
