"""``journalctl -k -b 0 --no-pager -o short-iso [--show-cursor] [--lines=N] [--after-cursor=CURSOR]``: the
kernel log of this boot.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bedplate.sandbox.fleet.tools.kernel_log import boot_messages, xid_messages
from bedplate.sandbox.fleet.tools.output import say_all
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_FIRST_XID_SECONDS = 9.0


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    words = list(arguments)
    kernel, form, cursor, after = False, "", False, 0
    while words:
        word = words.pop(0)
        if word in ("-k", "--dmesg"):
            kernel = True
        elif word == "--no-pager" or word.startswith("--lines="):
            continue
        elif word.startswith("--after-cursor="):
            after = _position(word)
        elif word == "--show-cursor":
            cursor = True
        elif word in ("-b", "-o") and words:
            value = words.pop(0)
            if word == "-b" and value != "0":
                raise ToolRefused(
                    f"Data from the specified boot ({value}) is not available: No such boot ID in journal", 1
                )
            form = value if word == "-o" else form
        else:
            raise ToolRefused(f"journalctl: unrecognized option '{word}'", 1)
    if not kernel or form != "short-iso":
        raise ToolRefused("The simulated journal holds the kernel's messages only, in the form short-iso", 1)
    begun = datetime.fromisoformat(node.booted_at)
    messages = _messages(node)
    count = len(messages)
    messages = messages[after:]
    if not messages:
        say_all(["-- No entries --"])
        return 0
    say_all(f"{_stamp(begun, seconds)} {node.hostname} kernel: {text}" for seconds, text in messages)
    if cursor:
        microseconds = int(1e6 * (begun.timestamp() + messages[-1][0]))
        say_all([f"-- cursor: s={'0' * 32};i={count:x};b={'0' * 32};m=1;t={microseconds:x};x=0"])
    return 0


def _position(word: str) -> int:
    """How many entries lie before the cursor's end."""
    parts = dict(part.split("=", 1) for part in word.partition("=")[2].split(";") if "=" in part)
    try:
        return int(parts["i"], 16)
    except (KeyError, ValueError) as error:
        raise ToolRefused("Failed to seek to cursor: Invalid argument", 1) from error


def _messages(node: NodeTruth) -> list[tuple[float, str]]:
    messages = boot_messages(node)
    for position, (code, gpu) in enumerate(node.effects.xids):
        at = _FIRST_XID_SECONDS + position
        messages += [(at + 0.01 * line, text) for line, text in enumerate(xid_messages(code, gpu))]
    return messages


def _stamp(begun: datetime, seconds: float) -> str:
    return (begun + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S%z")
