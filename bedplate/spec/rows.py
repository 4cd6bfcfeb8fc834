"""Explanations of the problems of shape: what the reader and the models refuse by themselves."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_CHECK = "`bedplate check FILE` names the line."

SHAPE_ROWS = (
    CheckRow(
        id="SPC-001",
        title="the file is YAML",
        what="The file is read as one YAML document of mappings, lists, text, numbers, true and false.",
        why="What cannot be read cannot be checked. A YAML error often shows a line below the mistake.",
        fix="Look at the line and the one above it for a missing colon, quote, bracket or space. Tags "
        "(`!name`) have no meaning here.",
        by_hand="`python3 -c 'import sys, yaml; yaml.safe_load(sys.stdin)' < FILE` reads the file.",
    ),
    CheckRow(
        id="SPC-002",
        title="every key is known",
        what="Each key is one that its section has; docs/reference/environment.md lists them.",
        why="A misspelt key that is passed over leaves the default in place: one node instead of two.",
        fix="Correct the spelling; the message names the nearest key, and those that the section has.",
        by_hand="Read docs/reference/environment.md, or let an editor complete the key by the JSON Schema.",
    ),
    CheckRow(
        id="SPC-003",
        title="nothing that is needed is missing",
        what="Keys without a default are given.",
        why="There is no value that would be right for everybody: an account, a zone, a number of nodes.",
        fix="Add the key; the message shows an example.",
        by_hand="Compare with environments/demo.yaml, or with what `bedplate init` writes.",
    ),
    CheckRow(
        id="SPC-004",
        title="a value is of its field's kind",
        what="Where a number, true or false, a list or a section belongs, there is one.",
        why="A value of another kind would be guessed at, and guesses are found out after the deploy.",
        fix="Write a value of the kind that the message names; remove the line of an empty section.",
        by_hand=_CHECK,
    ),
    CheckRow(
        id="SPC-005",
        title="a value is one of those allowed",
        what="Fields with a fixed set of values hold one of them.",
        why="AWS, Slurm or Bedplate knows these and no others.",
        fix="Use one of those that the message lists; it names the nearest if one is near.",
        by_hand="Read the field's entry in docs/reference/environment.md.",
    ),
    CheckRow(
        id="SPC-006",
        title="no key is given twice",
        what="Each key stands once in its section.",
        why="YAML readers take the last of two in silence, and people look at the first.",
        fix="Remove one of the two lines.",
        by_hand=_CHECK,
    ),
    CheckRow(
        id="SPC-007",
        title="no tabs",
        what="Lines are indented by spaces.",
        why="YAML forbids tabs there, since their width is a matter of the editor's settings.",
        fix="Replace each tab by spaces; most editors have a command for it.",
        by_hand="`grep -nP '\\t' FILE` finds tabs.",
    ),
    CheckRow(
        id="SPC-008",
        title="text that looks like a number is in quotes",
        what="Versions, account ids, tag values and other text are text to YAML too.",
        why="Without quotes YAML reads 1.30 as the number 1.3, 012345670123 as an octal number, and no as "
        "false. The version 25.10 would become 25.1.",
        fix="Put the value in double quotes.",
        by_hand="`python3 -c 'import yaml; print(yaml.safe_load(\"1.30\"))'` prints 1.3.",
    ),
    CheckRow(
        id="SPC-009",
        title="the file is not empty",
        what="The file holds a YAML document, and not comments alone.",
        why="An empty file is mostly a slip: an unsaved editor, or a redirection that failed.",
        fix="Write one with `bedplate init`, or copy environments/demo.yaml.",
        by_hand="`wc -c FILE` counts its bytes.",
    ),
    CheckRow(
        id="SPC-010",
        title="one environment in a file",
        what="The file holds one YAML document; `---` does not begin a second.",
        why="An environment is named by its file. All but the first document would be passed over.",
        fix="Put each environment into a file of its own.",
        by_hand="`grep -n '^---' FILE` finds where documents begin.",
    ),
    CheckRow(
        id="SPC-011",
        title="the file is of a sensible size",
        what="The file has at most 256 KiB, 20 levels and 20,000 values, those that aliases repeat included.",
        why="A few lines of aliases can mean billions of values and fill the memory of whoever reads them.",
        fix="Give an environment file.",
        by_hand="`wc -c FILE` counts its bytes.",
    ),
    CheckRow(
        id="SPC-012",
        title="a value is within its range",
        what="Numbers, lengths of names and numbers of items are within their limits.",
        why="AWS or Slurm sets the limits, and refuses what is beyond, minutes into the deploy.",
        fix="Give a value in the range that the message names.",
        by_hand="Read the field's entry in docs/reference/environment.md.",
    ),
    CheckRow(
        id="SPC-013",
        title="ids and names are written as they must be",
        what="Ids of AWS and names have the form that their field asks for.",
        why="AWS refuses other forms, minutes into the deploy; a wrong id could be somebody else's.",
        fix="Follow the remedy in the message; copy ids from the command that lists them.",
        by_hand="Read the field's entry in docs/reference/environment.md.",
    ),
    CheckRow(
        id="SPC-014",
        title="the file is there and readable",
        what="The environment's file exists, is a file, may be read, and is UTF-8 text.",
        why="Nothing can be said about what cannot be read.",
        fix="Name a file that exists: a path, or NAME for environments/NAME.yaml under the current folder.",
        by_hand="`ls -l environments/`",
    ),
    CheckRow(
        id="SPC-015",
        title="what is asked for is built",
        what="Values that are planned and not built yet are refused as such.",
        why="An environment must not claim what the deploy does not do.",
        fix="Use one of the values that the message lists.",
        by_hand="Read CHANGELOG.md for what each version brought.",
    ),
)
