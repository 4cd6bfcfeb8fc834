"""Huge pages for libfabric: its EFA provider takes its buffers from them.

5,128 pages of 2 MiB is what AWS sets aside on EFA nodes (EKS User Guide, "node-efa"); more that are there
already are left.
"""

from __future__ import annotations

from bedplate.hardware.huge_pages import EFA_HUGE_PAGES as PAGES
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

KERNEL = "/proc/sys/vm/nr_hugepages"
SYSCTL = "/etc/sysctl.d/90-bedplate-hugepages.conf"


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.efa_count else "no EFA on this node"


def _run(host: Host, _settings: NodeSettings) -> str:
    before = _pages(host)
    if before < PAGES:
        # Again at the next boot, while memory is still in one piece.
        host.write(SYSCTL, f"vm.nr_hugepages = {PAGES}\n")
        try:
            host.path(KERNEL).write_text(f"{PAGES}\n", encoding="ascii")
        except OSError as error:
            raise StepFailedError(f"{KERNEL} cannot be written: {error.strerror}") from error
    after = _pages(host)
    if after < PAGES:
        raise StepFailedError(f"the kernel gave {after} huge pages of {PAGES}: memory is in pieces, reboot")
    return f"{after} pages"


def _pages(host: Host) -> int:
    text = (host.read(KERNEL) or "").strip()
    if not text.isdigit():
        raise StepFailedError(f"{KERNEL} holds {text!r}; a number was expected")
    return int(text)


STEP = Step("set_hugepages", _why_not, _run)
