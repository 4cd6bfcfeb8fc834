"""How large an environment file may be. Beyond any that makes sense, and below what would harm its reader."""

from __future__ import annotations

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_NODES = 20_000
