"""Links of the documents lead somewhere: to a file of the repository, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.blocks import ROOT, documents

_FENCED = re.compile(r"^(`{3,}).*?^\1\s*$", flags=re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def _broken(path: Path, text: str) -> list[str]:
    prose = _FENCED.sub("", text)
    links = [first or second for first, second in _LINK.findall(prose)]
    return [link for link in links if "://" not in link and not _leads(path, link)]


def _leads(path: Path, link: str) -> bool:
    name, _, heading = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.exists():
        return False
    return not heading or heading in _headings(target.read_text(encoding="utf-8"))


def _headings(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_link_leads_somewhere() -> None:
    """A relative link names a file that is there, and a heading that the file has."""
    broken = {
        str(path.relative_to(ROOT)): links
        for path in documents()
        if (links := _broken(path, path.read_text(encoding="utf-8")))
    }
    assert broken == {}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    """A file or a heading that is not there is found; code blocks and web addresses are not links of ours."""
    page = tmp_path / "page.md"
    text = (
        "# One thing\n[a](#one-thing) [b](other.md) [c](#two) [d](https://x.test)\n```text\n[e](f.md)\n```\n"
    )
    page.write_text(text, encoding="utf-8")
    assert _broken(page, text) == ["other.md", "#two"]
