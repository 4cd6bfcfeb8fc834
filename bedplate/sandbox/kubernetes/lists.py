"""Lists: by selectors, page by page."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.kubernetes.paths import Place
from bedplate.sandbox.kubernetes.selectors import Test, field_test, label_test
from bedplate.sandbox.kubernetes.status import ApiStatus, bad_request
from bedplate.sandbox.kubernetes.store import Object, Store


def test_of(place: Place, query: Mapping[str, str]) -> Test:
    """Whether an object is one that a request asks for by its selectors."""
    by_label = label_test(query.get("labelSelector", ""))
    by_field = field_test(query.get("fieldSelector", ""), place.kind)
    return lambda found: by_label(found) and by_field(found)


def matching(store: Store, place: Place, query: Mapping[str, str]) -> list[Object]:
    """All objects that a request asks for."""
    return list(filter(test_of(place, query), store.objects(place.kind, place.namespace)[0]))


def page(store: Store, place: Place, query: Mapping[str, str]) -> dict[str, Any]:
    """One page of a list. The next page is of the objects as they are then: the view is not kept."""
    found, version = store.objects(place.kind, place.namespace)
    found = list(filter(test_of(place, query), found))
    if token := query.get("continue", ""):
        after = _read(token)
        found = [each for each in found if _key(each) > after]
    limit = whole_number(query, "limit", 0)
    metadata: dict[str, Any] = {"resourceVersion": str(version)}
    if limit and len(found) > limit:
        metadata["remainingItemCount"] = len(found) - limit
        found = found[:limit]
        metadata["continue"] = base64.urlsafe_b64encode(json.dumps(_key(found[-1])).encode()).decode()
    return {
        "apiVersion": place.kind.api_version,
        "kind": f"{place.kind.kind}List",
        "metadata": metadata,
        "items": found,
    }


def whole_number(query: Mapping[str, str], name: str, default: int) -> int:
    """A number of a query. Raises a 400."""
    text = query.get(name, "")
    if not text:
        return default
    if not text.isdigit():
        raise bad_request(f"invalid {name}: {text!r}")
    return int(text)


def _key(found: Object) -> list[str]:
    return [found["metadata"].get("namespace", ""), found["metadata"]["name"]]


def _read(token: str) -> list[str]:
    try:
        namespace, name = json.loads(base64.urlsafe_b64decode(token))
    except (ValueError, binascii.Error) as error:
        raise ApiStatus(410, "Expired", "The provided continue parameter is too old or not one") from error
    return [str(namespace), str(name)]
