"""Whose fault a bandwidth below its floor over many nodes is: a link's, a leaf's, or that of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.validation.fabric import confidence
from bedplate.validation.fabric.finding import LinkState, Localisation

SLOW_TOGETHER = "slow-together"


@dataclass(frozen=True)
class Slowness:
    """What the search found beside the tests of many nodes: ``told`` is a sentence for each of these,
    ``slow`` says how many were slow with nothing that they name, ``false_failures`` is the policy's.
    """

    found: Localisation
    told: tuple[str, ...]
    slow: int
    false_failures: float

    def explained(self, verdict: Verdict) -> Verdict:
        """A bandwidth below its floor with no node and no link to blame is of all nodes together."""
        found = self.found
        if verdict.outcome is not Outcome.FAIL or verdict.cause:
            return verdict
        bad = found.links_in_state(LinkState.AT_FAULT)
        if bad:
            pairs = ", ".join(" ↔ ".join(link.nodes) for link in bad)
            return replace(verdict, summary=f"{verdict.summary}; {pairs} is slow (FAB-002)")
        if found.leaves:
            leaves = ", ".join(" – ".join(leaf.leaves) for leaf in found.leaves)
            return replace(verdict, summary=f"{verdict.summary}; leaf {leaves} is at fault (FAB-002)")
        if found.links_tested < found.links_total:
            untested = found.links_total - found.links_tested
            return replace(
                verdict, summary=f"{verdict.summary}; not located, {untested} links were not tested"
            )
        sure = confidence.of_all_together(
            links=found.links_total, slow=max(self.slow, 1), false_failures=self.false_failures
        )
        return replace(
            verdict,
            summary=f"{verdict.summary}; {_of_one_or_none(found)}",
            cause=SLOW_TOGETHER,
            confidence=round(sure, 4),
            because=(*self.told, _of_the_pairs(found)),
        )


def slowness_of(
    found: Localisation, tests: Sequence[tuple[str, Verdict]], *, false_failures: float
) -> Slowness:
    """What tests of many nodes, each by what it was over and its verdict, say beside the search."""
    judged = [(what, one) for what, one in tests if one.outcome in (Outcome.PASS, Outcome.FAIL)]
    slow = sum(one.outcome is Outcome.FAIL and not one.cause for _, one in judged)
    return Slowness(found, tuple(f"{what}: {one.summary}" for what, one in judged), slow, false_failures)


def _of_one_or_none(found: Localisation) -> str:
    """What the pairs say of it: those that are undetermined are not called well."""
    doubted = len(found.links_in_state(LinkState.UNDETERMINED))
    if not doubted:
        return "every pair of nodes is well, so it is nothing of one node or link"
    return (
        f"no pair of nodes is at fault, and {doubted} of {found.links_total} links are undetermined: most "
        "likely it is nothing of one node or link"
    )


def _of_the_pairs(found: Localisation) -> str:
    doubted = len(found.links_in_state(LinkState.UNDETERMINED))
    return f"Pairs: {found.links_tested} of {found.links_total} links were tested, none is at fault" + (
        f", {doubted} undetermined" if doubted else ""
    )
