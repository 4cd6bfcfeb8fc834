"""Figures as Grafana writes them, near enough to see whether they read well."""

from __future__ import annotations

import math

_SHORT = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"))
_SI = {"hertz": "Hz", "watt": "W", "Bps": "B/s", "cps": "c/s", "pps": "p/s", "ops": "ops/s"}
_TIMES = ((31_536_000, "year"), (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def figure_text(value: float, unit: str, decimals: int | None = None) -> str:
    """The figure in its unit."""
    if math.isnan(value):
        return "–"
    match unit:
        case "percentunit" | "percent":
            return f"{value * (100 if unit == 'percentunit' else 1):.{1 if decimals is None else decimals}f}%"
        case "celsius":
            return f"{value:.1f} °C"
        case "bytes":
            return _scaled(value, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))
        case "GBs":
            return f"{value:.0f} GB/s"
        case "s":
            return _scaled(value * 1e6, 1000, ("µs", "ms", "s")) if value < 100 else f"{value / 60:.1f} min"
        case "µs":
            return _scaled(value, 1000, ("µs", "ms", "s"))
        case "dtdurations":
            return _duration(value)
        case "none":
            return f"{value:.4g}"
    for size, name in _SHORT:
        if abs(value) >= size:
            return f"{value / size:.3g}{name}{_SI.get(unit, '')}"
    suffix = f" {_SI[unit]}" if unit in _SI else ""
    return f"{value:.{0 if value == int(value) else 2 if decimals is None else decimals}f}{suffix}"


def _scaled(value: float, base: int, names: tuple[str, ...]) -> str:
    place = 0
    while abs(value) >= base and place < len(names) - 1:
        value, place = value / base, place + 1
    return f"{value:.3g} {names[place]}"


def _duration(seconds: float) -> str:
    parts = []
    for size, name in _TIMES:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count:.0f} {name}{'s' if count != 1 else ''}")
    return ", ".join(parts[:2]) or "0 seconds"
