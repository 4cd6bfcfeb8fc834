"""Rules of the API server that its schemas do not hold: names, labels, taints, resources, what may change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.sandbox.kubernetes.kinds import Kind

Problem = tuple[str, str]

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_LABEL_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_KEY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_SIGNS = "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NAMED_BY_LABEL_RULE = frozenset({"namespaces", "services"})
_POD_MAY_CHANGE = ("activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations")
_JOB_FIXED = ("completionMode", "selector", "template")


def problems_of(kind: Kind, body: Mapping[str, Any]) -> list[Problem]:
    """(field, what is wrong) for each rule that the object breaks."""
    found = list(_metadata(kind, body.get("metadata", {})))
    spec = body.get("spec") or {}
    if kind.key == ("", "nodes"):
        found += _taints(spec.get("taints") or ())
    elif kind.key == ("", "pods"):
        found += _pod(spec, "spec")
    elif kind.key == ("batch", "jobs"):
        found += _job(spec)
    return found


def changes_refused(kind: Kind, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Problem]:
    """What a write of an existing object must not change."""
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if kind.key == ("", "pods") and not _is_let_go(old, new) and _fixed_part(old) != _fixed_part(new):
        return [
            (
                "spec",
                "Forbidden: pod updates may not change fields other than "
                + ", ".join(("spec.containers[*].image", *(f"spec.{name}" for name in _POD_MAY_CHANGE))),
            )
        ]
    if kind.key == ("batch", "jobs"):
        return [
            (f"spec.{name}", "Invalid value: field is immutable")
            for name in _JOB_FIXED
            if old.get(name) != new.get(name)
        ]
    return []


def label_problems(labels: Mapping[str, Any], where: str) -> Iterator[Problem]:
    """Keys and values that are no legal labels."""
    for key, value in labels.items():
        if not _is_key(key):
            yield (
                where,
                f'Invalid value: "{key}": name part must be at most 63 characters and consist of {_SIGNS}',
            )
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            yield (
                where,
                f'Invalid value: "{value}": a valid label must be an empty string or consist of {_SIGNS}',
            )


def _metadata(kind: Kind, metadata: Mapping[str, Any]) -> Iterator[Problem]:
    rule = _LABEL_NAME if kind.plural in _NAMED_BY_LABEL_RULE else _NAME
    name = metadata.get("name", "")
    # Roles may have colons and capital letters in their names.
    if "rbac" not in kind.group and not rule.fullmatch(name):
        yield (
            "metadata.name",
            (
                f'Invalid value: "{name}": a lowercase RFC 1123 name must consist of lower case alphanumeric '
                "characters, '-' or '.', and must start and end with an alphanumeric character"
            ),
        )
    yield from label_problems(metadata.get("labels") or {}, "metadata.labels")


def _taints(taints: Any) -> Iterator[Problem]:
    seen = set()
    for place, taint in enumerate(taints):
        where = f"spec.taints[{place}]"
        yield from label_problems({taint.get("key", ""): taint.get("value", "")}, where)
        if taint.get("effect") not in _EFFECTS:
            yield (
                f"{where}.effect",
                f'Unsupported value: "{taint.get("effect")}": supported values: '
                + ", ".join(f'"{one}"' for one in _EFFECTS),
            )
        identity = taint.get("key"), taint.get("effect")
        if identity in seen:
            yield where, f"Duplicate value: taints must be unique by key and effect pair: {identity}"
        seen.add(identity)


def _pod(spec: Mapping[str, Any], where: str) -> Iterator[Problem]:
    names = [one.get("name", "") for one in spec.get("containers") or ()]
    if not names:
        yield f"{where}.containers", "Required value"
    if len(set(names)) != len(names):
        yield f"{where}.containers", "Duplicate value"
    yield from label_problems(spec.get("nodeSelector") or {}, f"{where}.nodeSelector")
    for place, container in enumerate(spec.get("containers") or ()):
        yield from _resources(container.get("resources") or {}, f"{where}.containers[{place}].resources")
    volumes = {one.get("name") for one in spec.get("volumes") or ()}
    for place, container in enumerate(spec.get("containers") or ()):
        for number, mount in enumerate(container.get("volumeMounts") or ()):
            if mount.get("name") not in volumes:
                yield (
                    f"{where}.containers[{place}].volumeMounts[{number}].name",
                    f'Not found: "{mount.get("name")}"',
                )


def _resources(resources: Mapping[str, Any], where: str) -> Iterator[Problem]:
    """Extended resources and huge pages are never overcommitted: requests equal limits."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name in sorted({*limits, *requests}):
        if "/" not in name and not name.startswith("hugepages-"):
            continue
        if name not in limits:
            yield (
                f"{where}.limits",
                f"Required value: Limit must be set for non overcommitable resources: {name}",
            )
        elif name in requests and str(requests[name]) != str(limits[name]):
            yield (
                f"{where}.requests",
                f'Invalid value: "{requests[name]}": must be equal to {name} limit of {limits[name]}',
            )
        if "/" in name and not str(limits.get(name, requests.get(name))).isdigit():
            yield f"{where}.limits[{name}]", "Invalid value: must be an integer"


def _job(spec: Mapping[str, Any]) -> Iterator[Problem]:
    template = (spec.get("template") or {}).get("spec") or {}
    yield from _pod(template, "spec.template.spec")
    policy = template.get("restartPolicy")
    if policy not in ("OnFailure", "Never"):
        yield (
            "spec.template.spec.restartPolicy",
            f'Unsupported value: "{policy or "Always"}": supported values: "OnFailure", "Never"'
            if policy
            else 'Required value: valid values: "OnFailure", "Never"',
        )
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        yield "spec.completions", "Required value: when completion mode is Indexed"
    for name in ("completions", "parallelism", "backoffLimit", "activeDeadlineSeconds"):
        value = spec.get(name)
        if isinstance(value, int) and value < 0:
            yield f"spec.{name}", f"Invalid value: {value}: must be greater than or equal to 0"


def _is_let_go(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Of a pod behind a scheduling gate more may change: gates may go, and where it may run become narrower
    (Kubernetes, "Pod Scheduling Readiness"). A node affinity that is there may not change here, though the
    real server would let its terms grow.
    """
    gates, left = old.get("schedulingGates") or [], new.get("schedulingGates") or []
    before, after = old.get("affinity") or {}, new.get("affinity") or {}
    chosen = (old.get("nodeSelector") or {}).items() <= (new.get("nodeSelector") or {}).items()
    bound = before.get("nodeAffinity") in (None, after.get("nodeAffinity"))
    same = _but(before, "nodeAffinity") == _but(after, "nodeAffinity")
    rest = ("schedulingGates", "nodeSelector", "affinity")
    if not gates or not all(one in gates for one in left) or not (chosen and bound and same):
        return False
    return _but(_fixed_part(old), *rest) == _but(_fixed_part(new), *rest)


def _but(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in names}


def _fixed_part(spec: Mapping[str, Any]) -> dict[str, Any]:
    fixed = {name: value for name, value in spec.items() if name not in _POD_MAY_CHANGE}
    for name in ("containers", "initContainers"):
        if name in fixed:
            fixed[name] = [
                {key: value for key, value in one.items() if key != "image"} for one in fixed[name]
            ]
    return fixed


def _is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and not _NAME.fullmatch(prefix):
        return False
    return bool(_KEY_NAME.fullmatch(name))
