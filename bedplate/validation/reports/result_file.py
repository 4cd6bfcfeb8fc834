"""The result file: JSON, written whole or not at all, and read without trust."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bedplate.errors import BedplateError
from bedplate.validation.result import RESULT_VERSION, RunResult

_SHOWN_PROBLEMS = 5
_MAX_BYTES = 64 * 2**20  # a run over 1,000 nodes takes about 8 MiB


def result_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a result file, as ``bedplate schema --result`` prints it."""
    schema = RunResult.model_json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:bedplate:result:{RESULT_VERSION}",
        **schema,
    }


def result_json(result: RunResult) -> str:
    """A result as JSON text: two blanks of indent, a line end at the end, the same bytes for the same result.

    Raises ``BedplateError`` RES-004 where the text would not read back as the same result, e.g. for a
    bandwidth that is not a number: JSON has none.
    """
    try:
        text = result.model_dump_json(indent=2) + "\n"
        same = RunResult.model_validate_json(text) == result
    except ValueError as error:  # pydantic's own errors are ValueErrors
        raise _unwritable(str(error).splitlines()[0]) from error
    if not same:
        raise _unwritable("it holds a value that JSON cannot carry")
    return text


def write_result(result: RunResult, path: Path) -> None:
    """Write a result file; a reader sees the old file or the whole new one, never a part.

    Raises ``BedplateError`` RES-001 where the path cannot be written, RES-004 where the result is no
    valid one.
    """
    write_text(result_json(result), path)


def write_text(text: str, path: Path) -> None:
    """Write a text file in UTF-8, as ``write_bytes`` does."""
    write_bytes(text.encode("utf-8"), path)


def write_bytes(content: bytes, path: Path) -> None:
    """Write a file by a temporary file beside it and a rename; folders are made as needed.

    A link is followed, and a device or a pipe (/dev/stdout) is written to, for a rename would put a file in
    its place.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(content)
            return
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", text=False)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside = Path(temporary)
            beside.chmod(0o644)
            beside.replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BedplateError(
            f"{path}: cannot be written: {error.strerror or error}",
            error_id="RES-001",
            remedy="Choose a folder that can be written, with room on its disk.",
        ) from error


def read_result(path: Path) -> RunResult:
    """Read a result file.

    Raises ``BedplateError``: RES-001 it cannot be opened, RES-002 it is not one whole JSON object,
    RES-003 its version is unknown, RES-004 it does not follow the schema.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BedplateError(
            f"{path}: cannot be read: {error.strerror or error}",
            error_id="RES-001",
            remedy="Give the path of a result.json that `bedplate validate` has written.",
        ) from error
    return parse_result(content, where=str(path))


def parse_result(content: bytes, *, where: str) -> RunResult:
    """Read a result from its bytes; ``where`` says in errors where they lie. Raises as ``read_result`` does,
    RES-002 to RES-004.
    """
    data = _load(content, where)
    version = data.get("version")
    if isinstance(version, bool) or version != RESULT_VERSION:
        raise BedplateError(
            f"{where}: the result has version {version!r}; this Bedplate reads version {RESULT_VERSION}",
            error_id="RES-003",
            remedy="Use the Bedplate that wrote the file; it is named in the file under versions.bedplate.",
        )
    try:
        # Strictly, for "simulated": "no" must not be read as a run on real nodes.
        return RunResult.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        raise BedplateError(
            f"{where}: the file does not follow the schema of result files:\n{_problems(error)}",
            error_id="RES-004",
            remedy="Run `bedplate validate` again; `bedplate schema --result` prints the schema.",
        ) from error


def _load(content: bytes, where: str) -> dict[str, Any]:
    if len(content) > _MAX_BYTES:
        raise _not_json(where, f"it has more than {_MAX_BYTES // 2**20} MiB")
    try:
        data = json.loads(
            content.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_once_each
        )
    except (ValueError, RecursionError) as error:
        raise _not_json(where, str(error)) from error
    if not isinstance(data, dict):
        raise _not_json(where, "it holds no object of names and values")
    return data


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, in which each name stands once: of two values, one would be overlooked."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"'{twice[:40]}' is given twice in one object")
    return found


def _not_json(where: str, why: str) -> BedplateError:
    return BedplateError(
        f"{where}: this is not a whole result file: {why}",
        error_id="RES-002",
        remedy="Run `bedplate validate` again, or fetch the file again from where it was kept.",
    )


def _unwritable(why: str) -> BedplateError:
    return BedplateError(
        f"the result cannot be written as JSON: {why}",
        error_id="RES-004",
        remedy="This is a defect of Bedplate; report it with the output of --debug.",
    )


def _problems(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False)
    lines = [
        f"  {'.'.join(map(str, problem['loc'])) or 'top'}: {problem['msg']}"
        for problem in problems[:_SHOWN_PROBLEMS]
    ]
    more = len(problems) - len(lines)
    return "\n".join([*lines, f"  and {more} more"] if more else lines)
