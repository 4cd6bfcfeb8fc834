"""The body of a remote write: protobuf in a snappy block.

Two messages of a dozen fields need no library and no compiler (prometheus/prometheus: prompb/remote.proto,
prompb/types.proto; protobuf.dev, Encoding). A snappy block may be literals alone (google/snappy:
format_description.txt): a few kilobytes once a run need not be smaller.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from bedplate.telemetry.exposition import Sample

_LONGEST_LITERAL = 2**16
_NAME = "__name__"


def write_request(samples: Iterable[Sample], *, labels: Mapping[str, str], at_ms: int) -> bytes:
    """The whole body. ``labels`` are added to every series; each has one sample of the moment ``at_ms``."""
    series = b"".join(_field(1, _series(each, labels, at_ms)) for each in samples)
    return snappy_block(series)


def _series(each: Sample, labels: Mapping[str, str], at_ms: int) -> bytes:
    """Labels sorted by name, as the protocol asks; an empty one is none."""
    named = {**labels, **dict(each.labels), _NAME: each.name}
    pairs = b"".join(_field(1, _label(name, value)) for name, value in sorted(named.items()) if value)
    # Field 1 a double (wire type 1), field 2 a variable-length integer.
    sample = b"\x09" + struct.pack("<d", each.value) + b"\x10" + _varint(at_ms)
    return pairs + _field(2, sample)


def _label(name: str, value: str) -> bytes:
    return _field(1, name.encode("utf-8")) + _field(2, value.encode("utf-8"))


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes with its length (wire type 2)."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def snappy_block(content: bytes) -> bytes:
    """The content as literals: each has a tag, its length less one in two bytes, and itself."""
    parts = [_varint(len(content))]
    for start in range(0, len(content), _LONGEST_LITERAL):
        piece = content[start : start + _LONGEST_LITERAL]
        parts += [bytes([61 << 2]), struct.pack("<H", len(piece) - 1), piece]
    return b"".join(parts)
