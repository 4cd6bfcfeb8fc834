"""Result files: whole or not at all, and nothing is believed that does not follow the schema."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from bedplate.errors import BedplateError
from bedplate.validation.reports.result_file import (
    read_result,
    result_json,
    result_schema,
    write_result,
    write_text,
)
from bedplate.validation.reports.rows import ROWS
from tests.validation.reports.sample_run import faulty_run, healthy_run

SCHEMA = Path(__file__).parents[3] / "docs/reference/result.schema.json"


def test_what_is_written_reads_back_as_the_same_result(tmp_path: Path) -> None:
    """A result survives its file, every field of it, and the same result gives the same bytes."""
    path = tmp_path / "new" / "result.json"
    write_result(faulty_run(), path)
    assert read_result(path) == faulty_run()
    assert path.read_text(encoding="utf-8") == result_json(faulty_run())


def test_a_written_result_follows_the_published_schema(tmp_path: Path) -> None:
    """The file satisfies the schema that is published, by an independent validator."""
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert list(validator.iter_errors(json.loads(result_json(faulty_run())))) == []
    broken = json.loads(result_json(faulty_run()))
    broken["verdicts"][0]["outcome"] = "fine"
    assert list(validator.iter_errors(broken))


def test_the_published_schema_is_the_one_that_the_code_gives() -> None:
    """The committed schema equals the generated one; `bedplate schema --result` writes it anew."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == result_schema()


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up in the middle leaves the old file whole and no scraps beside it."""
    path = tmp_path / "result.json"
    write_result(healthy_run(), path)
    old = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BedplateError, match="No space left") as caught:
        write_result(faulty_run(), path)
    assert caught.value.error_id == "RES-001"
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_a_value_that_json_cannot_carry_is_refused() -> None:
    """A bandwidth that is no number stops the writing; it must not come back as something else."""
    run = healthy_run()
    broken = run.bandwidths[0].model_copy(update={"busbw_gb_per_s": float("nan")})
    with pytest.raises(BedplateError) as caught:
        result_json(run.model_copy(update={"bandwidths": [broken]}))
    assert caught.value.error_id == "RES-004"


def _edited(**update: object) -> str:
    return json.dumps({**json.loads(result_json(healthy_run())), **update})


@pytest.mark.parametrize(
    ("text", "error_id", "words"),
    [
        ("", "RES-002", "not a whole result file"),
        (result_json(healthy_run())[:2000], "RES-002", "not a whole result file"),
        ("[1]", "RES-002", "no object of names and values"),
        ('{"version": NaN}', "RES-002", "NaN is not JSON"),
        ("[" * 100_000, "RES-002", "not a whole result file"),
        ("{}", "RES-003", "version None"),
        (_edited(version=2), "RES-003", "version 2; this Bedplate reads version 1"),
        (_edited(version=True), "RES-003", "version True"),
        (_edited(complete="perhaps"), "RES-004", "complete"),
        (_edited(simulated="no"), "RES-004", "simulated"),
        ('{"version": 1, "complete": false, "complete": true}', "RES-002", "'complete' is given twice"),
        pytest.param(" " * (64 * 2**20 + 1), "RES-002", "more than 64 MiB", id="too large"),
        (_edited(surprise=1), "RES-004", "surprise"),
        (_edited(verdicts=[{"check_id": "GPU-001", "extra": 1}]), "RES-004", "verdicts.0"),
    ],
)
def test_a_broken_file_is_refused_with_its_id(tmp_path: Path, text: str, error_id: str, words: str) -> None:
    """Each way in which a file can be broken is one error with an id that is explained, and a remedy."""
    path = tmp_path / "result.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BedplateError) as caught:
        read_result(path)
    assert caught.value.error_id == error_id
    assert words in caught.value.message
    assert caught.value.remedy
    assert error_id in ROWS


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    """A missing file, a folder and bytes that are not UTF-8 are errors, not tracebacks."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe{}")
    for name, error_id in (("absent", "RES-001"), (".", "RES-001"), ("binary", "RES-002")):
        with pytest.raises(BedplateError) as caught:
            read_result(tmp_path / name)
        assert caught.value.error_id == error_id


def test_a_link_is_followed_and_a_pipe_written_to(tmp_path: Path) -> None:
    """What the path names is written, and neither a link nor a device is replaced by a file."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "link.html").symlink_to(tmp_path / "kept" / "report.html")
    write_text("page", tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "kept" / "report.html").read_text() == "page"
    reading, writing = os.pipe()
    write_text("page", Path(f"/dev/fd/{writing}"))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "page"
