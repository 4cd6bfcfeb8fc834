"""CloudTrail: the CDK looks for denied calls there when a deploy fails; the sandbox denies nothing."""

from __future__ import annotations

from bedplate.sandbox.services.service import Service


def cloudtrail_service() -> Service:
    """A trail without events."""
    return Service("cloudtrail", {"LookupEvents": lambda _: {"Events": []}})
