"""Paths of OpenZFS volumes that are there: as the server exports them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bedplate.spec.file_systems import ExistingOpenZfs

FILE_SYSTEM = {"kind": "existing-openzfs", "mount": "/work", "id": "fs-0123456789abcdef0"}


@pytest.mark.parametrize("path", ["/fsx", "/fsx/home", "/fsx/.zfs/snapshot", "/fsx/a..b", "/fsx/v1.2"])
def test_paths_that_a_server_exports(path: str) -> None:
    """Names divided by single slashes, which may begin with a dot."""
    assert ExistingOpenZfs.model_validate({**FILE_SYSTEM, "path": path}).path == path


@pytest.mark.parametrize(
    "path",
    ["/fsx/..", "/fsx/../etc", "/..", "/.", "/fsx/./home", "/fsx/", "/fsx//home", "/", "fsx", "/a b", "/a\n"],
)
def test_paths_that_lead_elsewhere(path: str) -> None:
    """What climbs up, or is not in the form that the server has, is refused."""
    with pytest.raises(ValidationError, match="should match pattern"):
        ExistingOpenZfs.model_validate({**FILE_SYSTEM, "path": path})
