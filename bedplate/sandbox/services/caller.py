"""Whose account a request is for, by moto's own rule, so that both sides agree."""

from __future__ import annotations

import os

from moto.iam.models import get_account_id_from


def account_of(access_key: str) -> str:
    """The account that the server was started for (``MOTO_ACCOUNT_ID``), else the one of the key."""
    return os.environ.get("MOTO_ACCOUNT_ID") or get_account_id_from(access_key)
