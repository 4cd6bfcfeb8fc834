"""Where nodes have the programs from that collect their metrics: a tagged union."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.containers import S3Object


def _kind(word: str, description: str) -> Any:
    return about(description, update="stop-fleet", examples=[word])


class CollectionPackage(S3Object):
    """A package or an archive in S3, and what its bytes must be."""

    uri: Annotated[
        StrictStr,
        about(
            "A package (.deb, .rpm) or an archive (.tar.gz), in a bucket of the environment's Region that "
            "the nodes' role may read.",
            update="stop-fleet",
            examples=["s3://acme-mirror/node_exporter-1.9.1.linux-amd64.tar.gz"],
            pattern=r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/([A-Za-z0-9!_.()=-]+/)*"
            r"[A-Za-z0-9_][A-Za-z0-9!_.()=+~-]*\.(deb|rpm|tar\.gz|tgz)$",
            max_length=128,
            remedy="Write s3://BUCKET/KEY with a key that ends in .deb, .rpm, .tar.gz or .tgz.",
        ),
    ]


class NoCollection(Section):
    """Nodes tell nothing of themselves: rules and dashboards of nodes stay empty."""

    kind: Annotated[Literal["none"], _kind("none", "No exporter and no agent are set up.")]


class CollectionOfImage(Section):
    """dcgm-exporter, node_exporter and vmagent are in the machine image."""

    kind: Annotated[
        Literal["image"],
        _kind("image", "The machine image has all programs; nodes configure and start them."),
    ]


class CollectionOfPackages(Section):
    """Nodes fetch the programs as they start; what is not among the packages, the image has."""

    kind: Annotated[
        Literal["packages"],
        _kind("packages", "Nodes fetch packages and archives of exporters and agent as they start."),
    ]
    packages: Annotated[
        tuple[CollectionPackage, ...],
        about(
            "Packages or archives of dcgm-exporter, node_exporter and vmagent, and what packages they need "
            "that neither the image nor a repository in reach has. All packages are .deb or all .rpm.",
            update="stop-fleet",
            examples=[
                [{"uri": "s3://acme-mirror/node_exporter-1.9.1.linux-amd64.tar.gz", "sha256": "0" * 64}]
            ],
            min_length=1,
            max_length=10,
        ),
    ]


Collection = Annotated[NoCollection | CollectionOfImage | CollectionOfPackages, Field(discriminator="kind")]
