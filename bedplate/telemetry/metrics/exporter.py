"""What serves metrics on a node: a program with a scrape job, or a writer of text files for node_exporter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Exporter:
    """``job`` is the label ``job`` of its series. ``port`` is None where it is node_exporter that serves what
    it writes. ``version`` is the one that names are held against, empty for programs of our own and for those
    that a user brings.
    """

    name: str
    job: str
    port: int | None
    version: str
    source: str
