"""``gdrcopy_sanity`` and ``gdrcopy_copybw``, as GDRCopy 2.5 prints them."""

from __future__ import annotations

from bedplate.sandbox.fleet.devices import gpu_bus
from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.tools.output import complain, say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_TESTS = 28
_WAIVED = ("invalidation_access_after_free_cumemalloc", "invalidation_access_after_free_vmmalloc")
_NO_DRIVER = "gdr_open error: Is gdrdrv driver installed and loaded?"


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    if not node.gpus:
        raise ToolRefused("CUDA error: no CUDA-capable device is detected", 1)
    if tool == "gdrcopy_sanity":
        return _sanity(arguments, node)
    return _copybw(arguments, node)


def _sanity(arguments: list[str], node: NodeTruth) -> int:
    if arguments:
        raise ToolRefused(f"gdrcopy_sanity: the simulated one takes no options: {' '.join(arguments)}", 1)
    if node.effects.gdrcopy_off:
        names = [f"basic_test_{number:02d}" for number in range(_TESTS)]
        complain(*[_NO_DRIVER] * _TESTS)
        say(f"Total: {_TESTS}, Passed: 0, Failed: {_TESTS}, Waived: 0", "", "List of failed tests:")
        say(*[f"    {name}" for name in names])
        complain("Error: Encountered an error or a test failure with status=1")
        return 1
    say(f"Total: {_TESTS}, Passed: {_TESTS - len(_WAIVED)}, Failed: 0, Waived: {len(_WAIVED)}", "")
    say("List of waived tests:", *[f"    {name}" for name in _WAIVED])
    return 0


def _copybw(arguments: list[str], node: NodeTruth) -> int:
    size = arguments[1] if arguments[:1] == ["-s"] and len(arguments) > 1 else "131072"
    for position, gpu in enumerate(node.gpus):
        say(f"GPU id:{position}; name: {node.hardware.gpu_model}; Bus id: 0000:{gpu_bus(gpu):02x}:00")
    say("selecting device 0", f"testing size: {size}", f"rounded size: {size}", "gpu alloc fn: cuMemAlloc")
    if node.effects.gdrcopy_off:
        raise ToolRefused(_NO_DRIVER, 1)
    say(f"writing test, size={size} offset=0 num_iters=10000")
    say(f"write BW: {14000 * noise(node.instance_id + '/gdr-write'):.2f}MB/s")
    say(f"reading test, size={size} offset=0 num_iters=100")
    say(f"read BW: {530 * noise(node.instance_id + '/gdr-read'):.3f}MB/s")
    say("unmapping buffer", "unpinning buffer", "closing gdrdrv")
    return 0
