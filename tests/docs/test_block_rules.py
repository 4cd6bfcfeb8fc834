"""The rules for code blocks can fail: each finds an example of what it is for."""

from __future__ import annotations

import pytest

from tests.docs.blocks import Step, blocks_of, is_runnable, missing_lines, steps_of
from tests.docs.commands import command_lines, problem_with

PAGE = """
# A page

```console
$ bedplate check x.yaml  # exits 3
error
...
to mend
$ true
```

- in a list:
  ```bash
  # runs
  echo hello
  ```

```bash
bedplate validate -e prod
```
"""


def test_blocks_are_found_with_their_place_and_text() -> None:
    """Blocks at the margin and in lists are found, with the line of their fence and without their indent."""
    found = blocks_of(PAGE, "page.md")
    assert [(str(block), block.language) for block in found] == [
        ("page.md:4", "console"),
        ("page.md:13", "bash"),
        ("page.md:18", "bash"),
    ]
    assert found[1].text == "# runs\necho hello\n"
    assert [is_runnable(block) for block in found] == [True, True, False]


def test_a_console_block_gives_commands_exit_codes_and_lines() -> None:
    """The prompt starts a command, a comment gives its exit code, dots stand for other lines."""
    block = blocks_of(PAGE, "page.md")[0]
    assert steps_of(block) == [Step("bedplate check x.yaml", 3, ("error", "to mend")), Step("true", 0, ())]


@pytest.mark.parametrize("text", ["```console\nno prompt\n```\n", "```bash\nnever closed\n"])
def test_a_broken_block_is_refused(text: str) -> None:
    """A block that is never closed, or a console block without a prompt, is an error."""
    with pytest.raises(ValueError, match=r"page\.md:1"):
        steps_of(blocks_of(text, "page.md")[0])


def test_lines_must_come_in_order() -> None:
    """An expected line that is absent, or comes too early, is missing."""
    output = "one\n  two  \nthree\n"
    assert missing_lines(output, ("one", "three")) == []
    assert missing_lines(output, ("three", "one")) == ["one"]
    assert missing_lines(output, ("four",)) == ["four"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("bedplate report result.json --format html", ""),
        ("bedplate --help", ""),
        ("bedplate report result.json --formal html", "report has no option --formal"),
        ("bedplate reprot x", "there is no command reprot"),
        ("make demo SEED=3", ""),
        ("make tests", "the Makefile has no target tests"),
    ],
)
def test_a_command_that_does_not_exist_is_found(line: str, problem: str) -> None:
    """A misspelt command, option or make target in a block is named."""
    (words,) = command_lines(f"cd x && {line}  # comment\n")
    assert problem_with(words) == problem
