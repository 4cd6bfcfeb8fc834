"""What the CloudFormation engine refuses, and how it says so."""

from __future__ import annotations

from bedplate.sandbox.services.service import ApiError


class TemplateError(ApiError):
    """The template cannot be carried out; CloudFormation answers ``ValidationError``."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationError", message)


class ResourceError(Exception):
    """One resource could not be created, updated or deleted; the text becomes the event's reason."""


class NeedsReplacement(Exception):  # it is an answer, not an error
    """A handler says that this change cannot be made in place."""
