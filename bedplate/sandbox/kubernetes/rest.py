"""The requests on objects: what each method does at each place."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.sandbox.kubernetes.defaults import fill_in, fill_in_identity
from bedplate.sandbox.kubernetes.deletion import delete
from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.lists import matching, page, test_of, whole_number
from bedplate.sandbox.kubernetes.patches import apply_patch
from bedplate.sandbox.kubernetes.paths import Place, place_of
from bedplate.sandbox.kubernetes.schemas import schema_problems
from bedplate.sandbox.kubernetes.semantics import changes_refused, problems_of
from bedplate.sandbox.kubernetes.status import ApiStatus, bad_request, conflict, invalid, unknown_path
from bedplate.sandbox.kubernetes.store import Object, Store
from bedplate.sandbox.kubernetes.watch import Watch

_LONGEST_WATCH_S = 1800
_IDENTITY = ("name", "namespace", "uid", "creationTimestamp", "generation", "deletionTimestamp")


@dataclass(frozen=True)
class Request:
    """One request after authentication."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    content_type: str = ""
    body: bytes = b""

    def json(self) -> Any:
        """The body. Raises a 415 for another encoding, a 400 for what is no JSON."""
        if "json" not in (self.content_type or "json"):
            raise ApiStatus(
                415,
                "UnsupportedMediaType",
                f"the sandbox reads JSON only, and the body is {self.content_type.partition(';')[0]}",
            )
        try:
            return json.loads(self.body or b"{}")
        except ValueError as error:
            raise bad_request(f"the body is no JSON: {error}") from error


@dataclass(frozen=True)
class Answer:
    """What goes back: a JSON document, a text, or the events of a watch."""

    code: int
    document: Mapping[str, Any] | None = None
    text: str = ""
    watch: Watch | None = None


Part = Callable[[Place, Request], Answer]
"""What answers at a part of an object that is not its status: ``pods/log``."""


class Rest:
    """The methods on objects of a store. ``parts`` has the further parts by (plural, part)."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.parts: dict[tuple[str, str], Part] = {}

    def answer(self, request: Request) -> Answer:
        """Carry a request out. Raises ``ApiStatus`` for a refusal."""
        place = place_of(request.path, self._store)
        if request.query.get("dryRun"):
            raise bad_request("the sandbox does not play dryRun")
        if place.part and place.part != "status":
            part = self.parts.get((place.kind.plural, place.part))
            if part is None:
                raise unknown_path()
            return part(place, request)
        if place.part == "status" and not place.kind.has_status:
            raise unknown_path()
        at_object = {"GET": self._get, "PUT": self._put, "PATCH": self._patch, "DELETE": self._delete}
        at_list = {"GET": self._list, "POST": self._post, "DELETE": self._delete_all}
        method = (at_object if place.name else at_list).get(request.method)
        if method is None or (place.part and request.method in ("POST", "DELETE")):
            raise ApiStatus(
                405, "MethodNotAllowed", "the server does not allow this method on the requested resource"
            )
        return method(place, request)

    def _get(self, place: Place, request: Request) -> Answer:
        if request.query.get("watch") in ("true", "1"):
            return self._watch(place, request)
        return Answer(200, self._found(place))

    def _list(self, place: Place, request: Request) -> Answer:
        if request.query.get("watch") in ("true", "1"):
            return self._watch(place, request)
        return Answer(200, page(self._store, place, request.query))

    def _watch(self, place: Place, request: Request) -> Answer:
        since = whole_number(request.query, "resourceVersion", 0)
        timeout_s = whole_number(request.query, "timeoutSeconds", 0) or _LONGEST_WATCH_S
        return Answer(200, watch=Watch(place, test_of(place, request.query), since or None, timeout_s))

    def _post(self, place: Place, request: Request) -> Answer:
        body = _body_for(place.kind, request.json())
        metadata = body["metadata"]
        if place.kind.namespaced:
            if not place.namespace:
                raise unknown_path()
            if metadata.setdefault("namespace", place.namespace) != place.namespace:
                raise bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request"
                )
        else:
            metadata.pop("namespace", None)
        if metadata.get("resourceVersion"):
            raise bad_request("resourceVersion should not be set on objects to be created")
        if not metadata.get("name"):
            if not metadata.get("generateName"):
                raise invalid(
                    place.kind, "", [("metadata.name", "Required value: name or generateName is required")]
                )
            metadata["name"] = metadata["generateName"] + self._store.suffix()
        self._check_form(place.kind, body)
        fill_in(place.kind, body)
        self._check(place.kind, body)
        metadata["uid"] = str(uuid.uuid4())
        fill_in_identity(place.kind, body, metadata["uid"])
        return Answer(201, self._store.create(place.kind, body))

    def _put(self, place: Place, request: Request) -> Answer:
        body = _body_for(place.kind, request.json())
        if body["metadata"].setdefault("name", place.name) != place.name:
            raise bad_request("the name of the object does not match the name on the URL")
        return Answer(200, self._write(place, lambda _: body))

    def _patch(self, place: Place, request: Request) -> Answer:
        patch, content_type = request.json(), request.content_type.partition(";")[0].strip()
        if content_type.startswith("application/strategic") and not place.kind.schema:
            content_type = "strategic patch of a custom object"
        return Answer(
            200, self._write(place, lambda before: apply_patch(before, patch, content_type=content_type))
        )

    def _delete(self, place: Place, request: Request) -> Answer:
        found = self._found(place)
        return Answer(200, delete(self._store, place.kind, found, _delete_options(request)))

    def _delete_all(self, place: Place, request: Request) -> Answer:
        options, found = _delete_options(request), matching(self._store, place, request.query)
        for each in found:
            if self._store.find(place.kind, each["metadata"].get("namespace", ""), each["metadata"]["name"]):
                delete(self._store, place.kind, each, options)
        return Answer(200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})

    def _found(self, place: Place) -> Object:
        return self._store.get(place.kind, place.namespace, place.name)

    def _write(self, place: Place, change: Callable[[Object], Mapping[str, Any]]) -> Object:
        """Change an object, or its status alone; each leaves the other as it is."""
        kind = place.kind

        def changed(before: dict[str, Any]) -> dict[str, Any]:
            new = dict(change(before))
            wanted = (new.get("metadata") or {}).get("resourceVersion")
            if wanted and wanted != before["metadata"]["resourceVersion"]:
                raise conflict(kind, place.name)
            if place.part == "status":
                new = {**before, "status": new.get("status", {})}
            elif kind.has_status and "status" in before:
                new["status"] = before["status"]
            elif kind.has_status:
                new.pop("status", None)
            kept = {name: before["metadata"][name] for name in _IDENTITY if name in before["metadata"]}
            new["metadata"] = {**(new.get("metadata") or {}), **kept}
            new["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"]
            new["apiVersion"], new["kind"] = before["apiVersion"], before["kind"]
            self._check_form(kind, new)
            self._check(kind, new)
            if causes := changes_refused(kind, before, new):
                raise invalid(kind, place.name, causes)
            return new

        return self._store.update(kind, place.namespace, place.name, changed)

    def _check_form(self, kind: Kind, body: Mapping[str, Any]) -> None:
        if causes := schema_problems(kind, body):
            raise invalid(kind, body["metadata"].get("name", ""), causes)

    def _check(self, kind: Kind, body: Mapping[str, Any]) -> None:
        if causes := problems_of(kind, body):
            raise invalid(kind, body["metadata"].get("name", ""), causes)


def _body_for(kind: Kind, body: Any) -> dict[str, Any]:
    """The object sent, with its kind, which typed clients leave out; a null means absence."""
    if not isinstance(body, Mapping):
        raise bad_request("the body is no object")
    new: dict[str, Any] = _without_nulls(body)
    for name, value in (("apiVersion", kind.api_version), ("kind", kind.kind)):
        if new.setdefault(name, value) != value:
            raise bad_request(
                f"the {name} in the data ({new[name]}) does not match the expected one ({value})"
            )
    if not isinstance(new.setdefault("metadata", {}), dict):
        raise bad_request("metadata is no object")
    return new


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _delete_options(request: Request) -> dict[str, Any]:
    """From the body, or from the query where the body is silent."""
    options: dict[str, Any] = dict(request.json() or {})
    for name in ("propagationPolicy", "gracePeriodSeconds"):
        if options.get(name) is None and request.query.get(name):
            options[name] = request.query[name]
    if options.get("gracePeriodSeconds") is not None:
        options["gracePeriodSeconds"] = int(options["gracePeriodSeconds"])
    return {name: value for name, value in options.items() if value is not None}
