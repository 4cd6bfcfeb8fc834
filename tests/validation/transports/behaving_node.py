"""A node program that behaves as the environment variable BEHAVE says."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bedplate.node.envelope import seal


def main() -> int:
    """Print an answer, or what is none."""
    command, nonce, how = sys.argv[1], sys.argv[3], os.environ["BEHAVE"]
    own = os.environ["INSTANCE"]
    text = seal(body={"simulated": False, "x": "y" * 50}, instance_id=own, nonce=nonce, command=command)
    if how == "never":
        time.sleep(60)
    if how == "traceback":
        sys.stderr.write("python3: cannot open the file\n")
        return 1
    sys.stdout.write(
        {
            "empty": "",
            "cut": text[: len(text) // 2],
            "foreign": seal(body={}, instance_id="i-0999", nonce=nonce, command=command),
            "stale": seal(body={}, instance_id=own, nonce="an-earlier-nonce", command=command),
        }.get(how, text)
    )
    return 1 if how == "failed" else 0


if __name__ == "__main__":
    sys.exit(main())
