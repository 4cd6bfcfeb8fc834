"""How sure a finding is: Bayes' rule over the explanations that its tests leave.

The shares below are assumptions, not measurements: how often a node, a link, a leaf or a shared setting is at
fault in a cluster that was just deployed. They only weigh explanations against each other, so a confidence
says how much better the named one fits than the others do; it is no measured rate of being right.
"""

from __future__ import annotations

from math import exp, lgamma, log

NODE = 0.01
LINK = 0.001
LEAF = 0.001
SETTING = 0.005
COMES_AND_GOES = 0.5
"""The chance that a fault that comes and goes is away in one test."""
LEAST_CHANCE_OF_A_FALSE_FAILURE = 0.001
"""Taken where a policy calls tests free of noise: nothing is."""


def of_node(*, unexplained: int, false_failures: float) -> float:
    """The chance that a node is at fault that failed ``unexplained`` tests with different partners that are
    well, and passed none.
    """
    by_other = (LINK + _noise(false_failures)) ** unexplained
    return NODE / (NODE + (1 - NODE) * by_other)


def of_one_among(*, partners: int, failures: int, false_failures: float) -> float:
    """The chance that it is this node, where each of its ``partners`` may be the one at fault as well."""
    others = partners * NODE + LINK + _noise(false_failures) ** failures
    return NODE / (NODE + others) if failures else NODE


def of_held(*, failures: int) -> float:
    """The chance that a node is at fault on which processes of a killed test stayed, while its partner came
    free and is well: else the link hung, and the node's processes stayed for a reason of their own.
    """
    by_other = (LINK * NODE) ** failures
    return NODE / (NODE + (1 - NODE) * by_other)


def of_link(*, failures: int, false_failures: float) -> float:
    """The chance that a link is at fault between nodes that are well, after failures in a row."""
    return LINK / (LINK + _noise(false_failures) ** failures)


def of_relapse(*, bad_links: int) -> float:
    """The chance that a node that passed once, and that so many bad links meet in, is at fault itself."""
    return NODE * COMES_AND_GOES / (NODE * COMES_AND_GOES + LINK**bad_links)


def of_transient(*, false_failures: float) -> float:
    """The chance that a failure that was followed by a pass leaves nothing behind."""
    chance = _noise(false_failures)
    return chance / (chance + LINK * COMES_AND_GOES)


def of_leaf(*, failures: int, nodes: int) -> float:
    """The chance that it is the leaf, not ``failures`` links nor each of ``nodes`` nodes that fail with all
    others (0 where they pass with each other).
    """
    return LEAF / (LEAF + LINK**failures + (NODE**nodes if nodes else 0))


def of_configuration(*, nodes: int, all_pairs_tried: bool) -> float:
    """The chance that a shared setting is wrong, where no pair of ``nodes`` passed: else all nodes but a few
    that never met would be at fault.
    """
    bad = nodes - 1 if all_pairs_tried else (nodes + 1) // 2
    return SETTING / (SETTING + _so_many_bad(bad, nodes))


def of_groups_apart(*, links: int) -> float:
    """The chance that a setting divides the nodes, where ``links`` of them fail with each node well."""
    return SETTING / (SETTING + LINK**links)


def shared_by(*, alike: int, nodes: int) -> float:
    """The chance that ``alike`` of ``nodes`` nodes are each at fault by themselves, rather than by a setting
    that some of them share. Asked only above a quarter of the nodes.
    """
    alone = _so_many_bad(alike, nodes)
    return alone / (alone + SETTING / nodes)


def of_setting_of_many(*, alike: int, nodes: int) -> float:
    """The chance that a setting is wrong which ``alike`` of ``nodes`` nodes share, rather than each node."""
    return 1 - shared_by(alike=alike, nodes=nodes)


def of_what_two_share(*, failures: int, false_failures: float) -> float:
    """The chance that a setting is wrong where one pair alone was tested, and failed each time: else it is
    either node, the link between them, or chance.
    """
    others = 2 * NODE + LINK + _noise(false_failures) ** failures
    return SETTING / (SETTING + others)


def of_one_of_many(*, shared: float, alone: float) -> float:
    """The chance that a node is at fault whose failures something shared explains by ``shared``: then it is
    no likelier to be than any node, and else by ``alone``.
    """
    return shared * NODE + (1 - shared) * alone


def of_all_together(*, links: int, slow: int, false_failures: float) -> float:
    """The chance that it is something of all nodes where ``slow`` tests of all of them were slow, and each of
    ``links`` links passed: else one of the links comes and goes, or the tests failed by chance.
    """
    by_link = links * LINK * COMES_AND_GOES ** (1 + slow)
    return SETTING / (SETTING + by_link + _noise(false_failures) ** slow)


def _so_many_bad(bad: int, nodes: int) -> float:
    """The chance that ``bad`` of ``nodes`` nodes are at fault at once, each by itself; by logarithms, since
    the number of choices alone is beyond a float.
    """
    choices = lgamma(nodes + 1) - lgamma(bad + 1) - lgamma(nodes - bad + 1)
    return exp(choices + bad * log(NODE))


def _noise(false_failures: float) -> float:
    return max(false_failures, LEAST_CHANCE_OF_A_FALSE_FAILURE)
