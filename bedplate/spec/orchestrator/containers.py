"""Where nodes have Enroot and Pyxis from, by which jobs run in containers: a tagged union."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about


def _kind(word: str, description: str) -> Any:
    return about(description, update="stop-fleet", examples=[word])


class S3Object(Section):
    """An object in S3, and what its bytes must be."""

    uri: Annotated[
        StrictStr,
        about(
            "The object, in a bucket of the environment's Region that the nodes' role may read.",
            update="stop-fleet",
            examples=["s3://acme-mirror/enroot/enroot_4.1.2-1_amd64.deb"],
            pattern=r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/([A-Za-z0-9!_.()=-]+/)*[A-Za-z0-9_][A-Za-z0-9!_.()=+~-]*$",
            max_length=128,
            remedy="Write s3://BUCKET/KEY, with letters, digits and !_.()=+~- in the key.",
        ),
    ]
    sha256: Annotated[
        StrictStr,
        about(
            "The SHA-256 digest of the object's bytes; a node takes nothing else.",
            update="stop-fleet",
            examples=["0" * 64],
            pattern=r"^[0-9a-f]{64}$",
            remedy="Give the 64 hexadecimal digits that `sha256sum FILE` prints, in small letters.",
        ),
    ]

    @property
    def bucket(self) -> str:
        """The bucket's name."""
        return self.uri.split("/")[2]

    @property
    def key(self) -> str:
        """The object's key."""
        return self.uri.split("/", 3)[3]

    @property
    def name(self) -> str:
        """The file's name."""
        return self.uri.rpartition("/")[2]


class NoContainers(Section):
    """Jobs run as programs of the node."""

    kind: Annotated[Literal["none"], _kind("none", "No Enroot and no Pyxis are set up.")]


class ContainersOfImage(Section):
    """Enroot and Pyxis are in the machine image, and are switched on."""

    kind: Annotated[
        Literal["image"],
        _kind(
            "image",
            "The machine image has both, as ParallelCluster's own has; nodes switch them on.",
        ),
    ]


class ContainersOfPackages(Section):
    """Nodes install Enroot from packages, and build Pyxis against the Slurm that they run."""

    kind: Annotated[
        Literal["packages"],
        _kind("packages", "Nodes fetch Enroot's packages and Pyxis's source as they start."),
    ]
    packages: Annotated[
        tuple[S3Object, ...],
        about(
            "Enroot's packages, all .deb or all .rpm, and those that it needs and neither the image nor a "
            "repository in reach has.",
            update="stop-fleet",
            examples=[[{"uri": "s3://acme-mirror/enroot_4.1.2-1_amd64.deb", "sha256": "0" * 64}]],
            min_length=1,
            max_length=10,
        ),
    ]
    pyxis: Annotated[
        S3Object,
        about(
            "Pyxis's source, a tar archive with one folder at its top.",
            update="stop-fleet",
            examples=[{"uri": "s3://acme-mirror/pyxis-0.24.0.tar.gz", "sha256": "0" * 64}],
        ),
    ]

    @property
    def objects(self) -> tuple[S3Object, ...]:
        """All that a node fetches."""
        return (*self.packages, self.pyxis)


Containers = Annotated[NoContainers | ContainersOfImage | ContainersOfPackages, Field(discriminator="kind")]
