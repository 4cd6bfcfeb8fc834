"""The envelope that a node's answer travels in, so that a cut, foreign, stale or empty one is never judged.

::

    -----BEGIN BEDPLATE ANSWER 1 instance=<id> nonce=<nonce> command=<cmd> bytes=<n> sha256=<hex>-----
    <base64 of gzip(JSON), 76 columns>
    -----END BEDPLATE ANSWER-----

``bytes`` counts the base64 text without its newlines, ``sha256`` is of the JSON bytes. Identity, nonce and
command stand in the JSON too: the header must agree with what the digest covers, so no change of a header
makes another answer.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

ENVELOPE_VERSION = 1
_COLUMNS = 76
_JSON_LIMIT_BYTES = 1 << 30
_END = "-----END BEDPLATE ANSWER-----"
_BEGIN_MARK = "-----BEGIN BEDPLATE ANSWER"
_BEGIN = re.compile(
    r"^-----BEGIN BEDPLATE ANSWER (?P<version>[0-9]{1,18}) instance=(?P<instance>\S+) nonce=(?P<nonce>\S+)"
    r" command=(?P<command>\S+) bytes=(?P<bytes>[0-9]{1,18}) sha256=(?P<sha256>[0-9a-f]{64})-----$"
)


class EnvelopeError(Exception):
    """The text holds no answer that may be judged."""


class EnvelopeEmptyError(EnvelopeError):
    """There is no envelope at all."""


class EnvelopeCutError(EnvelopeError):
    """The envelope is not whole: its end or a part of its body is missing."""


class EnvelopeForeignError(EnvelopeError):
    """The envelope is another node's."""


class EnvelopeStaleError(EnvelopeError):
    """The envelope answers another question: its nonce or its command is not the one that was sent."""


class EnvelopeCorruptError(EnvelopeError):
    """The envelope contradicts itself."""


@dataclass(frozen=True)
class Answer:
    """A node's answer that is whole, its own and fresh."""

    instance_id: str
    nonce: str
    command: str
    simulated: bool
    body: Mapping[str, Any]


def seal(*, body: Mapping[str, Any], instance_id: str, nonce: str, command: str) -> str:
    """The envelope around ``body``, newline at its end; identity, nonce and command are added to the JSON."""
    sealed: Dict[str, Any] = {**body, "instance_id": instance_id, "nonce": nonce, "command": command}
    data = json.dumps(sealed, sort_keys=True, separators=(",", ":")).encode("utf-8")
    text = base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")
    begin = (
        f"{_BEGIN_MARK} {ENVELOPE_VERSION} instance={instance_id} nonce={nonce} command={command}"
        f" bytes={len(text)} sha256={hashlib.sha256(data).hexdigest()}-----"
    )
    lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
    return "\n".join([begin, *lines, _END, ""])


def open_envelope(text: str, *, instance_id: str, nonce: str, command: Optional[str] = None) -> Answer:
    """The answer in ``text``: from ``instance_id``, fresh by ``nonce``, and to ``command`` where given.

    Lines outside the envelope are ignored; two envelopes are refused. Raises a subclass of ``EnvelopeError``.
    """
    header, lines = _find(text)
    if header["instance"] != instance_id:
        raise EnvelopeForeignError(f"asked {instance_id}, the answer is of {header['instance']}")
    if header["nonce"] != nonce:
        raise EnvelopeStaleError(
            "the answer is to an earlier question: its nonce is not the one that was sent"
        )
    if command is not None and header["command"] != command:
        raise EnvelopeStaleError(f"asked for {command!r}, the answer is to {header['command']!r}")
    body = _decode(header, lines)
    for key, field in (("instance_id", "instance"), ("nonce", "nonce"), ("command", "command")):
        if body.get(key) != header[field]:
            raise EnvelopeCorruptError(f"header and body disagree about {key}")
    return Answer(instance_id, nonce, header["command"], body.get("simulated") is True, body)


def _find(text: str) -> "tuple[Dict[str, str], List[str]]":
    """The header's fields and the body's lines of the only envelope in ``text``."""
    if not text.strip():
        raise EnvelopeEmptyError("the answer is empty")
    lines = [line.rstrip("\r") for line in text.split("\n")]
    begins = [number for number, line in enumerate(lines) if line.startswith(_BEGIN_MARK)]
    if not begins:
        raise EnvelopeEmptyError("there is no answer in what the node printed")
    if len(begins) > 1:
        raise EnvelopeCorruptError(f"{len(begins)} answers where one was asked for")
    begin = begins[0]
    try:
        end = lines.index(_END, begin)
    except ValueError:
        raise EnvelopeCutError("the answer breaks off before its end mark") from None
    match = _BEGIN.match(lines[begin])
    if not match:
        raise EnvelopeCorruptError(f"the header cannot be read: {lines[begin][:160]!r}")
    if int(match["version"]) != ENVELOPE_VERSION:
        raise EnvelopeCorruptError(
            f"envelope version {match['version']}, this program reads {ENVELOPE_VERSION}"
        )
    return match.groupdict(), lines[begin + 1 : end]


def _decode(header: Mapping[str, str], lines: List[str]) -> Dict[str, Any]:
    joined = "".join(lines)
    promised = int(header["bytes"])
    if len(joined) < promised:
        raise EnvelopeCutError(f"the answer has {len(joined)} of {promised} characters")
    if len(joined) > promised:
        raise EnvelopeCorruptError(f"the answer has {len(joined)} characters, its header says {promised}")
    data = _inflate(joined)
    if hashlib.sha256(data).hexdigest() != header["sha256"]:
        raise EnvelopeCorruptError("the answer's digest is not the one in its header")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise EnvelopeCorruptError(f"the answer is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise EnvelopeCorruptError("the answer is no JSON object")
    return body


def _inflate(text: str) -> bytes:
    """The bytes behind the base64 text; a bomb of more than 1 GiB is refused before it is unpacked."""
    try:
        packed = base64.b64decode(text, validate=True)
        unpacker = zlib.decompressobj(wbits=31)
        data = unpacker.decompress(packed, _JSON_LIMIT_BYTES)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise EnvelopeCorruptError(f"the answer cannot be unpacked: {error}") from error
    if not unpacker.eof or unpacker.unused_data:
        raise EnvelopeCorruptError("the answer does not end where its compression ends")
    return data
