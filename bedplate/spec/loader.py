"""From a file to an environment, or to every problem in it at once."""

from __future__ import annotations

from pathlib import Path

from bedplate.errors import SpecRefused
from bedplate.spec.environment import Environment
from bedplate.spec.find import environment_called, shown
from bedplate.spec.limits import MAX_BYTES
from bedplate.spec.problems import Problem, SpecProblems


def load_environment(path: Path) -> Environment:
    """Read an environment file and hold it against all rules.

    Raises ``SpecProblems`` with every problem, sorted by line, or ``SpecRefused`` (SPC-014) where the
    file cannot be read at all. Nothing is asked of AWS.
    """
    return parse_environment(_read(path), file=shown(path))


def parse_environment(text: str, *, file: str) -> Environment:
    """Read an environment from text; ``file`` is the name that problems carry. Raises ``SpecProblems``."""
    from pydantic import ValidationError

    from bedplate.spec.draft import draft_of, draft_of_data
    from bedplate.spec.rules import judge
    from bedplate.spec.yaml_reader import read_yaml

    source, problems = read_yaml(text, file=file)
    environment = None
    if source.data is not None:
        try:
            environment = Environment.model_validate(source.data)
            draft = draft_of(environment)
        except ValidationError as error:
            from bedplate.spec.shape import shape_problems

            problems = _without_echoes(problems, shape_problems(source, error))
            draft = draft_of_data(source.data)
        problems += judge(draft, source)
    if problems or environment is None:
        raise SpecProblems(_sorted(problems))
    return environment


def _without_echoes(of_reader: list[Problem], of_shape: list[Problem]) -> list[Problem]:
    """One value, one problem of kind: what needs quotes is not also called an odd number."""
    places = {(problem.line, problem.column) for problem in of_shape}
    kept = [p for p in of_reader if p.id != "SPC-004" or (p.line, p.column) not in places]
    return kept + of_shape


def _sorted(problems: list[Problem]) -> list[Problem]:
    unique = dict.fromkeys(problems)
    return sorted(unique, key=lambda problem: (problem.line, problem.column, problem.id, problem.message))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            # One byte more than the limit is enough to be refused, whatever the file is.
            content = stream.read(MAX_BYTES + 1)
        return content.decode("utf-8-sig", "ignore" if len(content) > MAX_BYTES else "strict")
    except FileNotFoundError:
        message, remedy = "there is no such file", "Give the path of an environment file."
    except IsADirectoryError:
        message, remedy = "this is a folder", "Give the path of an environment file in it."
    except OSError as error:
        message, remedy = (error.strerror or str(error)).lower(), "Make the file readable."
    except UnicodeDecodeError:
        message, remedy = "this is not UTF-8 text", "Save the file as UTF-8."
    if environment_called(path):
        remedy = f"Did you mean the environment of that name? Then write `-e {path}`."
    raise SpecRefused(f"{shown(path)}: {message}", error_id="SPC-014", remedy=remedy, file=shown(path))
