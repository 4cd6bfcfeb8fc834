"""Random sections ``observability`` that every rule lets through."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from bedplate.spec.region_types import missing_types
from tests.support.legal_storage import Surroundings

Data = dict[str, Any]
_SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:pagerduty-AbCdEf"
_PRINCIPAL = "a1b2c3d4e5-01234567-89ab-cdef-0123-456789abcde"
_PACKAGE = {"uri": "s3://acme-mirror/node_exporter-1.9.1.linux-amd64.tar.gz", "sha256": "a" * 64}
COLLECTIONS: tuple[Data, ...] = (
    {"kind": "none"},
    {"kind": "image"},
    {"kind": "packages", "packages": [_PACKAGE]},
)
_CENTER: Data = {
    "admin_groups": [f"{_PRINCIPAL}0"],
    "admin_users": [f"{_PRINCIPAL}1"],
    "editor_groups": [f"{_PRINCIPAL}2"],
    "viewer_groups": [f"{_PRINCIPAL}3"],
}
_SAML: Data = {
    "attributes": {
        "role": "memberOf",
        "login": "mail",
        "email": "mail",
        "name": "displayName",
        "org": "org",
        "groups": "groups",
    },
    "admin_roles": ["gpu-platform"],
    "editor_roles": ["gpu-editors"],
    "login_hours": 8,
}
_METADATA: tuple[Data, ...] = (
    {"metadata_url": "https://idp.example.com/app/grafana/metadata"},
    {"metadata_xml": "<EntityDescriptor/>"},
)


@st.composite
def observabilities(draw: st.DrawFn, *, place: Surroundings, closed: bool) -> Data:
    """``closed``: the network has no way out, which OBS-006 asks for where access is bounded."""
    alerts: Data = {"emails": draw(st.sampled_from([[], ["gpu-oncall@example.com"]]))}
    if draw(st.booleans()):
        alerts["pagerduty"] = {"secret": _SECRET, "key": "routing_key"}
    drawn: Data = {
        "retention_days": draw(st.integers(1, 1095)),
        **draw(st.sampled_from([{}, {"max_series": 10_000}, {"max_series": 1_000_000_000}])),
        "alerts": alerts,
        "collection": draw(st.sampled_from(COLLECTIONS)),
        "grafana": draw(_grafanas(place=place, closed=closed)),
    }
    # Tests change what they draw.
    return copy.deepcopy(drawn)


@st.composite
def _grafanas(draw: st.DrawFn, *, place: Surroundings, closed: bool) -> Data:
    if missing_types("grafana", place.region) or draw(st.booleans()):
        return {"kind": "none"}
    grafana: Data = {"kind": "managed", "version": "12.4", "plugin_admin": draw(st.booleans())}
    ways = draw(st.sampled_from(["identity_center", "saml", "both"]))
    if ways != "saml":
        grafana["identity_center"] = _CENTER
    if ways != "identity_center":
        grafana["saml"] = {**_SAML, **draw(st.sampled_from(_METADATA))}
    if not closed and draw(st.booleans()):
        grafana["access"] = ACCESS
    if place.region != "ap-northeast-2" and draw(st.booleans()):
        grafana["vpc"] = VPC
    return grafana


ACCESS: Data = {"prefix_lists": ["pl-0123456789abcdef0"], "vpc_endpoints": ["vpce-0123456789abcdef0"]}
VPC: Data = {
    "subnets": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    "security_groups": ["sg-0123456789abcdef0"],
}
