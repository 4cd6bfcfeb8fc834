"""Every way that nodes may have Enroot and Pyxis, at random, as plain data."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Data = dict[str, Any]


@st.composite
def containers(draw: st.DrawFn) -> Data:
    """None, an image's, or from packages of one distribution with Enroot's own among them."""
    kind = draw(st.sampled_from(["none", "image", "packages"]))
    if kind != "packages":
        return {"kind": kind}
    enroot, beside = draw(
        st.sampled_from(
            [
                ("enroot_4.1.2-1_amd64.deb", "enroot+caps_4.1.2-1_amd64.deb"),
                ("enroot-4.1.2-1.el8.x86_64.rpm", "jq-1.7.1-1.amzn2023.x86_64.rpm"),
            ]
        )
    )
    names = [beside, enroot] if draw(st.booleans()) else [enroot]
    return {
        "kind": kind,
        "packages": [draw(_objects(name)) for name in names],
        "pyxis": draw(_objects("pyxis-0.24.0.tar.gz")),
    }


@st.composite
def _objects(draw: st.DrawFn, name: str) -> Data:
    folder = draw(st.sampled_from(["", "enroot/", "a/b_c/"]))
    digest = draw(st.binary(min_size=32, max_size=32)).hex()
    return {"uri": f"s3://acme-mirror.example/{folder}{name}", "sha256": digest}
