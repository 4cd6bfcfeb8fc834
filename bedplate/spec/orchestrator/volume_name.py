"""What a file system is called in a Kubernetes cluster."""

from __future__ import annotations


def volume_name(mount: str) -> str:
    """A legal object name from a mount point, ``/fsx/Data`` → ``fsx-data``: letters, digits and hyphens."""
    words = "".join(
        letter if letter.isascii() and letter.isalnum() else "-" for letter in mount.strip("/").lower()
    )
    return "-".join(part for part in words.split("-") if part) or "root"
