"""The AWS side of the handler of Grafana's content, against a client that remembers."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from tests.constructs.grafana_aws import Client
from tests.constructs.grafana_handler import load

ID = "g-0123456789"
ALICE, BOB, EVE = "alice", "bob", "eve"


@pytest.fixture
def client() -> Client:
    """A workspace in which nothing is yet."""
    return Client()


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module."""
    return load("workspace", monkeypatch)


def test_a_workspace_that_changes_is_waited_for(module: ModuleType, client: Client) -> None:
    """Until it is active, and not for ever."""
    slept: list[float] = []
    client.statuses = ["CREATING", "UPDATING", "ACTIVE"]
    assert module.active(client, ID, sleep=slept.append)["status"] == "ACTIVE"
    assert len(slept) == 2
    client.statuses = ["UPDATING"]
    with pytest.raises(module.WorkspaceError, match="is UPDATING, not ACTIVE"):
        module.active(client, ID, sleep=slept.append)
    assert sum(slept) <= module.ACTIVE_SECONDS + 2 * module.PAUSE_SECONDS


@pytest.mark.parametrize("status", ["UPDATE_FAILED", "DEGRADED", "CREATION_FAILED"])
def test_a_workspace_at_fault_is_not_waited_for(module: ModuleType, client: Client, status: str) -> None:
    """What will not become active by itself is told at once."""
    client.statuses = [status]
    with pytest.raises(module.WorkspaceError, match=f"is {status}"):
        module.active(client, ID, sleep=pytest.fail)


def test_a_configuration_is_merged_and_changed_only_where_it_differs(
    module: ModuleType, client: Client
) -> None:
    """What AWS or people set beside ours stays, for a change restarts Grafana."""
    wanted = {"unifiedAlerting": {"enabled": True}, "plugins": {"pluginAdminEnabled": False}}
    assert module.configure(client, ID, wanted)
    assert client.configuration == {**wanted, "kept": 1}
    assert not module.configure(client, ID, wanted)
    assert client.calls == ["configure"]


def test_roles_are_given_and_taken(module: ModuleType, client: Client) -> None:
    """Revoked first; who has what is wanted is left alone, and so is whom others let in or moved."""
    client.permissions = {
        ("SSO_USER", ALICE): "VIEWER",
        ("SSO_USER", BOB): "ADMIN",
        ("SSO_USER", EVE): "EDITOR",
        ("SSO_USER", "guest"): "VIEWER",
        ("SSO_GROUP", "ops"): "ADMIN",
    }
    module.permit(
        client,
        ID,
        wanted={"ADMIN": {"SSO_USER": [ALICE], "SSO_GROUP": ["ops"]}, "EDITOR": {"SSO_GROUP": ["dev"]}},
        before={"ADMIN": {"SSO_USER": [BOB, EVE], "SSO_GROUP": ["ops"]}},
    )
    revoked = [call for call in client.calls if call.startswith("REVOKE")]
    assert client.calls[: len(revoked)] == revoked
    assert set(client.calls) == {
        f"REVOKE VIEWER {ALICE}",
        f"REVOKE ADMIN {BOB}",
        f"ADD ADMIN {ALICE}",
        "ADD EDITOR dev",
    }


def test_nothing_to_give_is_no_call(module: ModuleType, client: Client) -> None:
    """A workspace of SAML alone takes no permissions, and is asked for none."""
    module.permit(client, ID, wanted={}, before={})
    assert client.calls == []


def test_errors_beside_a_good_answer_are_told(module: ModuleType, client: Client) -> None:
    """Who, what and why."""
    users = [{"type": "SSO_GROUP", "id": "ops"}]
    cause = {"action": "ADD", "role": "ADMIN", "users": users}
    client.errors = [{"code": 404, "message": "not found", "causedBy": cause}]
    with pytest.raises(module.WorkspaceError, match="ADD ADMIN for SSO_GROUP ops: 404 not found"):
        module.permit(client, ID, wanted={"ADMIN": {"SSO_GROUP": ["ops"]}}, before={})


def test_a_token_is_short_and_goes(module: ModuleType, client: Client) -> None:
    """Five minutes, and gone with the block, its account too."""
    with module.short_token(client, ID) as key:
        assert key == "glsa_1"
        assert client.tokens == {"9": 300}
    assert (client.tokens, client.accounts) == ({}, {})
    assert client.calls == ["account ADMIN", "token", "token gone", "account gone"]


def test_a_token_goes_where_the_work_fails(module: ModuleType, client: Client) -> None:
    """The reason is the work's."""
    with pytest.raises(ValueError, match="push"), module.short_token(client, ID):
        raise ValueError("push")
    assert (client.tokens, client.accounts) == ({}, {})


def test_an_account_goes_where_no_token_was_made(module: ModuleType, client: Client) -> None:
    """A refused token leaves no account behind."""
    client.breaks = {"token"}
    with pytest.raises(RuntimeError, match="token broke"), module.short_token(client, ID):
        pytest.fail("no token")
    assert client.accounts == {}


def test_a_token_that_cannot_be_deleted_goes_with_its_account(module: ModuleType, client: Client) -> None:
    """And the failure is told."""
    client.breaks = {"token gone"}
    with pytest.raises(RuntimeError, match="token gone broke"), module.short_token(client, ID):
        pass
    assert client.accounts == {}


def test_the_first_reason_is_told_where_both_fail(
    module: ModuleType, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was left behind is in the function's log."""
    client.breaks = {"account gone"}
    with pytest.raises(ValueError, match="push"), module.short_token(client, ID):
        raise ValueError("push")
    assert json.loads(capsys.readouterr().out)["left_behind"] == "7"


def test_what_a_run_before_left_goes_first(module: ModuleType, client: Client) -> None:
    """A function that was cut off leaves an account of this name; others' accounts stay."""
    client.accounts = {"3": module.ACCOUNT, "4": "terraform"}
    with module.short_token(client, ID):
        assert "3" not in client.accounts
    assert client.accounts == {"4": "terraform"}
