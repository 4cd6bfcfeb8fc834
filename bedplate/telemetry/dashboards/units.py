"""Grafana's ids of units, as they are written into a panel."""

from __future__ import annotations

COUNT = "short"
NONE = "none"
SHARE = "percentunit"
CELSIUS = "celsius"
WATTS = "watt"
HERTZ = "hertz"
SECONDS = "s"
MICROSECONDS = "µs"
DURATION = "dtdurations"
BYTES = "bytes"
BYTES_A_SECOND = "Bps"
GB_A_SECOND = "GBs"
A_SECOND = "cps"
AGO = "dateTimeFromNow"
"""Of a time in milliseconds since 1970."""
