"""How a stand-in says no: in the words and with the exit code of the tool it plays."""

from __future__ import annotations


class ToolRefused(Exception):
    """The tool ends here: ``text`` goes to standard error, ``rc`` is the exit code."""

    def __init__(self, text: str, rc: int) -> None:
        super().__init__(text)
        self.text = text
        self.rc = rc
