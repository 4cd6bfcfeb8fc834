"""What PCS refuses of one more node group or queue: a name that is taken, and the eleventh of a cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError

MOST_IN_A_CLUSTER = 10
"""Node groups, and queues, of one cluster: quotas that AWS does not raise.

Source: AWS PCS User Guide, "Endpoints and service quotas", internal quotas.
"""


def refuse_second_of_name(kind: str, name: str | None, others: Iterable[Mapping[str, Any]]) -> None:
    """ResourceError where one of ``others`` (PCS records of that kind) has the name.

    Where a create-only property changes, CloudFormation makes the new resource before it deletes the old
    one, so a replacement under an unchanged name ends here, as it does at AWS. The text is PCS's own
    (https://docs.aws.amazon.com/botocore/latest/reference/services/pcs/client/exceptions/ConflictException.html).
    """
    if name is not None and any(other["name"] == name for other in others):
        raise ResourceError(f"ConflictException: A {kind} with the same name already exists: {name}")


def refuse_one_too_many(kind: str, others: Collection[Mapping[str, Any]]) -> None:
    """ResourceError where a cluster that has ``others`` takes no more of that kind."""
    if len(others) >= MOST_IN_A_CLUSTER:
        raise ResourceError(
            f"ServiceQuotaExceededException: a cluster has at most {MOST_IN_A_CLUSTER} of kind {kind}"
        )
