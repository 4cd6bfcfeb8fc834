"""AWS::SNS::TopicPolicy, with effect on the topics."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moto.sns.models import sns_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest


class SnsTopicPolicyHandler:
    """Puts a policy on topics."""

    def create(self, request: ResourceRequest) -> Made:
        """Put the policy on every topic that it names."""
        self._put(request)
        physical_id = f"{request.stack_name}-{request.logical_id}"
        return Made(physical_id, {"Id": physical_id}.__getitem__)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Put the new policy in the old one's place."""
        self._put(request)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """The policy goes with its topics; AWS puts the default one back."""

    def _put(self, request: ResourceRequest) -> None:
        topics = sns_backends[request.account][request.region].topics
        for arn in request.properties["Topics"]:
            if arn not in topics:
                raise ResourceError(f"NotFound: topic {arn} does not exist")
            topics[arn].policy = json.dumps(request.properties["PolicyDocument"])
