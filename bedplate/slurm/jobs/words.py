"""Text of a user that becomes part of a script: held to what the places it stands in can carry."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bedplate.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_PATH = 4095
"""Bytes that Linux takes (PATH_MAX without its end)."""
_MOST_SHOWN = 80
_OF_EACH_NODE = {"scratch", "dev", "proc", "run", "sys"}
"""Top folders that are a node's own: its instance-store disks, and what is in its memory."""
_MOUNT = re.compile(r"/[^:,]*:/[^:,]*(:[a-z+]+)?")


def job_name(text: str) -> str:
    """A name that stands unquoted on an ``#SBATCH`` line and in a path. Raises ``UsageError`` JOB-007."""
    if not _NAME.fullmatch(text):
        raise _refused(f"--name {text!r}", "Use letters, digits, dots, dashes and underscores, 64 at most.")
    return text


def one_line(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts without line ends and other control characters. Raises ``UsageError`` JOB-007."""
    found = tuple(texts)
    for text in found:
        if _CONTROL.search(text) or not _is_utf8(text):
            raise _refused(repr(text), "Give text on one line in UTF-8, without control characters.")
    return found


def program(text: str, *, option: str) -> str:
    """A file that is run: neither empty nor read as an option. Raises ``UsageError`` JOB-007."""
    (word,) = one_line((text,))
    if not word.strip() or word.startswith("-") or len(word) > _LONGEST_PATH:
        raise _refused(
            f"{option} {_shown(word)}", "Give a file's path; write ./ before one that begins with a dash."
        )
    if re.search(r"\s-", word):
        raise _refused(f"{option} {_shown(word)}", "Give the file alone, without options.")
    return word


def image(text: str | None) -> str:
    """A container's image, empty where none is asked. Raises ``UsageError`` JOB-007."""
    if text is None:
        return ""
    (word,) = one_line((text,))
    if not word.strip() or word.startswith("-"):
        raise _refused(
            f"--container {_shown(word)}",
            "Give an image such as /fsx/images/torch.sqsh or nvcr.io#nvidia/pytorch:26.01-py3, or leave "
            "--container out.",
        )
    return word


def mounts(texts: Iterable[str], *, container: str) -> list[str]:
    """``HOST:CONTAINER[:FLAGS]`` each, in a container alone and each on a folder of its own. Raises
    ``UsageError`` JOB-007.
    """
    found = [mount(each) for each in one_line(texts)]
    if found and not container:
        raise _refused(
            f"--mount {found[0]!r} without --container",
            "Give --container too, or leave --mount out: programs of the node see all of its folders.",
        )
    inside = [each.split(":")[1].rstrip("/") for each in found]
    for each, place in zip(found, inside, strict=True):
        if not place or inside.count(place) > 1:
            raise _refused(f"--mount {each!r}", "Give each mount a folder of its own in the container.")
    return found


def other_arguments(texts: Iterable[str]) -> tuple[str, ...]:
    """Arguments of the training program. Raises ``UsageError`` JOB-007 for one that the script gives it."""
    found = one_line(texts)
    for each in found:
        if each.partition("=")[0] == "--checkpoints":
            raise _refused(
                f"{each!r} behind --",
                "Give --checkpoints before the --: the script looks for checkpoints in that folder.",
            )
    return found


def mount(text: str) -> str:
    """``HOST:CONTAINER[:FLAGS]`` as Pyxis splits it. Raises ``UsageError`` JOB-007."""
    if not _MOUNT.fullmatch(text):
        raise _refused(f"--mount {text!r}", "Write HOST:CONTAINER, both absolute, without commas.")
    return text


def absolute(text: str) -> str:
    """An absolute path. Raises ``UsageError`` JOB-007."""
    path = text.rstrip("/")
    parts = path.split("/")
    if not path.startswith("/") or {",", ":"} & set(text) or {".", ".."} & set(parts):
        raise _refused(
            f"--checkpoints {_shown(text)}",
            "Give an absolute path of a folder on a file system of all nodes, without commas, colons and "
            "dots as parts.",
        )
    if parts[1] in _OF_EACH_NODE:
        raise UsageError(
            f"--checkpoints {_shown(text)} is on each node's own, and no other node sees it",
            error_id="JOB-006",
            remedy="Give a folder on a file system that all nodes mount.",
        )
    return path


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…")


def _refused(what: str, remedy: str) -> UsageError:
    return UsageError(f"{what} cannot stand in a job script", error_id="JOB-007", remedy=remedy)
