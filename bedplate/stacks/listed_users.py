"""Users of the environment file as nodes take them."""

from __future__ import annotations

from bedplate.node.users.listed import ListedUser, UserList
from bedplate.spec.orchestrator import SlurmCommon


def user_list(slurm: SlurmCommon | None) -> UserList | None:
    """Return the list, or None where the file has none and Bedplate leaves users alone."""
    if slurm is None or not slurm.users:
        return None
    return UserList(slurm.homes, tuple(ListedUser(user.name, user.uid) for user in slurm.users))
