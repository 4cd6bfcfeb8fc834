"""The user data of a node: a small script that fetches the node program and hands over to it.

Text in, text out; no CDK here. What the node is set up with, and how, is in ``bedplate.node.bootstrap``.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from bedplate.constructs.bootstrap_shell import FETCH, HAND_OVER, HEAD, hold_slurmd, write_file
from bedplate.node.bootstrap.places import SETTINGS
from bedplate.node.bootstrap.settings import NodeSettings

BOUNDARY = "==BEDPLATE=="
LARGEST_USER_DATA_BYTES = 16_384
"""EC2's limit before base64 (EC2 User Guide, "User data"); PCS adds its own part to it."""


@dataclass(frozen=True, kw_only=True)
class NodeBootstrap:
    """What one kind of node is given at its launch.

    ``settings`` say what the node program does at every boot; ``program_bucket``, ``program_key`` and
    ``program_sha256`` name the program (``bedplate.constructs.node_program``). Strings may hold CDK tokens.
    """

    settings: NodeSettings
    program_bucket: str
    program_key: str
    program_sha256: str

    def script(self) -> str:
        """The whole script, with its interpreter line."""
        values = {
            "BUCKET": self.program_bucket,
            "KEY": self.program_key,
            "DIGEST": self.program_sha256,
            "RESULTS": self.settings.result_bucket,
        }
        lines = [f"{name}={_quoted(value)}" for name, value in values.items()]
        return "\n".join(
            [
                "#!/bin/bash",
                *lines,
                _PURPOSE,
                HEAD,
                write_file(SETTINGS, self.settings.to_json() + "\n"),
                *(hold_slurmd() if self.settings.role == "compute" else []),
                FETCH + HAND_OVER + "\n",
            ]
        )

    def user_data(self) -> str:
        """The script as the MIME multi-part archive that PCS merges with its own part (PCS User Guide).

        Raises ``ValueError`` where EC2 would refuse it for its size.
        """
        text = "\n".join(
            [
                "MIME-Version: 1.0",
                f'Content-Type: multipart/mixed; boundary="{BOUNDARY}"',
                "",
                f"--{BOUNDARY}",
                'Content-Type: text/x-shellscript; charset="us-ascii"',
                "MIME-Version: 1.0",
                "",
                self.script(),
                "",
                f"--{BOUNDARY}--",
                "",
            ]
        )
        if len(text.encode()) > LARGEST_USER_DATA_BYTES:
            raise ValueError(
                f"user data of {len(text.encode())} bytes; EC2 takes {LARGEST_USER_DATA_BYTES}:"
                " mount fewer file systems"
            )
        return text


_PURPOSE = """\
# Bedplate: fetch the node program, compare its digest, hand over to it. Runs as root, once, after the node
# registered with PCS and before slurmd."""


def _quoted(value: str) -> str:
    """Quote for bash. A CDK token stands whole in double quotes: AWS ids hold nothing to escape."""
    return f'"{value}"' if "${Token[" in value else shlex.quote(value)
