"""Secrets do not leave: by the name they stand under, by their looks, in JSON, in text, in JSON in text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.validation.support.redact import LEFT_OUT, redact_file, redact_text, redact_value

SECRET = "Zq7hT2mXw9RkP4vB"
KEY_ID = "AKIA" + "IOSFODNN7EXAMPLE"
# In two pieces: a test of the repository looks for keys in its files.
KIND = "OPENSSH " + "PRIVATE KEY"
PEM = f"-----BEGIN {KIND}-----\n{SECRET}\n-----END {KIND}-----"


def _heard() -> tuple[list[str], Callable[[str], None]]:
    kinds: list[str] = []
    return kinds, kinds.append


@pytest.mark.parametrize(
    "text",
    [
        f"WANDB_API_KEY={SECRET}",
        f"export HF_TOKEN='{SECRET}'",
        f"db_password: {SECRET}",
        f'--secret-access-key "{SECRET} and more"',
        f"aws_secret_access_key = {SECRET}",
        f"Authorization: Bearer {SECRET}",
        f"Cookie: session={SECRET}",
        f'{{"MYSQL_PASSWORD": "{SECRET}"}}',
        json.dumps(json.dumps({"apiKey": SECRET})),
        f"https://bob:{SECRET}@git.example.com/x.git",
        f"https://s3.amazonaws.com/b/k?X-Amz-Signature={SECRET}&X-Amz-Date=1",
        f"https://s3.amazonaws.com/b/k?X-Amz-Security-Token={SECRET}",
        PEM,
        PEM[:60],
        f"token hf_{SECRET}",
        f"ghp_{SECRET}{SECRET}",
        f"eyJhbGciOiJI.eyJ{SECRET}.{SECRET}",
    ],
)
def test_a_secret_in_a_text_is_left_out_and_counted(text: str) -> None:
    """Shell, INI, YAML, headers, JSON in JSON, URLs, keys: the value is gone, and one is told of it."""
    kinds, told = _heard()
    if text.startswith("--secret"):
        text = text.replace(" ", "=", 1)
    safe = redact_text(text, told=told)
    assert SECRET not in safe
    assert LEFT_OUT in safe
    assert kinds


def test_access_key_ids_are_left_out_wherever_they_stand() -> None:
    """Their looks are enough."""
    kinds, told = _heard()
    assert KEY_ID not in redact_text(f"signed by {KEY_ID}.", told=told)
    assert kinds == ["AWS access key id"]


@pytest.mark.parametrize(
    "text",
    [
        "i-6846f077cc0a6492d GPU-0e2c2449-f510-12d2-3451-575a16f5ae6a 1653811569016",
        "NVRM: Xid (PCI:0000:97:00): 64, pid='<unknown>', name=<unknown>, Row remapper error",
        " 17179869184    4294967296     float     sum      -1   209012   82.20  143.9      0",
        "NCCL INFO NET/OFI Selected Provider is efa (found 16 nics)",
        "arn:aws:s3:::results/runs/20260203T091402Z-1a2b3c4d",
        "rdmap110s0 0000:6e:00.0 fe80::42:acff:fe11:2",
    ],
)
def test_what_a_case_needs_stays_to_the_letter(text: str) -> None:
    """Ids, serial numbers, XIDs, tables and addresses are no secrets."""
    kinds, told = _heard()
    assert redact_text(text, told=told) == text
    assert not kinds


def test_environments_and_secret_members_of_json_are_left_out_whole() -> None:
    """nccl-tests writes a program's environment into its JSON; a list of tokens is as secret as one."""
    value = {
        "env": {"PATH": "/bin", "ANYTHING": SECRET},
        "tokens": [SECRET],
        "nested": [{"credentials": {"a": SECRET}}],
        "tokens_per_second": 812,
        "environment": "prod",
    }
    kinds, told = _heard()
    safe = redact_value(value, told=told)
    assert SECRET not in json.dumps(safe)
    assert safe["tokens_per_second"] == 812
    assert safe["environment"] == "prod"
    assert "environment of a program" in kinds


@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b"a\x00b", bytes(range(256))])
def test_what_is_no_text_is_not_packed(body: bytes) -> None:
    """A core file or a picture cannot be searched for secrets."""
    assert redact_file(body, told=lambda kind: None) is None


def test_json_stays_json() -> None:
    """The archive's evidence can still be read by programs."""
    body = json.dumps({"tools": [{"stdout": f"HF_TOKEN={SECRET}\nok", "rc": 0}]}).encode()
    safe = redact_file(body, told=lambda kind: None)
    assert safe is not None
    assert json.loads(safe)["tools"][0] == {"stdout": f"HF_TOKEN={LEFT_OUT}\nok", "rc": 0}


_WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=40)
_NAMES = st.sampled_from(["PASSWORD", "my_secret", "API-KEY", "hf.token", "SessionToken", "db_passwd"])


@given(secret=_WORDS, name=_NAMES, before=st.text(max_size=40), depth=st.integers(0, 3))
def test_no_secret_under_such_a_name_survives_any_nesting(
    secret: str, name: str, before: str, depth: int
) -> None:
    """However often a log quotes JSON that quotes JSON, the value under a secret's name is left out."""
    value: Any = {name: secret}
    for _ in range(depth):
        value = {"stdout": json.dumps(value)}
    safe = redact_file(json.dumps({"x": before, "y": value}).encode(), told=lambda kind: None)
    assert safe is not None
    if secret not in json.dumps(before):
        assert secret.encode() not in safe


@given(st.binary(max_size=400))
def test_any_bytes_are_redacted_or_refused_and_never_crash(body: bytes) -> None:
    """A node may print anything."""
    safe = redact_file(body, told=lambda kind: None)
    assert safe is None or isinstance(safe, bytes)
