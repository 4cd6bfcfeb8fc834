"""What is said about a section that is of no kind, of a misspelt one, or stands where another belongs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.environment import Environment
from bedplate.spec.fields import Field, all_fields, keys_of, sections_in, tag_key, tag_word
from bedplate.spec.location import path_in_file
from bedplate.spec.moved import INSTEAD
from bedplate.spec.problems import Problem

Changed = Callable[..., str]
ProblemsOf = Callable[[str], list[Problem]]
KINDS = "lustre, lustre-tiering, openzfs, efs, existing-lustre, existing-openzfs, existing-efs"
UNIONS = [field for field in all_fields(Environment) if len(sections_in(field.info.annotation)) > 1]


def test_a_misspelt_kind_gets_the_nearest_and_all(changed: Changed, problems_of: ProblemsOf) -> None:
    """The kinds of file systems are listed, the nearest first of all."""
    [problem] = problems_of(changed(("kind: lustre", "kind: luster")))
    assert (problem.id, problem.path) == ("SPC-005", "storage.file_systems[0].kind")
    assert (problem.allowed, problem.remedy) == (KINDS, "Did you mean 'lustre'?")


def test_a_foreign_kind_gets_all(changed: Changed, problems_of: ProblemsOf) -> None:
    """Where no kind is near, the remedy names them."""
    [problem] = problems_of(changed(("kind: lustre", "kind: weka")))
    assert (problem.id, problem.given, problem.remedy) == ("SPC-005", "weka", f"Use one of: {KINDS}.")


def test_a_missing_kind_is_guessed_by_its_keys(changed: Changed, problems_of: ProblemsOf) -> None:
    """The kind that has most of the keys is proposed, and all are listed."""
    [problem] = problems_of(changed(("- kind: lustre\n", "- mount: /data\n"), ("      mount: /fsx\n", "")))
    assert (problem.id, problem.path) == ("SPC-003", "storage.file_systems[0].kind")
    assert (problem.allowed, problem.remedy) == (KINDS, "Add `kind: lustre`, or another of those allowed.")


def test_a_missing_source_lists_the_sources(changed: Changed, problems_of: ProblemsOf) -> None:
    """The same holds for capacity, whose tag has another name."""
    [problem] = problems_of(
        changed(("source: on-demand", "plan: arn:aws:sagemaker:us-west-2:123456789012:training-plan/p"))
    )
    assert problem.remedy == "Add `source: training-plan`, or another of those allowed."
    assert "interruptible-reservation" in problem.allowed


def test_a_key_of_another_kind_is_named_so(changed: Changed, problems_of: ProblemsOf) -> None:
    """A key that other kinds have is told apart from one that is misspelt."""
    [problem] = problems_of(changed(("metadata_iops: 12000", "read_cache_gib: 8000")))
    assert problem.id == "SPC-002"
    assert (
        problem.remedy
        == "'read_cache_gib' is a field of `kind: lustre-tiering`; remove it, or change `kind:`."
    )


@pytest.mark.parametrize(
    ("kind", "line", "of"),
    [
        ("slurm-parallelcluster", 'slurm_version: "25.11"', "slurm-pcs"),
        ("slurm-parallelcluster", "rest_api: true", "slurm-pcs"),
        ("slurm-pcs", 'version: "3.16.1"', "slurm-parallelcluster"),
        ("slurm-pcs", "head_node: {}", "slurm-parallelcluster"),
    ],
)
def test_a_field_of_another_orchestrator_is_no_misspelling(
    kind: str, line: str, of: str, changed: Changed, problems_of: ProblemsOf
) -> None:
    """What another kind has is told so, though this kind has a field whose name is near."""
    text = changed(("kind: slurm-pcs", f"kind: {kind}"), ('slurm_version: "25.11"', line))
    [problem] = problems_of(text)
    key = line.partition(":")[0]
    assert (problem.id, problem.path) == ("SPC-002", f"orchestrator.{key}")
    assert problem.remedy.startswith(f"'{key}' is a field of `kind: {of}`")
    assert problem.remedy.endswith("; remove it, or change `kind:`.")


def test_a_shorter_word_of_another_kind_gets_both(changed: Changed, problems_of: ProblemsOf) -> None:
    """Where the key is the beginning of one that this kind has, that one is proposed too."""
    [problem] = problems_of(changed(("throughput_mbps_per_tib: 250", "throughput_mbps: 250")))
    assert problem.remedy == (
        "'throughput_mbps' is a field of `kind: lustre-tiering` or `kind: openzfs`; remove it, or change "
        "`kind:`, or write 'throughput_mbps_per_tib' if that is meant."
    )


ORCHESTRATORS = ", ".join(
    str(tag_word(kind, "kind")) for kind in sections_in(keys_of(Environment)["orchestrator"].annotation)
)


@pytest.mark.parametrize(
    ("given", "check_id", "shown", "remedy"),
    [
        ("[slurm-pcs]", "SPC-004", "a list of 1", "Write `kind: slurm-pcs`, without brackets."),
        ("[eks-hyperpod]", "SPC-004", "a list of 1", f"Use one of: {ORCHESTRATORS}."),
        ("[slurm-pcs, slurm-parallelcluster]", "SPC-004", "a list of 2", f"Use one of: {ORCHESTRATORS}."),
        ("[[slurm-pcs]]", "SPC-004", "a list of 1", f"Use one of: {ORCHESTRATORS}."),
        ("{slurm-pcs: {}}", "SPC-004", "a mapping", f"Use one of: {ORCHESTRATORS}."),
        ("3", "SPC-005", "3", f"Use one of: {ORCHESTRATORS}."),
        ("true", "SPC-005", "true", f"Use one of: {ORCHESTRATORS}."),
        ("", "SPC-005", "nothing", f"Use one of: {ORCHESTRATORS}."),
        ('""', "SPC-005", "nothing", f"Use one of: {ORCHESTRATORS}."),
    ],
)
def test_a_kind_of_another_type_is_told_what_is_allowed(
    given: str, check_id: str, shown: str, remedy: str, changed: Changed, problems_of: ProblemsOf
) -> None:
    """What is no word at all is named for what it is, with the words that are allowed."""
    [problem] = problems_of(changed(("kind: slurm-pcs", f"kind: {given}")))
    assert (problem.id, problem.path, problem.given) == (check_id, "orchestrator.kind", shown)
    assert problem.allowed == ORCHESTRATORS
    assert problem.remedy == remedy


def test_a_choice_in_a_list_is_told_to_stand_alone(changed: Changed, problems_of: ProblemsOf) -> None:
    """The same holds for any value that is one of several, quotes included."""
    [problem] = problems_of(changed(('slurm_version: "25.11"', 'slurm_version: ["25.11"]')))
    assert (problem.id, problem.remedy) == (
        "SPC-004",
        'Write `slurm_version: "25.11"`, without brackets.',
    )


def test_an_empty_setting_is_told_to_go(changed: Changed, problems_of: ProblemsOf) -> None:
    """A Slurm parameter without a value, or a value without a parameter, says so and how to mend it."""
    [problem] = problems_of(changed(("accounting: true", 'settings: {PriorityMaxAge: ""}')))
    assert (problem.id, problem.given) == ("SPC-013", "nothing")
    assert problem.message == "'orchestrator.settings.PriorityMaxAge' is empty"
    assert problem.remedy == ("Give 'PriorityMaxAge' a value, or remove it: what is not set has its default.")
    [problem] = problems_of(changed(("accounting: true", 'settings: {"": "3"}')))
    assert problem.id == "ORC-012"
    assert problem.remedy == "Write the parameter's name before the colon, or remove the line."


@pytest.mark.parametrize(
    ("replacement", "path", "remedy"),
    [
        (
            ("storage:\n  file_systems:", "storage:\n  lustre: {capacity_gib: 38400}\n  file_systems:"),
            "storage.lustre",
            "Write it below `file_systems:` as an entry `- kind: lustre` with `mount` and `capacity_gib`.",
        ),
        (
            ("storage:\n", "storage:\n  home: efs\n"),
            "storage.home",
            INSTEAD["storage.home"],
        ),
        (
            ("    nodes: 8\n", "    nodes: 8\n    spot: true\n"),
            "pools[0].spot",
            "Write it below `capacity:` as `source: spot`.",
        ),
    ],
    ids=["lustre", "home", "spot"],
)
def test_what_stands_elsewhere_is_shown_where(
    replacement: tuple[str, str], path: str, remedy: str, changed: Changed, problems_of: ProblemsOf
) -> None:
    """A kind that is written as a key is told its place in the list or section of its kind."""
    [problem] = problems_of(changed(replacement))
    assert (problem.id, problem.path, problem.remedy) == ("SPC-002", path, remedy)


@pytest.mark.parametrize(
    ("data", "location", "path"),
    [
        (
            {"storage": {"file_systems": [{"kind": "lustre", "lustre": {"x": 1}}]}},
            ("storage", "file_systems", 0, "lustre", "lustre"),
            ("storage", "file_systems", 0, "lustre"),
        ),
        (
            {"storage": {"file_systems": [{"kind": "lustre"}]}},
            ("storage", "file_systems", 0, "lustre", "mount"),
            ("storage", "file_systems", 0, "mount"),
        ),
        (
            {"pools": [{"nodes": {"min": 0, "range": {"min": 3}}}]},
            ("pools", 0, "nodes", "range", "range"),
            ("pools", 0, "nodes", "range"),
        ),
        (
            {"pools": [{"capacity": {"source": "spot", "spot": {"spot": 1}}}]},
            ("pools", 0, "capacity", "spot", "spot"),
            ("pools", 0, "capacity", "spot"),
        ),
        (
            {"tags": {"a b": "é", "[key]": "x"}},
            ("tags", "a b", "[key]"),
            ("tags", "a b"),
        ),
        ({"pools": "none"}, ("pools",), ("pools",)),
        ({}, ("network",), ("network",)),
    ],
    ids=["tag as key", "missing", "range", "source as key", "key of a mapping", "text", "top"],
)
def test_tags_are_told_from_keys_of_the_same_name(
    data: dict[str, object], location: tuple[str | int, ...], path: tuple[str | int, ...]
) -> None:
    """What pydantic adds to a location is left out, even where the file has a key of that name."""
    assert path_in_file(Environment, data, location) == path


@pytest.mark.parametrize("field", UNIONS, ids=lambda field: field.path)
def test_every_union_is_told_apart_by_a_key(field: Field) -> None:
    """Where several sections may stand, one key has a word of its own in each."""
    kinds = sections_in(field.info.annotation)
    key = tag_key(kinds)
    assert key is not None
    assert len({tag_word(kind, key) for kind in kinds}) == len(kinds)


def test_the_file_has_unions() -> None:
    """The two that there are today are found, so that the test above is not empty."""
    assert {field.path for field in UNIONS} >= {"pools[].capacity", "storage.file_systems"}
