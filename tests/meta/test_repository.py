"""What the repository must not hold: shadowing folders, this machine's paths, download addresses, secrets."""

from __future__ import annotations

import re
import sys
from importlib.metadata import packages_distributions

import pytest

from tests.meta.repository import NOT_OURS, ROOT, text_of, tracked_files

MACHINE_PATHS = re.compile(
    r"(?<![\w.])/(?:root|home/[a-z_][a-z0-9_-]*|Users/\w+|work)/[\w.-]+|/tmp/(?:bp|tools)\b"
)
REGISTRY_HOSTS = re.compile(
    r"https?://(?!pypi\.org|registry\.npmjs\.org|docs\.)[\w.-]*(?:artifactory|nexus|proxy|mirror|devpi|verdaccio)[\w.-]*",
    re.IGNORECASE,
)
SECRETS = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----")


def _hits(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}: {match.group()}"
        for path in tracked_files()
        if path.parts[:2] != ("tests", "meta")
        for match in pattern.finditer(text_of(path))
    ]


def test_no_folder_at_the_root_shadows_a_distribution() -> None:
    """A folder named like an importable package (constructs) would be imported in its place."""
    folders = {path.parts[0] for path in tracked_files() if len(path.parts) > 1}
    importable = set(packages_distributions()) | set(sys.stdlib_module_names)
    assert folders & importable <= {"bedplate", "tests"}
    assert not folders & {"constructs", "aws_cdk", "yaml"}


@pytest.mark.parametrize(
    "pattern", [MACHINE_PATHS, REGISTRY_HOSTS, SECRETS], ids=["paths", "hosts", "secrets"]
)
def test_no_tracked_file_holds_what_belongs_to_one_machine(pattern: re.Pattern[str]) -> None:
    """Paths of the machine that it was written on, package mirrors and keys stay out."""
    assert _hits(pattern) == []


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("see /root/project/x", MACHINE_PATHS),
        ("open /home/alice/x", MACHINE_PATHS),
        ("--index-url https://pypi-proxy.corp.test/simple", REGISTRY_HOSTS),
        ("AKIA" + "A" * 16, SECRETS),
    ],
)
def test_the_patterns_find_what_they_are_for(text: str, pattern: re.Pattern[str]) -> None:
    """Each pattern matches an example of its kind, so that the test above can fail."""
    assert pattern.search(text)


def test_the_locks_hold_no_download_address() -> None:
    """Lock files say what is installed by hash, not from where, and every Python package has a hash."""
    python = (ROOT / "requirements/all.lock").read_text(encoding="utf-8")
    npm = (ROOT / "package-lock.json").read_text(encoding="utf-8")
    assert "://" not in python + npm
    assert '"resolved"' not in npm
    assert '"integrity"' in npm
    pinned = re.findall(r"^[A-Za-z0-9_.\[\],-]+==[^\\\n]+(\\?)$", python, flags=re.MULTILINE)
    assert len(pinned) > 50
    assert all(pinned)
    assert python.count("--hash=sha256:") >= len(pinned)


def test_text_files_end_with_one_line_end() -> None:
    """Every text file of ours ends with exactly one line end and has no blanks at the ends of its lines."""
    kinds = {".py", ".md", ".yaml", ".yml", ".toml", ".json", ".j2", ".css"}
    ours = [p for p in tracked_files() if p.suffix in kinds and not str(p).startswith(NOT_OURS)]
    bad = [
        str(path)
        for path in ours
        if (text := text_of(path))
        and (not text.endswith("\n") or text.endswith("\n\n") or re.search(r"[ \t]\n", text))
    ]
    assert bad == []
