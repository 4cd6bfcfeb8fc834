"""Which image nodes start from."""

from __future__ import annotations

import re

import pytest

from bedplate.errors import UsageError
from bedplate.stacks.images import image_id


@pytest.mark.parametrize("architecture", ["x86_64", "arm64"])
def test_the_pin_is_one_version_of_a_parameter(architecture: str) -> None:
    """The default is a reference with a version, for the right architecture."""
    reference = image_id(architecture=architecture, context={})
    assert re.fullmatch(
        r"\{\{resolve:ssm:/aws/service/pcs/ami/[a-z0-9-]+/" + architecture + r"/latest/ami-id:\d+\}\}",
        reference,
    )


def test_a_given_image_takes_its_place() -> None:
    """An AMI id for the architecture is used as it is; one for another architecture is not."""
    context = {"x86_64": "ami-0123456789abcdef0"}
    assert image_id(architecture="x86_64", context=context) == "ami-0123456789abcdef0"
    assert image_id(architecture="arm64", context=context).startswith("{{resolve:ssm:")


def test_what_is_no_image_is_refused() -> None:
    """A word that is no AMI id is refused before anything is deployed."""
    with pytest.raises(UsageError, match="'ubuntu' is no AMI id") as refused:
        image_id(architecture="x86_64", context={"x86_64": "ubuntu"})
    assert refused.value.error_id == "IMG-001"
