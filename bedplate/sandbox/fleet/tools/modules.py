"""Which kernel modules a node has, and which are loaded."""

from __future__ import annotations

from bedplate.sandbox.fleet.truth import NodeTruth

# Module → the modules that it brings with it.
_KNOWN = {"lnet": (), "kefalnd": ("lnet",), "ksocklnd": ("lnet",), "lustre": ("lnet",)}


def known(node: NodeTruth) -> tuple[str, ...]:
    """Modules that can be loaded; Lustre's network driver for EFA needs an EFA."""
    return tuple(name for name in _KNOWN if name != "kefalnd" or node.hardware.efa_count)


def load(node: NodeTruth, name: str) -> None:
    """Load a module and those it needs."""
    loaded = {*_loaded(node), name, *_KNOWN[name]}
    (node.root / "proc/modules").write_text(
        "".join(f"{each} 1 0 - Live 0x0\n" for each in sorted(loaded)), "utf-8"
    )


def is_loaded(node: NodeTruth, name: str) -> bool:
    """Whether a module is loaded."""
    return name in _loaded(node)


def _loaded(node: NodeTruth) -> list[str]:
    path = node.root / "proc/modules"
    return [line.split()[0] for line in path.read_text("utf-8").splitlines()] if path.exists() else []
