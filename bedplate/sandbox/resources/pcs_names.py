"""One name, one resource: PCS finds clusters, node groups and queues by name as well as by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError


def refuse_second_of_name(kind: str, name: str | None, others: Iterable[Mapping[str, Any]]) -> None:
    """ResourceError where one of ``others`` (PCS records of that kind) has the name.

    Where a create-only property changes, CloudFormation makes the new resource before it deletes the old
    one, so a replacement under an unchanged name ends here, as it does at AWS. The text is PCS's own
    (https://docs.aws.amazon.com/botocore/latest/reference/services/pcs/client/exceptions/ConflictException.html).
    """
    if name is not None and any(other["name"] == name for other in others):
        raise ResourceError(f"ConflictException: A {kind} with the same name already exists: {name}")
