"""What an answer leaves out of a tool's output: other people's command lines, and lists that nobody reads."""

from __future__ import annotations

import re

_LISTS = re.compile(
    r"<(?P<tag>processes|accounted_processes|supported_clocks)>.*?(?:</(?P=tag)>|\Z)", re.DOTALL
)


def without_lists(xml: str) -> str:
    """The XML of ``nvidia-smi -q -x`` without the programs on the GPUs (whose arguments may hold secrets) and
    the clocks that could be set; a document that is cut stays cut.
    """
    return _LISTS.sub("", xml)
