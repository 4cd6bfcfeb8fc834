"""What moto's EFS refuses, as a stack sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from moto.core.exceptions import ServiceException
from werkzeug.exceptions import HTTPException

from bedplate.sandbox.cloudformation.errors import ResourceError

T = TypeVar("T")


def or_refused(call: Callable[[], T]) -> T:
    """What ``call`` gives; raises ``ResourceError`` where EFS refuses."""
    try:
        return call()
    except (ServiceException, HTTPException) as error:
        raise ResourceError(f"BadRequest: {error}") from error
