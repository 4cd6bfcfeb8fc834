"""Leave out of a collective's log what says again what it has said: a pure filter, a piece at a time.

With NCCL_DEBUG=INFO each rank prints 20 to 60 KB, nearly all of it the same for every rank. What is left out
is only what the readers of the log (``bedplate.diagnosis.parsers.collective_log``) would learn nothing from:
further connections of one host over one network (counted, see ``left_out``), a host's provider or version
said again, and messages that tell nothing looked for, beyond the first of each shape. Every other line stays
as it is, in its place: what is not one whole message, warnings, failures, tables, each rank's end of
initialisation. A log that was thinned says so in its last line; thinning it again changes nothing.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple

from bedplate.diagnosis.parsers.left_out import THINNED, LeftOut
from bedplate.diagnosis.parsers.nccl_info import NVLINK_VIA, lone_message, network_of
from bedplate.diagnosis.parsers.nccl_repeats import ONCE_A_HOST, kind_of, tells_of_trouble, whole_message

"""Begins the last line of a log that was thinned."""
MOST_OF_A_SHAPE = 16
"""So many messages of one shape stay, though they tell nothing looked for: a person may read them."""
MOST_REMEMBERED = 262_144
"""In each table; what would not fit is not left out. 4,096 hosts need a tenth."""
_MOST_SHAPES = 16_384
_MOST_KINDS = 4_096
_MOST_HOST_CHARACTERS = 255
_LONGEST_CHARACTERS = 1 << 16
"""A line beyond it is handed on as it comes."""


def thinned(pieces: Iterable[str]) -> Iterator[str]:
    """What is kept of a log that comes in pieces, in pieces."""
    thinner = _Thinner()
    rest, in_a_long_line = "", False
    for piece in pieces:
        lines = (rest + piece).split("\n")
        rest = lines.pop()
        kept = [line for line in lines[in_a_long_line:] if thinner.keeps(line)]
        if in_a_long_line and lines:
            kept.insert(0, lines[0])
            in_a_long_line = False
        if kept:
            yield "\n".join(kept) + "\n"
        if len(rest) > _LONGEST_CHARACTERS or in_a_long_line:
            yield rest
            rest, in_a_long_line = "", True
    if rest and thinner.keeps(rest):
        yield rest
        rest = "\n"
    else:
        rest = "\n" if in_a_long_line else ""
    tail = thinner.tail()
    if tail:
        yield rest + "".join(f"{line}\n" for line in tail)


class _Thinner:
    """Whether a line is kept, one after the other. A line that is left out changes nothing but the counts, so
    that what is kept is kept again.
    """

    def __init__(self) -> None:
        self._hosts: Set[str] = set()
        self._said: Set[Tuple[str, str]] = set()
        self._channels: Dict[Tuple[str, str, str, bool], int] = {}
        self._shapes: Dict[str, int] = {}
        self._networks: Dict[str, Optional[Tuple[str, bool]]] = {}
        self._kinds: Dict[str, Optional[str]] = {}
        self._lines = self._characters = 0

    def keeps(self, line: str) -> bool:
        """Whether a raw line, without its line feed, is kept."""
        odd = len(line) > _LONGEST_CHARACTERS or "\r" in line or "\x1b" in line
        if odd or self._learns(line.rstrip()):
            return True
        self._lines += 1
        self._characters += len(line) + 1
        return False

    def tail(self) -> List[str]:
        """What stands below a log that lines were left out of."""
        if not self._lines:
            return []
        left_out = [LeftOut(*key, count).line() for key, count in self._channels.items() if count]
        told = (
            f"{THINNED} {self._lines} lines, {self._characters} characters in all, are left out of this log"
        )
        return [*left_out, f"{told}: they say again what others in it say."]

    def _learns(self, line: str) -> bool:
        lone = lone_message(line)
        if lone is not None:
            return self._learns_lone(*lone)
        message = whole_message(line)
        if message is None:
            return True
        host, text = message
        kind = self._kind(text)
        if kind is None or self._is_unknown(host):
            return True
        return self._is_new_text(host, text) if kind == ONCE_A_HOST else self._is_seldom(kind)

    def _learns_lone(self, host: str, way: str, via: str) -> bool:
        """A connection, or a message in whose whole shape there is nothing to learn (``via`` is empty)."""
        if self._is_unknown(host):
            return True
        network = self._network(via)
        if network is not None:
            return self._is_new_channel((host, way, *network))
        if via.startswith(NVLINK_VIA) and self._is_new_text(host, NVLINK_VIA):
            return True
        return self._is_seldom(f"via {via}")

    def _is_unknown(self, host: str) -> bool:
        """A host is known once a line was kept that names it; one whose name looks like trouble never is.

        The line by which it becomes known is not remembered otherwise.
        """
        if host in self._hosts:
            return False
        fits = len(host) <= _MOST_HOST_CHARACTERS and len(self._hosts) < MOST_REMEMBERED
        if fits and not tells_of_trouble(host):
            self._hosts.add(host)
        return True

    def _is_new_text(self, host: str, text: str) -> bool:
        if (host, text) in self._said:
            return False
        if len(self._said) < MOST_REMEMBERED:
            self._said.add((host, text))
        return True

    def _is_new_channel(self, key: Tuple[str, str, str, bool]) -> bool:
        count = self._channels.get(key)
        if count is not None:
            self._channels[key] = count + 1
            return False
        if len(self._channels) < MOST_REMEMBERED:
            self._channels[key] = 0
        return True

    def _is_seldom(self, shape: str) -> bool:
        count = self._shapes.get(shape, 0)
        if count >= MOST_OF_A_SHAPE:
            return False
        if count or len(self._shapes) < _MOST_SHAPES:
            self._shapes[shape] = count + 1
        return True

    def _network(self, via: str) -> Optional[Tuple[str, bool]]:
        """``network_of``, remembered."""
        if via not in self._networks:
            if len(self._networks) >= _MOST_KINDS:
                self._networks.clear()
            self._networks[via] = network_of(via)
        return self._networks[via]

    def _kind(self, text: str) -> Optional[str]:
        """``kind_of``, remembered."""
        if text not in self._kinds:
            if len(self._kinds) >= _MOST_KINDS:
                self._kinds.clear()
            self._kinds[text] = kind_of(text)
        return self._kinds[text]
