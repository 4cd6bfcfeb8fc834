"""The cluster's API server refused, or was out of reach."""

from __future__ import annotations

from bedplate.errors import AwsRefused

_OUT_OF_REACH = (
    "The API server answers inside of the VPC alone unless `orchestrator.public_endpoint_from` names your "
    "network: run the command from there, or from the runner in the account."
)
_DENIED = (
    "Give your role an access entry of the cluster: name it in `orchestrator.administrators`, and deploy."
)
_REFUSED = "Mend what the message names, then run the command again."


class ClusterRefused(AwsRefused):
    """``status`` is the HTTP status, 0 where no answer came."""

    def __init__(self, message: str, *, status: int) -> None:
        error_id, remedy = _told(status)
        super().__init__(message, error_id=error_id, remedy=remedy)
        self.status = status


def _told(status: int) -> tuple[str, str]:
    if status == 0:
        return "KAP-001", _OUT_OF_REACH
    return ("KAP-002", _DENIED) if status in (401, 403) else ("KAP-003", _REFUSED)
