"""From algorithm bandwidth to bus bandwidth, as nccl-tests compute it.

Source: NVIDIA/nccl-tests: doc/PERFORMANCE.md, and src/ of each collective.
"""

from __future__ import annotations

from bedplate.hardware.unknown import UnknownCollective

_SHARE_OF_OTHERS = ("all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter")
_AS_IS = ("broadcast", "reduce", "sendrecv")

COLLECTIVES = ("all_reduce", *_SHARE_OF_OTHERS, *_AS_IS)
"""Collectives by the name of their nccl-tests program without ``_perf``."""


def busbw_factor(collective: str, ranks: int) -> float:
    """Return busbw / algbw of ``collective`` over ``ranks`` GPUs.

    One rank moves nothing, so its factor is 0 where a factor depends on the others. Raises
    ``UnknownCollective`` for another name and ``ValueError`` for fewer than one rank.
    """
    if ranks < 1:
        raise ValueError(f"ranks must be 1 or more, not {ranks}")
    if collective == "all_reduce":
        return 2 * (ranks - 1) / ranks
    if collective in _SHARE_OF_OTHERS:
        return (ranks - 1) / ranks
    if collective in _AS_IS:
        return 1.0
    raise UnknownCollective(collective, COLLECTIVES)
