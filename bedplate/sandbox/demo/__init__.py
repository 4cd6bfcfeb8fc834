"""The demonstration: deploy, break and validate a simulated cluster, and compare what was named with that."""

from bedplate.sandbox.demo.request import DemoRequest
from bedplate.sandbox.demo.story import Demo

__all__ = ["Demo", "DemoRequest"]
