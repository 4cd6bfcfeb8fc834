"""Secrets are taken out of what leaves the account: by the names that they stand under, and by their looks.

What a person typed into a job may be anything, so this is the second wall: the first is that the node program
collects no environments and no command lines of processes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

LEFT_OUT = "[left out]"

_NAMES = re.compile(
    r"passw|passphrase|secret|token|credential|authorization|api[-_]?key|access[-_]?key|private[-_]?key|"
    r"license[-_]?key|cookie|session[-_]?id|connection[-_]?string",
    re.IGNORECASE,
)
_BLOCKS = frozenset({"env", "environ", "environment", "environment_variables", "envvars"})
"""Blocks that hold a program's environment, such as nccl-tests writes into its JSON."""

_QUOTE = r"""\\*["']?"""
_LOOKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
        ),
    ),
    ("AWS access key id", re.compile(r"\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}\b")),
    ("JSON web token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")),
    ("bearer token", re.compile(r"(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)),
    (
        "token of a known make",
        re.compile(r"\b(?:hf_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-)[\w-]{10,}"),
    ),
    ("signed URL", re.compile(r"(?<=X-Amz-)(?:Signature|Credential|Security-Token)=[^&\s\"'\\]+")),
    ("password in a URL", re.compile(r"(?<=://)[^/\s:@\"'\\]+:[^/\s@\"'\\]+(?=@)")),
    (
        "value under a secret's name",
        re.compile(
            rf"(?P<head>[\w.-]*(?:{_NAMES.pattern})[\w.-]*{_QUOTE}\s*(?:=|:)\s*)"
            rf"(?P<value>\\+\"(?:(?!\\+\").)*\\+\"|\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s,;&\"'}}\]]+)",
            re.IGNORECASE,
        ),
    ),
)

Told = Callable[[str], None]


def redact_file(body: bytes, *, told: Told) -> bytes | None:
    """A text or JSON file without secrets; None for one that is no text. ``told`` hears what was left out."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\x00" in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return redact_text(text, told=told).encode("utf-8")
    return (json.dumps(redact_value(value, told=told), indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def redact_value(value: Any, *, told: Told) -> Any:
    """A JSON value without environments and without what stands under a secret's name; texts redacted."""
    if isinstance(value, dict):
        return {
            redact_text(str(key), told=told): _member(str(key), item, told) for key, item in value.items()
        }
    if isinstance(value, list):
        return [redact_value(item, told=told) for item in value]
    return redact_text(value, told=told) if isinstance(value, str) else value


def redact_text(text: str, *, told: Told) -> str:
    """A text without what looks like a secret."""
    for kind, pattern in _LOOKS:

        def leave_out(match: re.Match[str], kind: str = kind) -> str:
            told(kind)
            return f"{match.groupdict().get('head', '')}{LEFT_OUT}"

        text = pattern.sub(leave_out, text)
    return text


def _member(key: str, value: Any, told: Told) -> Any:
    if key.lower() in _BLOCKS and isinstance(value, (dict, list)):
        told("environment of a program")
        return LEFT_OUT
    # Numbers and flags are counts (`tokens_per_second`), not secrets.
    if _NAMES.search(key) and isinstance(value, (str, list, dict)):
        told("value under a secret's name")
        return LEFT_OUT
    return redact_value(value, told=told)
