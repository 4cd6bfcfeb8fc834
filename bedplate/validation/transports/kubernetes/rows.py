"""What ``bedplate explain`` says about the API server of a Kubernetes cluster."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="KAP-001",
        title="The cluster's API server cannot be reached",
        what="A request to the API server got no answer, again and again.",
        why="What was not asked is not known; a run that is cut off never counts as passed.",
        fix="The API server answers inside of the VPC alone, unless `orchestrator.public_endpoint_from` "
        "names your network. Run the command from there, or from the runner in the account.",
        by_hand="`aws eks update-kubeconfig --name CLUSTER --region REGION && kubectl get --raw /readyz`",
    ),
    CheckRow(
        id="KAP-002",
        title="The caller may not do this in the cluster",
        what="Whether the cluster knows who runs the command, and lets it do what the message names.",
        why="A question that may not be asked is a check that could not be made, not a pass.",
        fix="Name your role in `orchestrator.administrators` and deploy: that makes an access entry of it.",
        by_hand="`kubectl auth can-i create jobs -n bedplate-system`",
    ),
    CheckRow(
        id="KAP-003",
        title="The API server refused the request",
        what="The API server understood the request and refused it for the reason in the message.",
        why="The command cannot go on with what the cluster refuses.",
        fix="Mend what the message names, such as an admission policy, then run the command again.",
        by_hand="Repeat the request that the message names with `kubectl`.",
    ),
)

ROWS = {row.id: row for row in _ROWS}
"""Id → row."""
