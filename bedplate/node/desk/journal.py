"""Which orders this desk has taken and not answered: on the node's own disk, so that no order runs twice.

An order is entered before it is removed from the bucket, and begun only after. A desk that is started anew
runs none of those it finds here: it tells that they were cut off.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import List

from bedplate.node.desk.order import NONCE


class Journal:
    """One empty file an order, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def nonces(self) -> List[str]:
        """Those that are entered."""
        try:
            return sorted(each.name for each in self._folder.iterdir() if NONCE.match(each.name))
        except OSError:
            return []

    def add(self, nonce: str) -> None:
        """Enter one. Raises ``OSError`` where the disk takes no file: it must not be begun then."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / nonce).touch()

    def drop(self, nonce: str) -> None:
        """It is answered."""
        with contextlib.suppress(FileNotFoundError):
            (self._folder / nonce).unlink()
