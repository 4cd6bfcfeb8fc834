"""The process's first moments: an interrupt is heard before anything heavy is imported.

What the command line imports takes a good part of a tenth of a second. Whoever presses Ctrl-C in it gets the
same answer as later, by the standard library's ``signal`` and ``os`` alone.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = 130


def main() -> None:
    """Run the command line of this process."""
    before = {number: signal.getsignal(number) for number in _NUMBERS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # `nohup`, and a job in the background, stay respected
            signal.signal(number, _end)
    from bedplate.cli.main import main as command_line

    for number, handler in before.items():
        signal.signal(number, handler)
    command_line()


def _end(_number: int, _frame: FrameType | None) -> None:
    """End at once: nothing was started that would have to be stopped, and an import cannot be unwound."""
    if "--json" in sys.argv[1:]:
        os.write(1, _ANSWER)
    else:
        os.write(2, b"\nInterrupted.\n")
    os._exit(_INTERRUPTED)


_ANSWER = b"""{
  "error": {
    "id": "CLI-006",
    "message": "interrupted",
    "remedy": "Run the command again; what it had started was stopped.",
    "exit_code": 130
  }
}
"""

if __name__ == "__main__":
    main()
