"""Any text gives an environment or problems; any environment survives expand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.environment import Environment
from bedplate.spec.expand import as_yaml
from bedplate.spec.loader import parse_environment
from bedplate.spec.problems import SpecProblems
from bedplate.spec.regions import ZONE_PREFIXES

DEMO = (Path(__file__).parents[2] / "environments" / "demo.yaml").read_text(encoding="utf-8")
LINES = DEMO.splitlines()
SETTINGS = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])

NASTY = st.sampled_from(
    ["", "\t", "- ", ": ", "[", "{", "&a [*a]", "*a", "<<: *a", "!!python/object:os.system", "? ",
    "---", "~", "no",
     "1e999", "0x", "0b", "0o8", "1:60", "2026-13-45", "2026-02-31", ".inf", "|", ">", "%YAML 3.0",
     "\ufeff", "\x85", "\u2028", "'", '"', "#", "9" * 5000, "_", "0_", "=", "<<"]
)  # fmt: skip


def _read(text: str) -> None:
    try:
        assert isinstance(parse_environment(text, file="any.yaml"), Environment)
    except SpecProblems as error:
        for problem in error.problems:
            assert problem.remedy
            assert problem.line >= 1
            assert problem.column >= 1
            assert "\n" not in problem.source


@SETTINGS
@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the loader fail in another way than by problems with a place."""
    _read(text)


@SETTINGS
@given(st.integers(0, len(LINES)), NASTY, st.booleans(), st.integers(0, 40))
def test_any_disturbed_environment_is_read_or_refused(
    line: int, text: str, own_line: bool, column: int
) -> None:
    """Neither does a real file into which something nasty was put, in a line or as a line."""
    lines = list(LINES)
    if own_line or line == len(LINES):
        lines.insert(line, text)
    else:
        lines[line] = lines[line][:column] + text + lines[line][column:]
    _read("\n".join(lines))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _paths(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(below for key, value in items for below in _paths(value, (*path, key)))]


PATHS = _paths(yaml.safe_load(DEMO))


@SETTINGS
@given(st.sampled_from(PATHS), plain)
def test_any_value_anywhere_is_read_or_refused(path: tuple[str | int, ...], value: Any) -> None:
    """Neither does any value in the place of any other."""
    data: Any = {"top": yaml.safe_load(DEMO)}
    parent, last = data, "top"
    for part in path:
        parent, last = parent[last], part
    parent[last] = value
    _read(yaml.safe_dump(data["top"], allow_unicode=True))


names = st.from_regex(r"\A[a-z][a-z0-9-]{1,10}[a-z0-9]\Z")


@st.composite
def environments(draw: st.DrawFn) -> dict[str, Any]:
    """A legal environment, as plain data, from all over what is legal."""
    region = draw(st.sampled_from(sorted(ZONE_PREFIXES)))
    prefix = ZONE_PREFIXES[region]
    pool_names = draw(
        st.lists(
            names.filter(lambda name: name != "login"),
            min_size=1,
            max_size=3,
            unique_by=lambda name: name.replace("-", ""),
        )
    )
    x86 = sorted(name for name, known in INSTANCE_TYPES.items() if known.architecture == "x86_64")
    association = {"path": "/data", "bucket": "create", "import": ["new"], "export": ["deleted"]}
    lustre = {
        "capacity_gib": 38400 * draw(st.integers(1, 5)),
        "throughput_mbps_per_tib": draw(st.sampled_from([125, 250, 500, 1000])),
        "efa": draw(st.booleans()),
        "metadata_iops": draw(st.sampled_from(["automatic", 1500, 12000, 24000])),
        "associations": draw(
            st.sampled_from([[], [association]])
        ),
    }  # fmt: skip
    return {
        "name": draw(names),
        "account": draw(st.from_regex(r"\A[0-9]{12}\Z")),
        "region": region,
        "tags": draw(st.dictionaries(names, st.from_regex(r"\A[A-Za-z0-9 _.:/=+@-]{0,20}\Z"), max_size=3)),
        "network": {
            "zone": f"{prefix}-az{draw(st.integers(1, 6))}",
            "control_zones": [f"{prefix}-az1", f"{prefix}-az2"],
            "cidr": "10.40.0.0/16",
            "internet": draw(st.sampled_from(["nat", "none"])),
        },
        "pools": [
            {
                "name": name,
                "instance_type": draw(st.sampled_from(x86)),
                "nodes": draw(st.integers(1, 64) | st.just({"min": 0, "max": 9})),
                "capacity": draw(st.sampled_from([{"source": "on-demand"}, {"source": "open-reservation"}])),
            }
            for name in pool_names
        ],
        "storage": {"lustre": draw(st.none() | st.just(lustre))},
        "orchestrator": {
            "kind": "slurm-pcs",
            "slurm_version": draw(st.sampled_from(["24.11", "25.05", "25.11", "26.05"])),
            "partitions": [{"name": "train", "pools": pool_names}],
        },
        "validation": {
            "dcgm_level": draw(st.sampled_from([1, 2])),
            "waivers": draw(st.sampled_from([[], [{"check": "DCG-002", "reason": "no: time\nleft"}]])),
        },
    }


@SETTINGS
@given(environments())
def test_legal_environments_survive_expand(data: dict[str, Any]) -> None:
    """What is written out with all defaults reads back as the same environment, and writes the same."""
    environment = parse_environment(yaml.safe_dump(data), file="any.yaml")
    written = as_yaml(environment)
    again = parse_environment(written, file="expanded.yaml")
    assert again == environment
    assert as_yaml(again) == written
