"""Where in the result bucket the desk of a node takes questions, and leaves answers."""

from __future__ import annotations

PREFIX = "desk/"
"""Every desk's folder is below it, named by the instance."""
