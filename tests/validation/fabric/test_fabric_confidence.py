"""Tests of how sure a finding is said to be."""

import pytest

from bedplate.validation.fabric import confidence


def test_more_failures_with_good_partners_make_surer_and_noise_less_sure() -> None:
    """One failure beside a good partner is about even; two are near certain."""
    one, two, three = (confidence.of_node(unexplained=count, false_failures=0.01) for count in (1, 2, 3))
    assert 0.4 < one < 0.6
    assert 0.95 < two < three < 1
    assert confidence.of_node(unexplained=2, false_failures=0.1) < two


def test_two_nodes_and_their_link_share_the_doubt() -> None:
    """Neither of two nodes that fail with each other is at fault by more than half."""
    sure = confidence.of_one_among(partners=1, failures=3, false_failures=0.01)
    assert 0.4 < sure < 0.5


@pytest.mark.parametrize(("failures", "least"), [(1, 0.05), (2, 0.9), (3, 0.998)])
def test_a_link_is_surer_with_each_failure(failures, least) -> None:
    """A bad link is rare, so one failure between good nodes is rather noise."""
    sure = confidence.of_link(failures=failures, false_failures=0.01)
    assert least < sure < 1


def test_many_nodes_at_fault_at_once_are_rather_a_setting() -> None:
    """Above a quarter of the nodes the same cause speaks for what they share."""
    assert confidence.shared_by(alike=20, nodes=64) < 0.01
    assert confidence.shared_by(alike=2, nodes=4) < confidence.shared_by(alike=1, nodes=3)


def test_a_whole_leaf_is_surer_than_all_of_its_nodes() -> None:
    """Three nodes that fail with all are rather one switch."""
    assert confidence.of_leaf(failures=6, nodes=3) > 0.99
    assert confidence.of_leaf(failures=1, nodes=0) == pytest.approx(0.5)


def test_a_setting_is_surer_the_more_nodes_would_have_to_be_bad() -> None:
    """No pair of four passes: three of four would have to be bad; of sixteen, half."""
    assert confidence.of_configuration(nodes=3, all_pairs_tried=True) > 0.9
    assert confidence.of_configuration(nodes=16, all_pairs_tried=False) > 0.999


def test_every_confidence_is_a_share() -> None:
    """Between 0 and 1 for the widest arguments."""
    said = [
        confidence.of_node(unexplained=0, false_failures=0),
        confidence.of_one_among(partners=0, failures=0, false_failures=0),
        confidence.of_link(failures=0, false_failures=1.0),
        confidence.of_relapse(bad_links=3),
        confidence.of_transient(false_failures=0),
        confidence.of_groups_apart(links=4),
        confidence.of_configuration(nodes=4096, all_pairs_tried=False),
        confidence.shared_by(alike=4096, nodes=4096),
        confidence.of_setting_of_many(alike=4096, nodes=4096),
        confidence.of_what_two_share(failures=0, false_failures=1.0),
        confidence.of_one_of_many(shared=0.0, alone=0.0),
        confidence.of_all_together(links=0, slow=0, false_failures=0),
    ]
    assert all(0 <= one <= 1 for one in said)


def test_many_alike_are_rather_a_setting() -> None:
    """The more nodes are alike, the likelier what they share; one node beside it is no likelier than any."""
    few, many = (confidence.of_setting_of_many(alike=count, nodes=16) for count in (5, 12))
    assert 0.5 < few < many
    assert confidence.of_one_of_many(shared=1.0, alone=0.99) == pytest.approx(confidence.NODE)
    assert confidence.of_one_of_many(shared=0.0, alone=0.99) == pytest.approx(0.99)


def test_two_nodes_alone_leave_little_to_what_they_share() -> None:
    """Either node is likelier at fault than a setting, however often their test fails."""
    once, often = (confidence.of_what_two_share(failures=n, false_failures=0.01) for n in (1, 6))
    assert once < often < 0.25


@pytest.mark.parametrize(("slow", "least", "most"), [(1, 0.2, 0.4), (2, 0.8, 0.9), (3, 0.9, 0.95)])
def test_slow_together_is_believed_the_more_tests_show_it(slow: int, least: float, most: float) -> None:
    """One test may fail by chance; a few links that come and go are what stays beside a setting."""
    assert least < confidence.of_all_together(links=6, slow=slow, false_failures=0.01) < most
    many = confidence.of_all_together(links=2016, slow=slow, false_failures=0.01)
    assert many < confidence.of_all_together(links=6, slow=slow, false_failures=0.01)
