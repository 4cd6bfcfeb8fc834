"""User data is read as cloud-init reads it."""

from __future__ import annotations

import base64
import gzip

import pytest

from bedplate.sandbox.fleet.user_data import read_user_data

MULTIPART = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==X=="

--==X==
Content-Type: text/x-shellscript; charset="us-ascii"
MIME-Version: 1.0

#!/bin/bash
echo one

--==X==
Content-Type: text/cloud-config; charset="us-ascii"

packages: [x]

--==X==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo two

--==X==--
"""


def test_the_scripts_of_an_archive_come_in_order() -> None:
    """Scripts are taken, and the cloud configuration is named as not run."""
    data = read_user_data(MULTIPART)
    assert [script.splitlines()[:2] for script in data.scripts] == [
        ["#!/bin/bash", "echo one"],
        ["#!/bin/bash", "echo two"],
    ]
    assert data.ignored == ("text/cloud-config: not run here",)


@pytest.mark.parametrize("packed", [False, True])
def test_base64_and_gzip_are_taken_off(packed: bool) -> None:
    """As EC2 and the launch template hold them."""
    raw = MULTIPART.encode()
    text = base64.b64encode(gzip.compress(raw) if packed else raw).decode()
    assert len(read_user_data(text).scripts) == 2


def test_a_bare_script_and_nothing_at_all_are_user_data_too() -> None:
    """One script, or none."""
    assert read_user_data("#!/bin/sh\ntrue\n").scripts == ("#!/bin/sh\ntrue\n",)
    assert read_user_data("").scripts == ()


@pytest.mark.parametrize(
    "text", ["echo forgotten the first line", MULTIPART.replace("cloud-config", "x-perl")]
)
def test_what_cloud_init_would_not_run_is_refused(text: str) -> None:
    """It is no silence: the boot fails and says why."""
    with pytest.raises(ValueError, match="user data"):
        read_user_data(text)
