"""File systems that nodes mount: a tagged union by ``kind``, one file for each kind that Bedplate makes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bedplate.spec.file_systems.association import Association
from bedplate.spec.file_systems.efs import Efs
from bedplate.spec.file_systems.existing import ExistingEfs, ExistingLustre, ExistingOpenZfs
from bedplate.spec.file_systems.lustre import Lustre
from bedplate.spec.file_systems.lustre_tiering import LustreTiering
from bedplate.spec.file_systems.openzfs import OpenZfs

FileSystem = Annotated[
    Lustre | LustreTiering | OpenZfs | Efs | ExistingLustre | ExistingOpenZfs | ExistingEfs,
    Field(discriminator="kind"),
]

__all__ = [
    "Association",
    "Efs",
    "ExistingEfs",
    "ExistingLustre",
    "ExistingOpenZfs",
    "FileSystem",
    "Lustre",
    "LustreTiering",
    "OpenZfs",
]
