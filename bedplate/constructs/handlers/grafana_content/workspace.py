"""The AWS side of a workspace: its configuration, who may come in, and a token for a few minutes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

TOKEN_SECONDS = 300
ACCOUNT = "bedplate-provisioner"
ACTIVE_SECONDS = 240
PAUSE_SECONDS = 5
Permissions = Mapping[str, Mapping[str, list[str]]]
"""Role (ADMIN, EDITOR, VIEWER) → type (SSO_GROUP, SSO_USER) → ids of IAM Identity Center."""


class WorkspaceError(Exception):
    """The workspace is not as it has to be."""


def active(
    client: Any, workspace_id: str, *, sleep: Callable[[float], None] = time.sleep
) -> Mapping[str, Any]:
    """What DescribeWorkspace tells of the workspace once nothing changes it any more."""
    for _ in range(ACTIVE_SECONDS // PAUSE_SECONDS):
        found: Mapping[str, Any] = client.describe_workspace(workspaceId=workspace_id)["workspace"]
        status = found["status"]
        if status == "ACTIVE":
            return found
        if not status.endswith("ING"):
            break
        sleep(PAUSE_SECONDS)
    raise WorkspaceError(f"the workspace {workspace_id} is {status}, not ACTIVE")


def configure(client: Any, workspace_id: str, wanted: Mapping[str, Any]) -> bool:
    """Bring the configuration to what is wanted; says whether it had to be changed, for that is a restart."""
    text = client.describe_workspace_configuration(workspaceId=workspace_id)["configuration"]
    found = json.loads(text) if isinstance(text, str) else dict(text)
    merged = _merged(found, wanted)
    if merged == found:
        return False
    client.update_workspace_configuration(workspaceId=workspace_id, configuration=json.dumps(merged))
    return True


def permit(client: Any, workspace_id: str, *, wanted: Permissions, before: Permissions) -> None:
    """Give the wanted roles, and take away those that ``before`` gave and nobody wants any more.

    What people have given by hand to others stays.
    """
    target, old = _flat(wanted), _flat(before)
    found = {
        (each["user"]["type"], each["user"]["id"]): each["role"]
        for page in client.get_paginator("list_permissions").paginate(workspaceId=workspace_id)
        for each in page["permissions"]
    }
    batch: dict[tuple[str, str], list[dict[str, str]]] = {}
    for who in sorted({*target, *old}):
        has, wants = found.get(who), target.get(who)
        if has == wants or (wants is None and has != old[who]):
            continue
        user = {"type": who[0], "id": who[1]}
        if has is not None:
            batch.setdefault(("REVOKE", has), []).append(user)
        if wants is not None:
            batch.setdefault(("ADD", wants), []).append(user)
    # Revoked first: nobody has two roles.
    instructions = [
        {"action": action, "role": role, "users": users}
        for (action, role), users in sorted(batch.items(), key=lambda each: each[0][0] != "REVOKE")
    ]
    if not instructions:
        return
    # The call succeeds also where none of its instructions did.
    answer = client.update_permissions(workspaceId=workspace_id, updateInstructionBatch=instructions)
    errors = "; ".join(_refused(each) for each in answer.get("errors", []))
    if errors:
        raise WorkspaceError(f"permissions of the workspace {workspace_id}: {errors}")


@contextmanager
def short_token(client: Any, workspace_id: str) -> Iterator[str]:
    """A token that ends with the block, or after five minutes where the block is cut off.

    So does the service account that it is of; one that a run before left behind goes first.
    """
    for page in client.get_paginator("list_workspace_service_accounts").paginate(workspaceId=workspace_id):
        for each in page["serviceAccounts"]:
            if each["name"] == ACCOUNT:
                client.delete_workspace_service_account(workspaceId=workspace_id, serviceAccountId=each["id"])
    account = client.create_workspace_service_account(
        workspaceId=workspace_id, name=ACCOUNT, grafanaRole="ADMIN"
    )["id"]
    try:
        made = client.create_workspace_service_account_token(
            workspaceId=workspace_id,
            serviceAccountId=account,
            name=ACCOUNT,
            secondsToLive=TOKEN_SECONDS,
        )["serviceAccountToken"]
        yield made["key"]
    except BaseException:
        try:
            _forget(client, workspace_id, account)
        except Exception as error:  # noqa: BLE001 - the first reason is the one to tell
            print(json.dumps({"left_behind": account, "error": repr(error)}))  # noqa: T201
        raise
    _forget(client, workspace_id, account)


def _forget(client: Any, workspace_id: str, account: str) -> None:
    """Delete the account's tokens one by one, then the account: one of the two is enough to end them."""
    try:
        for page in client.get_paginator("list_workspace_service_account_tokens").paginate(
            workspaceId=workspace_id, serviceAccountId=account
        ):
            for each in page["serviceAccountTokens"]:
                client.delete_workspace_service_account_token(
                    workspaceId=workspace_id, serviceAccountId=account, tokenId=each["id"]
                )
    finally:
        client.delete_workspace_service_account(workspaceId=workspace_id, serviceAccountId=account)


def _flat(permissions: Permissions) -> dict[tuple[str, str], str]:
    return {
        (kind, each): role
        for role, kinds in permissions.items()
        for kind, ids in kinds.items()
        for each in ids
    }


def _merged(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(found)
    for key, value in wanted.items():
        inner = merged.get(key)
        merged[key] = _merged(inner, value) if isinstance(value, dict) and isinstance(inner, dict) else value
    return merged


def _refused(error: Mapping[str, Any]) -> str:
    cause = error["causedBy"]
    who = ", ".join(f"{each['type']} {each['id']}" for each in cause["users"])
    return f"{cause['action']} {cause['role']} for {who}: {error['code']} {error['message']}"
