"""How the handler of Grafana's content leaves alone what people made, against a Grafana that answers so."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.constructs.grafana_handler import load


class Grafana:
    """Answers by method and path; None is Grafana's 404."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The answer of the method."""
        self.asked.append(f"{method} {path}")
        return self.answers.get(method, {})


@pytest.fixture
def content(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module."""
    return load("content", monkeypatch)


@pytest.mark.parametrize("found", [[{"uid": "somebodys"}], None, {}, ""])
def test_a_folder_goes_only_where_grafana_says_that_it_is_empty(content: ModuleType, found: Any) -> None:
    """Something in it keeps it, and so does an answer that is no list."""
    grafana = Grafana(GET=found)
    content.remove_folder(grafana, "bedplate")
    assert not [asked for asked in grafana.asked if asked.startswith("DELETE")]


def test_an_empty_folder_goes_without_anybodys_alert_rules(content: ModuleType) -> None:
    """Grafana is asked to refuse where rules are in it: a search does not show them."""
    grafana = Grafana(GET=[])
    content.remove_folder(grafana, "bedplate")
    assert grafana.asked[-1] == "DELETE /api/folders/bedplate?forceDeleteRules=false"


def test_a_dashboard_that_grafana_renamed_is_an_error(content: ModuleType) -> None:
    """Links and the next deploy would not find it."""
    with pytest.raises(content.GrafanaError, match="saved dashboard bedplate-fleet as other"):
        content.put_dashboard(
            Grafana(POST={"uid": "other"}),
            uid="bedplate-fleet",
            dashboard={"title": "Fleet"},
            folder_uid="bedplate",
            message="",
        )


def test_what_is_not_there_cannot_be_made(content: ModuleType) -> None:
    """A 404 to a write is no success."""
    with pytest.raises(content.GrafanaError, match="answered 404 to POST /api/folders"):
        content.put_folder(Grafana(GET=None, POST=None), uid="bedplate", title="Bedplate")
