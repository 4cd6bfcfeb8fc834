"""AWS::CodeBuild::Project: remembered as its API tells it, and run by the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.sandbox import Sandbox

LONGEST_NAME = 150
"""CodeBuild API, CreateProject, ``name``."""
DEFAULT_TIMEOUT_MINUTES = 60


class CodeBuildProjectHandler:
    """Projects whose source is a zip in S3 with a buildspec of JSON; others are refused."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._projects = sandbox.builds.projects

    def create(self, request: ResourceRequest) -> Made:
        """Make the project."""
        name = request.properties.get("Name") or generated_name(request, longest=LONGEST_NAME)
        if name in self._projects:
            raise ResourceError(f"Project already exists: {request.arn('codebuild', f'project/{name}')}")
        return self._put(request, name)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Replace what it holds; the name stays."""
        return self._put(request, made.physical_id)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete it; a build that runs goes on."""
        self._projects.pop(made.physical_id, None)

    def _put(self, request: ResourceRequest, name: str) -> Made:
        properties = request.properties
        source, environment = properties["Source"], properties["Environment"]
        if source["Type"] != "S3" or not source.get("BuildSpec", "").startswith("{"):
            raise ResourceError(
                "SBX-012: the sandbox plays projects with a source in S3 and a JSON buildspec"
            )
        arn = request.arn("codebuild", f"project/{name}")
        self._projects[name] = {
            "name": name,
            "arn": arn,
            "description": properties.get("Description", ""),
            "serviceRole": properties["ServiceRole"],
            "source": {"type": "S3", "location": source["Location"], "buildspec": source["BuildSpec"]},
            "artifacts": {"type": properties["Artifacts"]["Type"]},
            "timeoutInMinutes": int(properties.get("TimeoutInMinutes") or DEFAULT_TIMEOUT_MINUTES),
            "environment": {
                "type": environment["Type"],
                "image": environment["Image"],
                "computeType": environment["ComputeType"],
                "environmentVariables": [
                    {"name": each["Name"], "value": each["Value"], "type": each.get("Type", "PLAINTEXT")}
                    for each in environment.get("EnvironmentVariables", [])
                ],
            },
        }
        return Made(name, {"Arn": arn, "Id": name}.__getitem__)
