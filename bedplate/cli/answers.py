"""What programs read on standard output with ``--json``, save the answers of single commands.

An environment file that is refused has one shape in every command, and any other failure another:
``{"file": …, "valid": false, "problems": […]}`` and ``{"error": {"id", "message", "remedy", "exit_code"}}``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bedplate.errors import BedplateError, SpecRefused


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON; it is looked at before, or without, anybody understanding it."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(each == "--json" or each.startswith("--json=") for each in options)


def error_answer(error: BedplateError) -> str:
    """Write an error as JSON: problems where the environment file is refused, else the one error."""
    if isinstance(error, SpecRefused):
        return file_answer(error.file, problems=_problems(error))
    return _written(
        {
            "error": {
                "id": error.error_id,
                "message": error.message,
                "remedy": error.remedy,
                "exit_code": int(error.exit_code),
            }
        }
    )


def file_answer(file: str | None, *, problems: Sequence[dict[str, Any]] = ()) -> str:
    """Write as JSON what is wrong with an environment file; nothing is where it is well."""
    return _written({"file": file, "valid": not problems, "problems": list(problems)})


def _problems(error: SpecRefused) -> list[dict[str, Any]]:
    from bedplate.spec.problems import SpecProblems

    if isinstance(error, SpecProblems):
        return [problem.as_dict() for problem in error.problems]
    return [{"id": error.error_id, "file": error.file, "message": error.message, "remedy": error.remedy}]


def _written(answer: dict[str, Any]) -> str:
    # ASCII: a file's name may hold bytes that are no text, and the error is to be told all the same.
    return json.dumps(answer, indent=2)
