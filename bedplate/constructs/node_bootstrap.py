"""The user data of a node: values, then one script that uses them. Text in, text out; no CDK here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

BOUNDARY = "==BEDPLATE=="
LARGEST_USER_DATA_BYTES = 16_384
"""EC2's limit before base64 (EC2 User Guide, "User data"); PCS adds its own part to it."""


@dataclass(frozen=True, kw_only=True)
class LustreMount:
    """What a client needs to mount: DNS name, FSx's mount name, the mount point, and how many EFAs LNet must
    bind.

    ``lnet_efa_count`` 0 means TCP only: no EFA on the file system, or none on this node.
    """

    dns_name: str
    mount_name: str
    mount_point: str
    lnet_efa_count: int


@dataclass(frozen=True, kw_only=True)
class NodeBootstrap:
    """What one kind of node is set up with at its first boot.

    Values may hold CDK tokens. ``nvme_count`` is the number of instance-store disks to stripe into
    ``/scratch``, 0 for none; ``gpus`` whether the GPU driver's persistence mode is switched on.
    """

    role: Literal["compute", "login"]
    program_bucket: str
    program_key: str
    program_sha256: str
    gpus: bool
    nvme_count: int
    lustre: LustreMount | None

    @property
    def steps(self) -> tuple[str, ...]:
        """The functions of the script that run, in this order."""
        steps = ["install_program", "install_boot_unit"]
        if self.gpus:
            steps.append("set_persistence")
        if self.nvme_count:
            steps.append("make_scratch")
        if self.lustre is not None:
            if self.lustre.lnet_efa_count:
                steps.append("set_up_lnet")
            steps.append("mount_lustre")
        return tuple(steps)

    def script(self) -> str:
        """The whole script: interpreter line, values, and the body."""
        interpreter, body = _body().split("\n", 1)
        values = {
            "NODE_ROLE": self.role,
            "STEPS": " ".join(self.steps),
            "PROGRAM_BUCKET": self.program_bucket,
            "PROGRAM_KEY": self.program_key,
            "PROGRAM_SHA256": self.program_sha256,
            "NVME_COUNT": str(self.nvme_count),
            "LNET_EFA_COUNT": str(self.lustre.lnet_efa_count if self.lustre else 0),
            "LUSTRE_DNS": self.lustre.dns_name if self.lustre else "",
            "LUSTRE_NAME": self.lustre.mount_name if self.lustre else "",
            "LUSTRE_MOUNT": self.lustre.mount_point if self.lustre else "",
        }
        lines = [f"{name}={_quoted(value)}" for name, value in values.items()]
        return "\n".join([interpreter, *lines, body])

    def user_data(self) -> str:
        """The script as the MIME multi-part archive that PCS merges with its own part (PCS User Guide)."""
        return "\n".join(
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


def _body() -> str:
    return files("bedplate.constructs").joinpath("assets/node_bootstrap.sh").read_text(encoding="ascii")


def _quoted(value: str) -> str:
    """Quote for bash. A CDK token stands whole in double quotes: AWS ids hold nothing to escape."""
    return f'"{value}"' if "${Token[" in value else shlex.quote(value)
