"""XIDs of GPUs and SXids of NVSwitches in a kernel log, from ``dmesg`` or ``journalctl -k``, each event once.

Forms: ``NVRM: Xid (PCI:0000:0f:00): 94, pid=...``; without ``PCI:``; ``SXid (PCI:0000:85:00.0): 12028,
Non-fatal, ...``; ``GPU ... has fallen off the bus`` without any XID. One fault prints dozens of lines, so
events are de-duplicated by boot, device, code and sub-code (and, of XIDs 144 to 150, the error status).
Source: NVIDIA XID catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "kernel log"

_XID = re.compile(
    r"NVRM: Xid \((?:PCI:)?(?P<device>[0-9a-fA-F:.]{5,20})[^)]*\): (?P<code>\d{1,5})(?:, (?P<rest>.*))?"
)
_SXID = re.compile(
    r"SXid \((?:PCI:)?(?P<device>[0-9a-fA-F:.]{5,20})[^)]*\): (?P<code>\d{1,6})(?:, (?P<rest>.*))?"
)
_ANY_XID = re.compile(r"NVRM: .*\bXid\b|\bSXid\b")
_OFF_BUS = re.compile(r"fallen off the bus", re.IGNORECASE)
_DEVICE = re.compile(r"(?P<device>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})")
_FOLLOWS = re.compile(r"caused by previous Xid (?P<code>\d{1,5})")
_ACTION = re.compile(
    r"recovery action changed from 0x[0-9a-fA-F]+ \([^)]*\) to 0x[0-9a-fA-F]+ \((?P<action>[^)]*)\)"
)
_WORDS = re.compile(r"\(0x(?P<first>[0-9a-fA-F]{1,16})(?:\s+0x(?P<second>[0-9a-fA-F]{1,16}))?[ )]")
_BOOT = re.compile(r"\bLinux version \d")
_CARRIER = re.compile(r"\b(?P<name>[A-Za-z][\w.-]{0,14}): lost carrier", re.IGNORECASE)
_CURSOR = "-- cursor: "
_DECODED = range(144, 151)
_MOST_UNREADABLE = 100
_MOST_INTERFACES = 100
_ACTION_CHANGED = 154


@dataclass(frozen=True)
class XidEvent:
    """One fault of one GPU or switch.

    ``kind`` is ``xid``, ``sxid`` or ``off-bus`` (a GPU gone without an XID; code 0). ``device`` is the PCI
    address without function. ``subcode`` and ``status`` (the second hex word) are there for XIDs 144 to 150
    only. ``follows`` is the XID that this one says it was caused by. ``action`` is, for XID 154, the
    recovery action it changed to: the last one counts. ``fatal`` is the word of an SXid, or of XIDs 144 to
    150. ``count`` says how many lines told of it; ``text`` is the last of them. ``boot`` counts the boots in
    the log from 1, 0 before the first that it holds.
    """

    kind: str
    device: str
    code: int
    subcode: int | None
    status: int | None
    follows: int | None
    action: str
    fatal: bool | None
    count: int
    first_line: int
    text: str
    boot: int = 0


@dataclass(frozen=True)
class KernelLog:
    """The events of one boot.

    ``holds_boot`` says that the log reaches back to the kernel's first line: without it, the log is
    partial, and silence proves nothing. ``ended`` says that its last line is the cursor that ``journalctl
    --show-cursor`` prints after all entries. ``unreadable`` holds lines that name an XID and cannot be read.
    ``carrier_lost`` is (network interface, how often it lost its carrier), where the log is the system's.
    """

    events: tuple[XidEvent, ...]
    holds_boot: bool
    lines: int
    unreadable: tuple[str, ...]
    ended: bool = False
    carrier_lost: tuple[tuple[str, int], ...] = ()


def parse_kernel_log(text: str) -> KernelLog:
    """Read a kernel log; ParseError where it holds no line at all."""
    return read_kernel_log(clean_lines(text))


def read_kernel_log(lines: Iterable[str]) -> KernelLog:
    """Read clean lines one by one: what is kept grows with the number of distinct events, not with the log.

    One node printed 800,000 lines that were 29 events. ParseError where there is no line at all.
    """
    events: dict[tuple[object, ...], XidEvent] = {}
    unreadable: dict[str, None] = {}
    carrier: dict[str, int] = {}
    boot = count = 0
    ended = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        ended = line.startswith(_CURSOR)
        count += not line.startswith("-- ")
        boot += _BOOT.search(line) is not None
        lowered = line.lower()
        if "lost carrier" in lowered:
            _count_carrier(carrier, line)
        if "xid" not in lowered and "off the bus" not in lowered:
            continue
        event = _event(line, number)
        if event is not None:
            event = replace(event, boot=boot)
            key = (event.kind, event.device, event.code, event.subcode, event.status, boot)
            events[key] = _merged(events[key], event) if key in events else event
        elif _ANY_XID.search(line) and len(unreadable) < _MOST_UNREADABLE:
            unreadable.setdefault(_cut(line))
    if count == 0:
        raise ParseError(tool=TOOL, reason="it is empty")
    return KernelLog(
        events=tuple(sorted(events.values(), key=lambda event: event.first_line)),
        holds_boot=boot > 0,
        lines=count,
        unreadable=tuple(unreadable),
        ended=ended,
        carrier_lost=tuple(sorted(carrier.items())),
    )


def _count_carrier(found: dict[str, int], line: str) -> None:
    """One more loss of an interface; what is kept is bounded, whatever the log says."""
    match = _CARRIER.search(line)
    if match is not None and (match.group("name") in found or len(found) < _MOST_INTERFACES):
        found[match.group("name")] = found.get(match.group("name"), 0) + 1


def _event(line: str, number: int) -> XidEvent | None:
    xid, sxid = _XID.search(line), _SXID.search(line)
    if xid is not None:
        return _xid(xid, line, number)
    if sxid is not None:
        rest = sxid.group("rest") or ""
        fatal = None if "fatal" not in rest.lower() else "non-fatal" not in rest.lower()
        code = whole(sxid.group("code")) or 0
        return XidEvent(
            "sxid", _device(sxid.group("device")), code, None, None, None, "", fatal, 1, number, _cut(line)
        )
    if _OFF_BUS.search(line):
        device = _DEVICE.search(line)
        name = "" if device is None else _device(device.group("device"))
        return XidEvent("off-bus", name, 0, None, None, None, "", True, 1, number, _cut(line))
    return None


def _xid(match: re.Match[str], line: str, number: int) -> XidEvent:
    code = whole(match.group("code")) or 0
    rest = match.group("rest") or ""
    follows, action = _FOLLOWS.search(rest), _ACTION.search(rest)
    subcode: int | None = None
    status: int | None = None
    fatal: bool | None = None
    if code in _DECODED:
        words = _WORDS.search(rest)
        subcode = None if words is None else (int(words.group("first"), 16) >> 20) & 0x3F
        status = None if words is None or words.group("second") is None else int(words.group("second"), 16)
        lowered = rest.lower()
        fatal = None if "fatal" not in lowered else not re.search(r"non-?\s?fatal", lowered)
    return XidEvent(
        kind="xid",
        device=_device(match.group("device")),
        code=code,
        subcode=subcode,
        status=status,
        follows=None if follows is None else whole(follows.group("code")),
        action=action.group("action") if action is not None and code == _ACTION_CHANGED else "",
        fatal=fatal,
        count=1,
        first_line=number,
        text=_cut(line),
    )


def _merged(old: XidEvent, new: XidEvent) -> XidEvent:
    """Two lines of one event: the first line's place, the last line's text; fatal once is fatal."""
    fatal = old.fatal if new.fatal is None else new.fatal if old.fatal is None else old.fatal or new.fatal
    # An event is excused by another XID only where every line of it is.
    follows = old.follows if old.follows == new.follows else None
    return replace(new, count=old.count + 1, first_line=old.first_line, fatal=fatal, follows=follows)


def _device(address: str) -> str:
    """A PCI address as domain:bus:device in lower case, domain of four digits, without the function."""
    parts = address.lower().split(".")[0].strip(":").split(":")
    if len(parts) == 3:
        parts[0] = parts[0].lstrip("0").rjust(4, "0")
    return ":".join(parts)


def _cut(line: str) -> str:
    return line.strip()[:300]
