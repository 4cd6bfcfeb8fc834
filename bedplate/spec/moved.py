"""Keys that people look for and that stand elsewhere: what to write instead."""

from __future__ import annotations

from bedplate.spec.base import Section
from bedplate.spec.fields import keys_of, sections_in, tag_key, tag_word

INSTEAD: dict[str, str] = {
    "storage.home": "Write a file system with `mount: /home`: below `file_systems:` an entry of "
    "`kind: openzfs` or `kind: efs`.",
    "network.subnet": "Write `vpc:` with `id`, `gpu_subnet` and `control_subnets`.",
}
"""Unknown keys by dotted path (``[]`` for any item of a list) → the remedy."""


def written_now(section: type[Section] | None, key: str) -> str:
    """Return how to write what a key beside its list or section means; empty where it is no kind of either.

    So ``storage.lustre`` is told to become an item of ``storage.file_systems``, and ``spot`` in a pool the
    source of its ``capacity``.
    """
    for name, info in keys_of(section).items() if section else ():
        kinds = sections_in(info.annotation)
        tag = tag_key(kinds)
        kind = next((kind for kind in kinds if tag and tag_word(kind, tag) == key), None)
        if tag is None or kind is None:
            continue
        needed = [other for other, field in keys_of(kind).items() if field.is_required() and other != tag]
        also = f" with {' and '.join(f'`{other}`' for other in needed)}" if needed else ""
        return f"Write it below `{name}:` as {_item(info.annotation, tag=tag, word=key)}{also}."
    return ""


def _item(annotation: object, *, tag: str, word: str) -> str:
    listed = getattr(annotation, "__origin__", None) is tuple
    return f"an entry `- {tag}: {word}`" if listed else f"`{tag}: {word}`"
