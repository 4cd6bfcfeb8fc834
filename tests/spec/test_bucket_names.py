"""Names of buckets: what S3 takes, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.problems import Problem

SECTION = "storage:\n  file_systems:\n"


def _problems(name: str, demo_text: str, problems_of: Callable[[str], list[Problem]]) -> list[Problem]:
    assert SECTION in demo_text
    tie = f"associations: [{{path: /probe, bucket: {name}}}]"
    lustre = f"    - {{kind: lustre, mount: /probe, capacity_gib: 19200, {tie}}}\n"
    return problems_of(demo_text.replace(SECTION, SECTION + lustre, 1))


@pytest.mark.parametrize(
    "name",
    [
        "abc",
        "a.b",
        "acme-data.v3",
        "a-.b",
        "1st",
        "x" * 63,
        "create",
        "192.168.0.1.backup",
        "192.168.0",
        "s3alias",
        "xn-data",
        "data-s3alias-2",
    ],
)
def test_names_that_s3_takes(name: str, demo_text: str, problems_of: Callable[[str], list[Problem]]) -> None:
    """Lower-case letters, digits, hyphens and single dots, 3 to 63 of them."""
    assert _problems(name, demo_text, problems_of) == []


@pytest.mark.parametrize(
    "name",
    [
        *("ab", "a..b", "abc.", ".abc", "-abc", "abc-", "Abc", "a_b", "x" * 64, "s3://abc", "abc/v3"),
        *("192.168.0.1", "999.1.1.999"),
        *("xn--data", "sthree-data", "amzn-s3-demo-data"),
        *("data-s3alias", "data--ol-s3", "data.mrap", "data--x-s3", "data--table-s3"),
        '"data\\n"',
    ],
)
def test_names_that_s3_refuses(
    name: str, demo_text: str, problems_of: Callable[[str], list[Problem]]
) -> None:
    """Anything else is refused in its place, with what a name is."""
    (problem,) = _problems(name, demo_text, problems_of)
    assert problem.path.endswith("associations[0].bucket")
    assert problem.remedy
