"""Chart values that would not arrive: callers of Helm leave None out, and with it the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def lost_values(value: object, path: str) -> Iterator[str]:
    """The place of each None in ``value``, which stands at ``path``, such as ``kueue.args.1``."""
    if value is None:
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from lost_values(inner, f"{path}.{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, inner in enumerate(value):
            yield from lost_values(inner, f"{path}.{index}")
