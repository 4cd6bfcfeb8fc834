"""The three kinds of patches that the played API server applies."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.sandbox.kubernetes.status import ApiStatus, bad_request

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"

_MERGE_KEYS = {
    "addresses": "type",
    "conditions": "type",
    "containers": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "ownerReferences": "uid",
    "secrets": "name",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
"""Lists that a strategic patch merges by a key, from the API's ``patchMergeKey``. A node's taints and a pod's
tolerations are not among them (``listType: atomic``): a patch replaces them whole, and who sends one taint
loses the others."""


def apply_patch(found: Mapping[str, Any], patch: Any, *, content_type: str) -> dict[str, Any]:
    """The object after the patch; ``found`` stays as it was."""
    result = copy.deepcopy(dict(found))
    if content_type == JSON_PATCH:
        if not isinstance(patch, list):
            raise bad_request("json: a JSON patch is a list of operations")
        return _json_patch(result, patch)
    if not isinstance(patch, Mapping):
        raise bad_request("json: a merge patch is an object")
    if content_type == MERGE_PATCH:
        return _merge(result, patch, strategic=False)
    if content_type == STRATEGIC_PATCH:
        return _merge(result, patch, strategic=True)
    raise ApiStatus(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        f"{JSON_PATCH}, {MERGE_PATCH}, {STRATEGIC_PATCH}",
    )


def _merge(found: dict[str, Any], patch: Mapping[str, Any], *, strategic: bool) -> dict[str, Any]:
    if strategic and patch.get("$patch") == "replace":
        return {name: value for name, value in patch.items() if name != "$patch"}
    for name, value in patch.items():
        before = found.get(name)
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping):
            found[name] = _merge(before if isinstance(before, dict) else {}, value, strategic=strategic)
        elif strategic and name in _MERGE_KEYS and isinstance(value, list):
            found[name] = _merge_list(before or [], value, _MERGE_KEYS[name])
        elif strategic and name == "finalizers":
            found[name] = [*(before or []), *(one for one in value if one not in (before or []))]
        elif strategic and name.startswith("$"):
            raise bad_request(f"the sandbox does not play the directive {name}")
        else:
            found[name] = copy.deepcopy(value)
    return found


def _merge_list(before: Sequence[Any], patch: Sequence[Any], key: str) -> list[Any]:
    result = list(before)
    for item in patch:
        if not isinstance(item, Mapping) or key not in item:
            raise bad_request(f"map: {item!r} does not contain declared merge key: {key}")
        place = next((i for i, old in enumerate(result) if old.get(key) == item[key]), None)
        if item.get("$patch") == "delete":
            if place is not None:
                del result[place]
        elif place is None:
            result.append(_merge({}, item, strategic=True))
        else:
            result[place] = _merge(dict(result[place]), item, strategic=True)
    return result


def _json_patch(document: Any, operations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # The patched value hangs in a holder, so that an operation on the whole document is no special case.
    holder = {"": document}
    for operation in operations:
        try:
            _operate(holder, operation)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise ApiStatus(
                422,
                "Invalid",
                "the server rejected our request due to an error in our request: "
                f"{dict(operation)!r}: {error}",
            ) from error
    return dict(holder[""])


def _operate(holder: dict[str, Any], operation: Mapping[str, Any]) -> None:
    word, (parent, last) = operation["op"], _place(holder, operation["path"])
    if word == "test":
        if _read(parent, last) != operation["value"]:
            raise ValueError("test failed")
    elif word == "add":
        _add(parent, last, copy.deepcopy(operation["value"]))
    elif word == "replace":
        _read(parent, last)
        parent[_index(parent, last)] = copy.deepcopy(operation["value"])
    elif word == "remove":
        del parent[_index(parent, last)]
    elif word in ("copy", "move"):
        source, name = _place(holder, operation["from"])
        value = copy.deepcopy(_read(source, name))
        if word == "move":
            del source[_index(source, name)]
            parent, last = _place(holder, operation["path"])
        _add(parent, last, value)
    else:
        raise ValueError(f"unexpected operation {word!r}")


def _place(holder: Any, path: str) -> tuple[Any, str]:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")]
    for part in parts[:-1]:
        holder = _read(holder, part)
    return holder, parts[-1]


def _read(parent: Any, name: str) -> Any:
    return parent[_index(parent, name)]


def _index(parent: Any, name: str) -> Any:
    return int(name) if isinstance(parent, list) else name


def _add(parent: Any, name: str, value: Any) -> None:
    if isinstance(parent, list):
        place = len(parent) if name == "-" else int(name)
        if not 0 <= place <= len(parent):
            raise IndexError(f"index {name} is out of bounds")
        parent.insert(place, value)
    else:
        parent[name] = value
