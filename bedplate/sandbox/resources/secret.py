"""AWS::SecretsManager::Secret, which moto has by its API only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moto.secretsmanager.models import secretsmanager_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest


class SecretHandler:
    """A secret with a string that is given, or made up by Secrets Manager's own rules."""

    def create(self, request: ResourceRequest) -> Made:
        """Make the secret with its first version, where there is anything to put into it."""
        name = request.properties.get("Name") or generated_name(request)
        backend = secretsmanager_backends[request.account][request.region]
        if name in backend.secrets:
            raise ResourceError(
                f"ResourceExistsException: The operation failed because the secret {name} already exists."
            )
        secret, _ = backend._add_secret(
            name,
            secret_string=_text(request),
            description=request.properties.get("Description"),
            tags=[{"Key": key, "Value": value} for key, value in request.all_tags().items()],
            kms_key_id=request.properties.get("KmsKeyId"),
            replica_regions=[],
        )
        return Made(secret.arn, {"Id": secret.arn}.__getitem__, secret)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """A changed string, or changed rules for one, are a new version; all else leaves the value alone."""
        properties = request.properties
        how = ("SecretString", "GenerateSecretString")
        changed = any(properties.get(name) != old.get(name) for name in how)
        secretsmanager_backends[request.account][request.region]._add_secret(
            made.state.name,
            secret_string=_text(request) if changed else None,
            description=properties.get("Description"),
            tags=[{"Key": key, "Value": value} for key, value in request.all_tags().items()],
            kms_key_id=properties.get("KmsKeyId"),
        )
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete it at once, as CloudFormation does; one that is gone is no error."""
        secretsmanager_backends[request.account][request.region].secrets.pop(made.state.name)


def _text(request: ResourceRequest) -> str | None:
    """What is put into the secret; None where nothing is."""
    given = request.properties.get("SecretString")
    rules: Mapping[str, Any] | None = request.properties.get("GenerateSecretString")
    if given is not None and rules is not None:
        raise ResourceError("Invalid request: SecretString and GenerateSecretString are both given")
    if rules is None:
        return None if given is None else str(given)
    template, key = rules.get("SecretStringTemplate"), rules.get("GenerateStringKey")
    if (template is None) != (key is None):
        raise ResourceError("Invalid request: SecretStringTemplate and GenerateStringKey go together")
    password = _password(request, rules)
    if template is None:
        return password
    try:
        members = json.loads(template)
    except ValueError as error:
        raise ResourceError("Invalid request: SecretStringTemplate is not JSON") from error
    return json.dumps({**members, key: password})


def _password(request: ResourceRequest, rules: Mapping[str, Any]) -> str:
    def yes(name: str) -> bool:
        return rules.get(name) in (True, "true")

    answer = secretsmanager_backends[request.account][request.region].get_random_password(
        password_length=int(rules.get("PasswordLength", 32)),
        exclude_characters=str(rules.get("ExcludeCharacters", "")),
        exclude_numbers=yes("ExcludeNumbers"),
        exclude_punctuation=yes("ExcludePunctuation"),
        exclude_uppercase=yes("ExcludeUppercase"),
        exclude_lowercase=yes("ExcludeLowercase"),
        include_space=yes("IncludeSpace"),
        require_each_included_type=rules.get("RequireEachIncludedType") not in (False, "false"),
    )
    return str(json.loads(answer)["RandomPassword"])
