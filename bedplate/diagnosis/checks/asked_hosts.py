"""Whether the hosts that a log names are those that the run was asked for: a log of other nodes proves
nothing, however good.

NCCL and nccl-tests print what ``gethostname`` gives up to its first dot (NVIDIA/nccl src/misc/utils.cc,
NVIDIA/nccl-tests src/common.cu), and the probe tells the same name whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bedplate.diagnosis.checks.collective_run import CollectiveRun

_CUT_AT_LEAST = 15
"""No system cuts a host's name to less: NetBIOS leaves 15 characters, Linux 64."""
_NAMED = 8
"""Of a long list of hosts so many are named; the evidence has the others."""


def doubt_of_names(run: CollectiveRun) -> str:
    """How the hosts of the log differ from those that were asked for, in words; empty where they do not, or
    where nobody said which were asked for.
    """
    if not run.asked.hosts:
        return ""
    ranks = [] if run.info is None else [comm.host for comm in run.info.comms]
    strange, missing = _differences(told=ranks, asked=run.asked.hosts)
    if strange or missing:
        told = f"ranks ran on {_names(strange)}, which was not asked" if strange else "of the hosts asked"
        return told + (f", and none on {_names(missing)}" if missing else "")
    # The tool cuts a long list of ranks short, so hosts that are missing in it mean nothing.
    listed = [] if run.table is None else [rank.host for rank in run.table.ranks]
    strange, _ = _differences(told=listed, asked=run.asked.hosts)
    return f"nccl-tests lists ranks on {_names(strange)}, which was not asked" if strange else ""


def _differences(*, told: Iterable[str], asked: Sequence[str]) -> tuple[list[str], list[str]]:
    """The hosts that were told and not asked for, and those that were asked for and not told, by name."""
    names = {_short(name): name for name in told}
    wanted = {_short(name): name for name in asked}
    width = max(map(len, names), default=0)
    found, strange = set(names) & set(wanted), []
    for name in sorted(set(names) - found):
        whole = [each for each in wanted if each not in found and _is_cut(name, width=width, whole=each)]
        if len(whole) == 1:
            found.add(whole[0])
        else:
            strange.append(names[name])
    return strange, sorted(wanted[name] for name in set(wanted) - found)


def _short(name: str) -> str:
    return name.strip().partition(".")[0].lower()


def _is_cut(name: str, *, width: int, whole: str) -> bool:
    """Whether a name is the beginning of another that something cut to ``width`` characters.

    What cuts, cuts all names alike, so a name that is shorter than its neighbours was not cut; and a number
    that goes on is another host's (``gpu-1`` is not ``gpu-10``).
    """
    if len(name) != width or width < _CUT_AT_LEAST or not whole.startswith(name) or name == whole:
        return False
    return not (name[-1].isdigit() and whole[len(name)].isdigit())


def _names(hosts: Sequence[str]) -> str:
    more = len(hosts) - _NAMED
    return ", ".join(hosts[:_NAMED]) + (f" and {more} more" if more > 0 else "")
