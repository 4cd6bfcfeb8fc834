"""PRE-026: the keys that encrypt file systems can be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-026",
    title="the keys that encrypt file systems can be used",
    what="For each `kms_key` of a file system: that KMS has it, that it is enabled, and that it encrypts and "
    "decrypts by one key (KMS DescribeKey). Who may use it is in its policy, which is not looked at.",
    why="A file system's key cannot be changed later. With a key that is not there, or that waits for its "
    "deletion, the file system fails after the network has been made.",
    fix="Enable the key, cancel its deletion, or name another.",
    by_hand="`aws kms describe-key --key-id KEY`",
)


def applies(environment: Environment) -> bool:
    """Where a file system names a key."""
    return bool(_keys(environment))


def _keys(environment: Environment) -> list[str]:
    keys = [getattr(each, "kms_key", None) for each in environment.storage.file_systems]
    return sorted({key for key in keys if key})


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for each key; all that is wrong is told at once."""
    writer, keys = Writer(ROW.id), _keys(preflight.environment)
    problems = [problem for key in keys for problem in _problems(key, _described(preflight, key))]
    if problems:
        return [writer.failed("; ".join(problems), remedy=ROW.fix)]
    return [writer.passed(f"{', '.join(keys)}: enabled", measured=len(keys), expected=len(keys), unit="keys")]


def _problems(key: str, row: Mapping[str, Any] | None) -> list[str]:
    if row is None:
        return [f"there is no key {key}"]
    problems = []
    if row.get("KeyState") != "Enabled":
        problems.append(f"{key} is {row.get('KeyState')}, not Enabled")
    if row.get("KeySpec", "SYMMETRIC_DEFAULT") != "SYMMETRIC_DEFAULT":
        problems.append(f"{key} is of the kind {row.get('KeySpec')}, and storage takes symmetric keys")
    return problems


def _described(preflight: Preflight, key: str) -> Mapping[str, Any] | None:
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"asking for the key {key}"):
            found: Mapping[str, Any] = preflight.clients.kms.describe_key(KeyId=key)["KeyMetadata"]
    except AwsRefused as error:
        if error_code(error.__cause__) != "NotFoundException":
            raise
        return None
    return found
