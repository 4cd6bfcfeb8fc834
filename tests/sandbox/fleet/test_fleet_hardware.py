"""What a simulated node is made of: its type's row, with the EFAs that its launch attached."""

from __future__ import annotations

import pytest

from bedplate.sandbox.fleet.hardware_facts import read_hardware
from bedplate.sandbox.fleet.truth import Hardware


@pytest.mark.parametrize(
    ("name", "attached", "efas", "gbps"),
    [
        ("p6e-gb200.36xlarge", None, 4, 400),
        ("p6e-gb200.36xlarge", 8, 8, 200),
        ("p5en.48xlarge", 16, 16, 200),
        ("p5en.48xlarge", 15, 15, 200),
        ("p5en.48xlarge", 0, 0, 200),
    ],
)
def test_a_node_has_the_efas_that_were_attached(
    name: str, attached: int | None, efas: int, gbps: int
) -> None:
    """A published layout brings its speed; any other number is played as it is, for a check to find."""
    hardware = read_hardware(name, role="compute", efa_count=attached)
    assert (hardware.efa_count, hardware.efa_gbps_each) == (efas, gbps)


def test_a_login_node_has_no_fabric() -> None:
    """Whatever is attached to it."""
    assert read_hardware("m7i.4xlarge", role="login", efa_count=0) == Hardware()
