"""Where a desk's things lie in the result bucket; both sides read it here.

::

    desk/INSTANCE/alive.json             the desk's sign of life, every half minute
    desk/INSTANCE/answers/NONCE.txt      what the program printed
    desk/INSTANCE/answers/NONCE.json     how it ended; put last, so that it says that the answer is whole
    desk/INSTANCE/asked/NONCE.json       an order, until it is taken
    desk/INSTANCE/cancelled/NONCE        nobody waits for this one any more
"""

from __future__ import annotations

PREFIX = "desk"
ALIVE_SECONDS = 30.0
"""How often a desk gives a sign of life."""
LOST_SECONDS = 90.0
"""A desk whose last sign of life is older does not answer."""


def folder_of(instance_id: str) -> str:
    """All of one desk."""
    return f"{PREFIX}/{instance_id}/"


def alive_key(instance_id: str) -> str:
    """The sign of life."""
    return f"{folder_of(instance_id)}alive.json"


def asked_folder(instance_id: str) -> str:
    """The orders; what stands behind it in the order of a listing are the cancellations, and no answers."""
    return f"{folder_of(instance_id)}asked/"


def asked_key(instance_id: str, nonce: str) -> str:
    """One order."""
    return f"{asked_folder(instance_id)}{nonce}.json"


def cancelled_folder(instance_id: str) -> str:
    """The cancellations."""
    return f"{folder_of(instance_id)}cancelled/"


def cancelled_key(instance_id: str, nonce: str) -> str:
    """One cancellation."""
    return f"{cancelled_folder(instance_id)}{nonce}"


def answer_key(instance_id: str, nonce: str) -> str:
    """What was printed."""
    return f"{folder_of(instance_id)}answers/{nonce}.txt"


def status_key(instance_id: str, nonce: str) -> str:
    """How it ended."""
    return f"{folder_of(instance_id)}answers/{nonce}.json"
