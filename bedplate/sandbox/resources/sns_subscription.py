"""AWS::SNS::Subscription."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.sns.models import sns_backends

from bedplate.sandbox.cloudformation.errors import NeedsReplacement, ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest


class SnsSubscriptionHandler:
    """A subscription that SNS lists."""

    def create(self, request: ResourceRequest) -> Made:
        """Subscribe the endpoint to a topic that exists."""
        backend, properties = sns_backends[request.account][request.region], request.properties
        if properties["TopicArn"] not in backend.topics:
            raise ResourceError(f"NotFound: topic {properties['TopicArn']} does not exist")
        subscription = backend.subscribe(
            properties["TopicArn"], properties.get("Endpoint", ""), properties["Protocol"]
        )
        return Made(subscription.arn, {"Arn": subscription.arn}.__getitem__, subscription)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """A subscription is replaced, not changed."""
        raise NeedsReplacement

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Unsubscribe."""
        sns_backends[request.account][request.region].unsubscribe(made.physical_id)
