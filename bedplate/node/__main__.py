"""``python3 bedplate-node.pyz COMMAND …``: what runs on a node.

``COMMAND --nonce NONCE`` answers the controller: one answer on standard output, in an envelope. Exit status 0
says that an answer was printed, not that anything is well: the controller judges. Exit status 1: no answer
could be given. ``OWN_COMMANDS`` are the node's own, such as ``bootstrap``, ``gate`` and ``open-gate``: 0 says
that all is well, 1 that it is not.
"""

from __future__ import annotations

import argparse
import importlib
import re
import signal
import sys
from datetime import datetime, timezone
from typing import List, Optional

import bedplate
from bedplate.node import identity
from bedplate.node.commands import COMMANDS, OWN_COMMANDS
from bedplate.node.envelope import seal
from bedplate.node.process import STOP

ANSWER_SCHEMA = 1
_NONCE = re.compile(r"^[A-Za-z0-9-]{8,64}$")


def main(argv: Optional[List[str]] = None) -> int:
    """Run one command, and print the envelope of one that answers the controller."""
    words = sys.argv[1:] if argv is None else argv
    arguments = _parser(words[0] if words else "").parse_args(words)
    # A cancelled command must not leave jobs on the GPUs.
    signal.signal(signal.SIGTERM, lambda *_: STOP.set())
    if arguments.command in OWN_COMMANDS:
        return int(importlib.import_module(OWN_COMMANDS[arguments.command]).main(arguments))
    module = importlib.import_module(COMMANDS[arguments.command])
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    try:
        instance_id = identity.instance_id()
        body = module.run(arguments)
    except Exception as error:  # noqa: BLE001 - the reason must reach the controller, and no answer be printed
        print(f"bedplate-node: {arguments.command}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    body = {
        "schema": ANSWER_SCHEMA,
        "program_version": bedplate.__version__,
        "hostname": identity.hostname(),
        "boot_id": identity.boot_id(),
        "simulated": identity.is_simulated(),
        "started_at": started,
        "finished_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **body,
    }
    sys.stdout.write(
        seal(body=body, instance_id=instance_id, nonce=arguments.nonce, command=arguments.command)
    )
    sys.stdout.flush()
    return 0


def _parser(command: str) -> argparse.ArgumentParser:
    """Of one command where it is known, else of all: to import them all takes a node longer than most answers
    do.
    """
    parser = argparse.ArgumentParser(
        prog="bedplate-node", description="Sets a node up, and answers the controller about it."
    )
    parser.add_argument("--version", action="version", version=bedplate.__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    known = {**COMMANDS, **OWN_COMMANDS}
    for name in [command] if command in known else known:
        module = importlib.import_module(known[name])
        sub = commands.add_parser(name, help=module.HELP)
        if name in COMMANDS:
            sub.add_argument("--nonce", type=_nonce, required=True, help="8 to 64 letters, digits or hyphens")
        module.add_arguments(sub)
    return parser


def _nonce(text: str) -> str:
    if not _NONCE.match(text):
        raise argparse.ArgumentTypeError("8 to 64 letters, digits or hyphens")
    return text


if __name__ == "__main__":
    sys.exit(main())
