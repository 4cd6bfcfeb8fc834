"""To which runs a stored figure applies, and that a validation reads, obeys and mistrusts what is stored."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from bedplate.errors import BedplateError
from bedplate.hardware import InstanceType, instance_type
from bedplate.validation.baselines.baseline import Baseline, BaselineFigure
from bedplate.validation.baselines.store import (
    baseline_key,
    forget_baseline,
    read_baseline,
    read_run,
    write_baseline,
)
from bedplate.validation.reports.result_file import result_json
from bedplate.validation.steps.load_baseline import load_baseline
from tests.validation.reports.sample_run import healthy_run
from tests.validation.steps.small_cluster import context_of, manifest

P5EN = instance_type("p5en.48xlarge")
GIB16 = 1 << 34


def _figure(**changes: Any) -> BaselineFigure:
    usual = {
        "pool": "h200",
        "instance_type": "p5en.48xlarge",
        "efas": 16,
        "collective": "all_reduce",
        "path": "efa",
        "nodes": 64,
        "size_bytes": GIB16,
        "gb_per_s": 355.0,
    }
    return BaselineFigure.model_validate({**usual, **changes})


def _baseline(*figures: BaselineFigure, **changes: Any) -> Baseline:
    usual: dict[str, Any] = {
        "environment": "demo",
        "account": "123456789012",
        "region": "us-west-2",
        "simulated": False,
        "accepted_at": "2026-02-04T00:00:00+00:00",
        "reason": "acceptance",
        "runs": ["run-1"],
        "figures": list(figures),
    }
    return Baseline.model_validate({**usual, **changes})


def _asked(baseline: Baseline, **changes: Any) -> list[float]:
    usual: dict[str, Any] = {
        "pool": "h200",
        "hardware": P5EN,
        "collective": "all_reduce",
        "path": "efa",
        "nodes": 64,
    }
    return [figure.gb_per_s for _, figure in baseline.accepted(**{**usual, **changes})]


def test_over_efa_a_figure_holds_for_as_many_nodes_and_fewer() -> None:
    """As published ones do; the nearest count is taken, and more nodes are held to nothing."""
    stored = _baseline(_figure(), _figure(nodes=16, gb_per_s=370.0))
    assert [_asked(stored, nodes=nodes) for nodes in (2, 16, 17, 64, 65)] == [
        [370.0],
        [370.0],
        [355.0],
        [355.0],
        [],
    ]


def test_over_nvlink_and_inside_a_node_a_figure_holds_for_its_own_count() -> None:
    """Reduction in the switch grows with the GPUs."""
    stored = _baseline(_figure(path="nvlink", nodes=4, gb_per_s=880.0), _figure(nodes=8))
    assert [_asked(stored, path="nvlink", nodes=nodes) for nodes in (3, 4, 5)] == [[], [880.0], []]
    assert _asked(stored, nodes=1) == []


@pytest.mark.parametrize(
    "other",
    [
        {"pool": "h100"},
        {"collective": "all_gather"},
        {"path": "nvlink"},
        {"hardware": instance_type("p5.48xlarge")},
    ],
)
def test_another_shape_is_not_held_to_it(other: dict[str, Any]) -> None:
    """Pool, type, collective and path must be those of the figure."""
    assert _asked(_baseline(_figure()), **other) == []


def test_another_layout_is_not_held_to_it() -> None:
    """With another number of EFAs it is another cluster."""
    gb200 = instance_type("p6e-gb200.36xlarge")
    stored = _baseline(_figure(instance_type=gb200.name, efas=4))
    layouts: list[InstanceType] = [gb200.laid_out(efas=4), gb200.laid_out(efas=8)]
    assert [bool(_asked(stored, hardware=each)) for each in layouts] == [True, False]


class _Bucket:
    def __init__(self, objects: dict[str, bytes]) -> None:
        self.objects = objects

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """The object, or S3's refusal."""
        del Bucket
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": Key}}, "GetObject")
        from datetime import UTC, datetime

        body = SimpleNamespace(read=lambda: self.objects[Key])
        return {"Body": body, "ETag": "x", "LastModified": datetime.now(UTC)}

    def put_object(self, *, Bucket: str, Key: str, Body: bytes) -> None:  # noqa: N803
        """Keep it."""
        del Bucket
        self.objects[Key] = Body

    def delete_object(self, *, Bucket: str, Key: str) -> None:  # noqa: N803
        """Drop it."""
        del Bucket
        self.objects.pop(Key, None)


def _clients(objects: dict[str, bytes], *, simulated: bool = False) -> Any:
    return SimpleNamespace(s3=_Bucket(objects), simulated=simulated)


def test_what_is_stored_is_read_back_and_can_be_forgotten() -> None:
    """Round trip through the bucket."""
    objects: dict[str, bytes] = {}
    clients, stored = _clients(objects), _baseline(_figure())
    assert read_baseline(clients=clients, manifest=manifest()) is None
    assert write_baseline(clients=clients, manifest=manifest(), baseline=stored).endswith(
        "/baselines/demo.json"
    )
    assert read_baseline(clients=clients, manifest=manifest()) == stored
    forget_baseline(clients=clients, manifest=manifest())
    assert objects == {}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "cannot be used"),
        (b"[]", "cannot be used"),
        (_baseline(_figure(), environment="prod").model_dump_json().encode(), "it is of prod"),
        (_baseline(_figure(), simulated=True).model_dump_json().encode(), "SIMULATED"),
        (_baseline(_figure()).model_dump_json().replace("355.0", "NaN").encode(), "cannot be used"),
        (_baseline(_figure()).model_dump_json().replace('"version":1', '"version":2').encode(), "version"),
    ],
)
def test_a_baseline_that_cannot_be_used_stops_the_run(body: bytes, words: str) -> None:
    """To go on without it would ask less than was accepted."""
    with pytest.raises(BedplateError, match=words) as refused:
        read_baseline(clients=_clients({baseline_key("demo"): body}), manifest=manifest())
    assert refused.value.error_id == "BAS-002"


def test_a_run_is_read_from_the_bucket_or_refused() -> None:
    """By its id; what is not there, or is no result, is BAS-003."""
    run = healthy_run()
    clients = _clients({"runs/r1/result.json": result_json(run).encode(), "runs/r2/result.json": b"{}"})
    assert read_run(clients=clients, manifest=manifest(), run_id="r1") == run
    for missing in ("r2", "r3"):
        with pytest.raises(BedplateError) as refused:
            read_run(clients=clients, manifest=manifest(), run_id=missing)
        assert refused.value.error_id == "BAS-003"


def test_a_validation_holds_its_runs_to_it_and_says_so() -> None:
    """The step keeps it in the record, by which every shape asks, and the page names the run."""
    context = context_of()
    objects = {baseline_key("demo"): _baseline(_figure(nodes=4)).model_dump_json().encode()}
    context.clients = _clients(objects, simulated=True)
    load_baseline(context)
    (pool,) = context.record.manifest.pools
    ((size, figure),) = context.record.accepted(pool, "all_reduce", 4, None)
    assert (size, figure.gb_per_s) == (GIB16, 355.0)
    assert context.record.accepted(pool, "all_reduce", 1, None) == ()
    assert "run-1" in context.record.notes[-1]
