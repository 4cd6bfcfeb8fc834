"""Which machine image nodes start from.

An image is pinned: an id given for the architecture, or one *version* of AWS's public parameter. A reference
without a version would take a newer image at any later deploy and launch the whole fleet anew. Nothing is
looked up at synthesis. The pins are data (``bedplate.capacity.images``); an AMI id from the lock file takes
their place, and one from ``-c image:x86_64=ami-…`` (or ``image:arm64``) that of both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bedplate.capacity.images import image_pins
from bedplate.errors import UsageError

CONTEXT_PREFIX = "image:"
_AMI = re.compile(r"^ami-[0-9a-f]{8,17}$")


def image_id(*, architecture: str, context: Mapping[str, str]) -> str:
    """The AMI id that was given, or the reference to the pinned parameter version.

    ``architecture`` is ``x86_64`` or ``arm64``; ``context`` maps it to an AMI id where one was given. Raises
    ``UsageError`` (IMG-001) for what is no AMI id.
    """
    given = context.get(architecture)
    if given is None:
        pin = image_pins()[architecture]
        return f"{{{{resolve:ssm:{pin.parameter}:{pin.version}}}}}"
    if not _AMI.match(given):
        raise UsageError(
            f"{CONTEXT_PREFIX}{architecture}: '{given}' is no AMI id",
            error_id="IMG-001",
            remedy=f"Give an id such as ami-0123456789abcdef0: -c {CONTEXT_PREFIX}{architecture}=ami-…",
        )
    return given
