"""From an SSM Command document and parameters to the scripts that the agent runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moto.ssm.models import ssm_backends

from bedplate.sandbox.services.service import ApiError

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z0-9_.:-]+)\s*\}\}")
DEFAULT_EXECUTION_TIMEOUT_S = 3600

RUN_SHELL_SCRIPT: Mapping[str, Any] = {
    "schemaVersion": "2.2",
    "parameters": {
        "commands": {"type": "StringList", "minItems": 1},
        "workingDirectory": {"type": "String", "default": ""},
        "executionTimeout": {"type": "String", "default": "3600", "allowedPattern": "^[1-9][0-9]{0,5}$"},
    },
    "mainSteps": [
        {
            "action": "aws:runShellScript",
            "name": "aws:runShellScript",
            "inputs": {"timeoutSeconds": "{{ executionTimeout }}", "runCommand": "{{ commands }}"},
        }
    ],
}
"""AWS-RunShellScript, as far as the sandbox plays it."""


@dataclass(frozen=True)
class Step:
    """One script of a document."""

    name: str
    script: str
    timeout_s: int


def document_steps(
    *, account: str, region: str, name: str, parameters: Mapping[str, Sequence[str]]
) -> list[Step]:
    """The steps of a document with its parameters filled in.

    Refuses a document that does not exist, a parameter that it does not have or lacks, and a value that its
    ``allowedPattern`` or ``allowedValues`` do not allow, with the error codes of SendCommand.
    """
    content = _content(account, region, name)
    values = _values(content.get("parameters") or {}, parameters)
    return [_step(step, values) for step in content["mainSteps"]]


def _content(account: str, region: str, name: str) -> Mapping[str, Any]:
    if name == "AWS-RunShellScript":
        return RUN_SHELL_SCRIPT
    documents = ssm_backends[account][region]._documents
    wanted = name.rsplit("/", 1)[-1]
    if wanted not in documents:
        raise ApiError("InvalidDocument", f"Document {name} does not exist in your account")
    document = documents[wanted].get_default_version()
    if document.document_type != "Command":
        raise ApiError("InvalidDocument", f"Document {name} is of type {document.document_type}, not Command")
    content: Mapping[str, Any] = document.content_json
    return content


def _values(declared: Mapping[str, Any], given: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    unknown = sorted(set(given) - set(declared))
    if unknown:
        raise ApiError("InvalidParameters", f"Parameters {unknown} are not defined in the document")
    values = {}
    for name, declaration in declared.items():
        if name in given:
            values[name] = list(given[name])
        elif "default" in declaration:
            default = declaration["default"]
            values[name] = list(default) if isinstance(default, list) else [str(default)]
        else:
            raise ApiError("InvalidParameters", f"Parameter {name} is required")
        for value in values[name]:
            _check(name, declaration, value)
    return values


def _check(name: str, declaration: Mapping[str, Any], value: str) -> None:
    pattern = declaration.get("allowedPattern")
    if pattern and not re.fullmatch(pattern, value):
        raise ApiError("InvalidParameters", f"Parameter {name}: {value!r} does not match {pattern}")
    allowed = declaration.get("allowedValues")
    if allowed and value not in [str(item) for item in allowed]:
        raise ApiError("InvalidParameters", f"Parameter {name}: {value!r} is not one of {allowed}")


def _step(step: Mapping[str, Any], values: Mapping[str, list[str]]) -> Step:
    if step["action"] != "aws:runShellScript":
        raise ApiError(
            "InvalidDocument", f"SBX-019: the sandbox plays aws:runShellScript, not {step['action']}"
        )
    inputs = step["inputs"]
    lines = inputs["runCommand"]
    if isinstance(lines, str):
        lines = values[_PLACEHOLDER.fullmatch(lines.strip()).group(1)]  # type: ignore[union-attr]
    else:
        lines = [_filled(line, values) for line in lines]
    timeout = _filled(str(inputs.get("timeoutSeconds", DEFAULT_EXECUTION_TIMEOUT_S)), values)
    return Step(name=step["name"], script="\n".join(lines) + "\n", timeout_s=int(timeout))


def _filled(text: str, values: Mapping[str, list[str]]) -> str:
    def value(match: re.Match[str]) -> str:
        if match.group(1) not in values:
            return match.group(0)
        return "\n".join(values[match.group(1)])

    return _PLACEHOLDER.sub(value, text)
