"""``make-users``: give a running node the users of the list as it is now; by SSM, when the list has changed.

It is the bootstrap's own step, by the settings that the node was launched with.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bedplate.node import identity
from bedplate.node.bootstrap.places import SETTINGS

HELP = "make the users of the list, and lock those that are no longer on it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The list's digest is there for State Manager, which runs a command again when its words change."""
    parser.add_argument("--list", default="", help="the digest of the list; it is not compared")


def main(_arguments: argparse.Namespace) -> int:
    """0 where the node has the users of the list, or its environment has none."""
    # Here, so that what only asks for help need not load them.
    from bedplate.node.bootstrap.boot_log import LOG_PATH, BootLog
    from bedplate.node.bootstrap.command import pause_scale, prepare_environment
    from bedplate.node.bootstrap.host import Host
    from bedplate.node.bootstrap.runner import ProcessRunner
    from bedplate.node.bootstrap.settings import NodeSettings, SettingsRefusedError
    from bedplate.node.bootstrap.step import StepFailedError
    from bedplate.node.bootstrap.steps import make_users

    root = identity.node_root()
    prepare_environment(simulated=bool(root))
    try:
        settings = NodeSettings.from_json(Path(root + SETTINGS).read_text(encoding="utf-8"))
        why_not = make_users.STEP.why_not(settings)
        if why_not:
            print(why_not)
            return 0
        host = Host(
            root=root,
            runner=ProcessRunner(),
            log=BootLog(Path(root + LOG_PATH)),
            instance_id=identity.instance_id(),
            pause_scale=pause_scale(),
        )
        print(make_users.STEP.run(host, settings))
    except (
        *(OSError, UnicodeDecodeError, SettingsRefusedError),
        *(identity.IdentityUnknownError, StepFailedError),
    ) as error:
        print(f"bedplate-node: make-users: {error}", file=sys.stderr)
        return 1
    return 0
