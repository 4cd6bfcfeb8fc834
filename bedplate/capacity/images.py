"""Which public parameter names the machine image of an architecture, and which architectures are in use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from bedplate.hardware import instance_type
from bedplate.lockfile import Architecture
from bedplate.spec import Environment

_GRAVITON = re.compile(r"^[a-z]+[0-9]+g[a-z]*[.-]")
"""Families whose letter after the generation is ``g`` are arm64 (EC2 naming: m8g, c7gn, …)."""


ARCHITECTURES: tuple[Architecture, ...] = ("arm64", "x86_64")


@dataclass(frozen=True, kw_only=True)
class ImagePin:
    """One version of a public SSM parameter that holds an AMI id."""

    parameter: str
    version: int


def image_pins() -> Mapping[str, ImagePin]:
    """Architecture → the version that is taken where no lock file and no context names an image."""
    pins = json.loads(files("bedplate.capacity").joinpath("images.json").read_text(encoding="utf-8"))
    return {architecture: ImagePin(**pin) for architecture, pin in pins.items()}


def login_architecture(instance_type_name: str) -> Architecture:
    """``arm64`` for a Graviton type, else ``x86_64``."""
    return "arm64" if _GRAVITON.match(instance_type_name) else "x86_64"


def architectures_in_use(environment: Environment) -> tuple[Architecture, ...]:
    """The architectures of pools and login nodes, each once, where Bedplate chooses the image:
    ParallelCluster takes one of its own version.
    """
    if environment.orchestrator.kind != "slurm-pcs" or environment.login is None:
        return ()
    used: set[str] = {instance_type(pool.instance_type).architecture for pool in environment.pools}
    used.add(login_architecture(environment.login.instance_type))
    return tuple(each for each in ARCHITECTURES if each in used)
