"""What a node is told about Enroot and Pyxis: where they come from, and which Slurm they are for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional, Tuple

_URI = re.compile(r"^s3://[^/]+/(?:[^/]+/)*[^/-][^/]*$")
_SHA256 = re.compile(r"^[0-9a-f]{64}$")


@dataclass(frozen=True)
class Download:
    """One object in S3 and the SHA-256 of its bytes, 64 hexadecimal digits."""

    uri: str
    sha256: str

    def __post_init__(self) -> None:
        """Refuse what cannot be fetched or compared. Raises ``ValueError``."""
        if not isinstance(self.uri, str) or not _URI.match(self.uri):
            raise ValueError(f"uri is {self.uri!r}; s3://BUCKET/KEY is allowed")
        if not isinstance(self.sha256, str) or not _SHA256.match(self.sha256):
            raise ValueError(f"sha256 is {self.sha256!r}; 64 hexadecimal digits are allowed")

    @property
    def name(self) -> str:
        """The file's name."""
        return self.uri.rpartition("/")[2]

    @classmethod
    def from_data(cls, data: Any) -> Download:
        """Of a JSON object. Raises ``ValueError``."""
        if not isinstance(data, dict) or set(data) != {"uri", "sha256"}:
            raise ValueError(f"{data!r} is no JSON object of uri and sha256")
        return cls(data["uri"], data["sha256"])


@dataclass(frozen=True)
class Containers:
    """``slurm`` is the folder of the Slurm that runs on the node. ``plugstack`` is the file that this node
    writes Pyxis's line into; empty where slurmctld hands the line out. ``packages`` are Enroot's, ``pyxis``
    is its source, a tar archive; without it the image has both.
    """

    slurm: str
    plugstack: str = ""
    packages: Tuple[Download, ...] = ()
    pyxis: Optional[Download] = None

    def __post_init__(self) -> None:
        """Refuse what no node can be set up by. Raises ``ValueError``."""
        for name, path in (("slurm", self.slurm), ("plugstack", self.plugstack or "/")):
            if not isinstance(path, str) or not path.startswith("/"):
                raise ValueError(f"{name} is {path!r}; an absolute path is allowed")
        if bool(self.packages) != (self.pyxis is not None):
            raise ValueError("packages and pyxis: both or neither is allowed")

    @classmethod
    def from_data(cls, data: Any) -> Containers:
        """Of a JSON object. Raises ``ValueError``."""
        if not isinstance(data, dict) or not isinstance(data.get("packages", []), list):
            raise ValueError("it is no JSON object with a list of packages")
        unknown = sorted(set(data) - {"slurm", "plugstack", "packages", "pyxis"})
        if unknown:
            raise ValueError(f"it has an unknown field {unknown[0]!r}")
        pyxis = data.get("pyxis")
        return cls(
            slurm=data.get("slurm", ""),
            plugstack=data.get("plugstack", ""),
            packages=tuple(Download.from_data(each) for each in data.get("packages", [])),
            pyxis=None if pyxis is None else Download.from_data(pyxis),
        )
