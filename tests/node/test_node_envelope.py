"""Tests of the envelope: what was sent opens, and nothing else does."""

import base64
import gzip
import hashlib
import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.envelope import (
    EnvelopeCorruptError,
    EnvelopeCutError,
    EnvelopeEmptyError,
    EnvelopeError,
    EnvelopeForeignError,
    EnvelopeStaleError,
    open_envelope,
    seal,
)

NODE = "i-0123456789abcdef0"
NONCE = "nonce-12345678"
BODY = {"schema": 1, "simulated": True, "tools": [{"tool": "uname", "stdout": "6.1.0\n" * 50, "rc": 0}]}
TEXT = seal(body=BODY, instance_id=NODE, nonce=NONCE, command="probe")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=15,
)


def opened(text: str):
    """Open with the right expectations."""
    return open_envelope(text, instance_id=NODE, nonce=NONCE, command="probe")


@given(body=st.dictionaries(st.text(min_size=1, max_size=12), json_values, max_size=6))
def test_what_was_sealed_opens_unchanged(body) -> None:
    """Any JSON object survives the way, with who sent it and why added."""
    text = seal(body=body, instance_id=NODE, nonce=NONCE, command="probe")
    answer = opened(text)
    assert dict(answer.body) == {**body, "instance_id": NODE, "nonce": NONCE, "command": "probe"}


@given(position=st.integers(0, len(TEXT) - 1), letter=st.characters(codec="utf-8"))
def test_no_changed_character_opens_to_anything_else(position, letter) -> None:
    """A mutation is refused or, where it touches bits that carry nothing, opens to what was sent."""
    mutated = TEXT[:position] + letter + TEXT[position + 1 :]
    try:
        answer = opened(mutated)
    except EnvelopeError:
        return
    assert answer == opened(TEXT)


@given(length=st.integers(0, len(TEXT) - 2))
def test_no_prefix_opens(length) -> None:
    """An answer cut anywhere (but for its last newline) is refused."""
    with pytest.raises(EnvelopeError):
        opened(TEXT[:length])


@given(start=st.integers(1, len(TEXT) - 1))
def test_no_suffix_opens(start) -> None:
    """An answer whose beginning is missing is refused."""
    with pytest.raises(EnvelopeError):
        opened(TEXT[start:])


@given(start=st.integers(0, len(TEXT) - 3), length=st.integers(1, 200))
def test_no_answer_with_a_hole_opens_to_anything_else(start, length) -> None:
    """Lost characters in the middle are noticed; a lost line break is not a loss."""
    stop = min(start + length, len(TEXT) - 1)
    holed = TEXT[:start] + TEXT[stop:]
    try:
        answer = opened(holed)
    except EnvelopeError:
        return
    assert answer == opened(TEXT)
    assert TEXT[start:stop].strip() == ""


def test_another_nodes_answer_is_foreign() -> None:
    """An answer that another instance gave is refused by name."""
    with pytest.raises(EnvelopeForeignError, match="i-0123456789abcdef0"):
        open_envelope(TEXT, instance_id="i-0fedcba9876543210", nonce=NONCE)


def test_an_earlier_answer_is_stale() -> None:
    """An answer with the nonce of an earlier question is refused."""
    with pytest.raises(EnvelopeStaleError):
        open_envelope(TEXT, instance_id=NODE, nonce="nonce-87654321")


def test_an_answer_to_another_command_is_stale() -> None:
    """A probe's answer is none to an exercise."""
    with pytest.raises(EnvelopeStaleError, match="exercise"):
        open_envelope(TEXT, instance_id=NODE, nonce=NONCE, command="exercise")


@pytest.mark.parametrize("text", ["", "\n \n", "bash: python3: command not found\n"])
def test_no_envelope_at_all_is_empty(text) -> None:
    """Nothing, blanks and a shell's complaint are no answer."""
    with pytest.raises(EnvelopeEmptyError):
        opened(text)


def test_an_answer_cut_at_the_console_limit_is_cut() -> None:
    """The API shows 24,000 characters of an output; a longer answer read there is refused as cut."""
    noise = "".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(2000))
    long = seal(body={"noise": noise}, instance_id=NODE, nonce=NONCE, command="probe")
    assert len(long) > 24_000
    with pytest.raises(EnvelopeCutError):
        opened(long[:24_000])


def test_a_header_renamed_to_the_expected_node_is_corrupt() -> None:
    """Who forges only the header is found out by what the digest covers."""
    foreign = seal(body=BODY, instance_id="i-0fedcba9876543210", nonce=NONCE, command="probe")
    with pytest.raises(EnvelopeCorruptError, match="instance_id"):
        opened(foreign.replace("instance=i-0fedcba9876543210", f"instance={NODE}"))


def test_two_answers_are_refused() -> None:
    """One question has one answer."""
    with pytest.raises(EnvelopeCorruptError, match="2 answers"):
        opened(TEXT + TEXT)


def test_noise_around_the_answer_is_ignored() -> None:
    """A login banner before or a message after the answer does not matter."""
    assert opened("Welcome\n" + TEXT + "bye\n").body["schema"] == 1


def test_windows_line_ends_are_read() -> None:
    """A transport that rewrites line ends loses nothing."""
    assert opened(TEXT.replace("\n", "\r\n")) == opened(TEXT)


def test_a_body_that_is_no_object_is_corrupt() -> None:
    """The JSON must be an object, even where digest and length are right."""
    data = json.dumps([1]).encode()
    text = base64.b64encode(gzip.compress(data)).decode()
    forged = (
        f"-----BEGIN BEDPLATE ANSWER 1 instance={NODE} nonce={NONCE} command=probe bytes={len(text)} "
        f"sha256={hashlib.sha256(data).hexdigest()}-----\n{text}\n-----END BEDPLATE ANSWER-----\n"
    )
    with pytest.raises(EnvelopeCorruptError, match="no JSON object"):
        opened(forged)


@pytest.mark.parametrize("data", [b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_is_corrupt(data) -> None:
    """Bytes that the digest covers and that nobody can read are the answer's fault, not this program's."""
    packed = base64.b64encode(gzip.compress(data, mtime=0)).decode()
    header = f"instance={NODE} nonce={NONCE} command=probe bytes={len(packed)}"
    digest = hashlib.sha256(data).hexdigest()
    begin = f"-----BEGIN BEDPLATE ANSWER 1 {header} sha256={digest}-----"
    text = f"{begin}\n{packed}\n-----END BEDPLATE ANSWER-----\n"
    with pytest.raises(EnvelopeCorruptError, match="no JSON"):
        opened(text)


def test_a_length_that_no_answer_has_is_corrupt() -> None:
    """Python refuses to read a number of thousands of digits; the header cannot be read then."""
    text = TEXT.replace("bytes=", "bytes=" + "9" * 5000)
    with pytest.raises(EnvelopeCorruptError, match="cannot be read"):
        opened(text)


def test_a_later_version_is_refused() -> None:
    """A node program of another envelope version is not guessed at."""
    with pytest.raises(EnvelopeCorruptError, match="version 2"):
        opened(TEXT.replace("ANSWER 1", "ANSWER 2"))


def test_the_layout_is_the_documented_one() -> None:
    """Header, 76 columns of base64, end mark: what a person sees in the bucket."""
    lines = TEXT.splitlines()
    assert lines[0].startswith(
        f"-----BEGIN BEDPLATE ANSWER 1 instance={NODE} nonce={NONCE} command=probe bytes="
    )
    assert lines[-1] == "-----END BEDPLATE ANSWER-----"
    assert all(len(line) == 76 for line in lines[1:-2])


def test_a_large_answer_is_sealed_in_a_time_that_grows_with_it() -> None:
    """16 MB that do not pack, as a login node's jobs may answer: seconds, where wrapping took minutes."""
    noise = base64.b64encode(random.Random(7).randbytes(12_000_000)).decode("ascii")
    begun = time.process_time()
    text = seal(body={"log": noise}, instance_id=NODE, nonce=NONCE, command="probe")
    assert time.process_time() - begun < 20
    assert opened(text).body["log"] == noise
