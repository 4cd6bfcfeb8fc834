"""Whose a document is: a team's, or the cluster's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]
_NAMED_AFTER_TEAMS = ("Namespace", "ClusterQueue")


def by_owner(documents: Sequence[Document], *, teams: Sequence[str]) -> dict[str, list[Document]]:
    """The documents by team, in the order of ``teams`` and each in its own; the cluster's are under ``""``,
    first, since those of teams refer to them.
    """
    found: dict[str, list[Document]] = {owner: [] for owner in ("", *teams)}
    for document in documents:
        found[_owner(document, teams)].append(document)
    return {owner: own for owner, own in found.items() if own}


def _owner(document: Document, teams: Sequence[str]) -> str:
    metadata = document["metadata"]
    candidates = [metadata.get("namespace")]
    if document["kind"] in _NAMED_AFTER_TEAMS:
        candidates.append(metadata["name"])
    if document["kind"] == "PersistentVolume":
        candidates.append(document["spec"]["claimRef"]["namespace"])
    return next((each for each in candidates if each in teams), "")
