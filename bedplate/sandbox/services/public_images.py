"""AWS's own machine images: the public parameters that name them, and what EC2 says of them.

The option ``newest_image_version`` (1 unless given) is the newest version of each public parameter; the
option ``images`` (AMI id → members as EC2 names them, or null for one that is gone) says what is not well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.capacity.images import image_pins
from bedplate.sandbox.cloudformation.dynamic_reference import public_image
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call


class PublicImages:
    """Answers SSM GetParameter for these parameters, and EC2 DescribeImages."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def parameter(self, call: Call) -> Mapping[str, Any]:
        """One version of a public parameter, the newest where none is asked for."""
        name, _, asked = str(call.need("Name")).partition(":")
        version = int(asked) if asked.isdecimal() else self._newest
        if (asked and not asked.isdecimal()) or not 1 <= version <= self._newest:
            raise ApiError("ParameterVersionNotFound", f"{name} has no version {asked}")
        image = public_image(name, version=str(version), region=call.region)
        return {"Parameter": {"Name": name, "Type": "String", "Value": image, "Version": version}}

    def describe(self, call: Call) -> Mapping[str, Any]:
        """The images that the filter ``image-id`` names, as far as they are there."""
        filters = call.get("Filters") or []
        if call.get("ImageIds") or [each["Name"] for each in filters] != ["image-id"]:
            raise ApiError(
                "InvalidParameterValue", "SBX-018: the sandbox finds images by the filter image-id alone"
            )
        known = self._images(call.region)
        return {"Images": [known[image] for image in filters[0]["Values"] if image in known]}

    @property
    def _newest(self) -> int:
        return int(self._sandbox.options.section("newest_image_version", 1))

    def _images(self, region: str) -> dict[str, Mapping[str, Any]]:
        spoilt: Mapping[str, Any] = self._sandbox.options.section("images", {})
        images: dict[str, Mapping[str, Any]] = {}
        for architecture, pin in image_pins().items():
            for version in range(1, self._newest + 1):
                image = public_image(pin.parameter, version=str(version), region=region)
                more = spoilt.get(image, {})
                if more is not None:
                    images[image] = {
                        "ImageId": image,
                        "State": "available",
                        "Architecture": architecture,
                        **more,
                    }
        return images
