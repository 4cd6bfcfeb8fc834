"""LNet over EFA. Without it a file system with EFA is mounted over TCP, and nothing says so.

Steps: FSx for Lustre User Guide, "Configuring EFA clients"; the order of the commands is that of AWS's own
script of 2024. Its newer version also gives every EFA a CPU partition of its own, which needs libcfs to be
loaded anew; that is a matter of speed and is not done here. That ``net add`` binds each named device
whatever the number of partitions is unverified, so the devices that are up are counted at the end.
"""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple, Union

from bedplate.diagnosis.parsers.lnet import LnetInterface, parse_lnet
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.readers.default_route import default_interface
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

AMAZON = "0x1d0f"
PEER_CREDITS = "32"
_ALREADY = re.compile(r"-114\b|already", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+)")


def _why_not(settings: NodeSettings) -> str:
    if not any(mount.efa for mount in settings.mounts):
        return "no file system with EFA"
    return "" if settings.lnet_efa_count else "this node reaches the file systems by TCP"


def _run(host: Host, settings: NodeSettings) -> str:
    interface = default_interface(must(host, "ip", "-o", "-4", "route", "show", "default").stdout)
    if not interface:
        raise StepFailedError("no default route, so no interface for LNet's addresses")
    must(host, "modprobe", "lnet")
    must(host, "modprobe", "kefalnd", f"ipif_name={interface}")
    must(host, "modprobe", "ksocklnd")
    shown = host.run("lnetctl", "net", "show")
    there = _read(shown.stdout) if shown.ok and shown.stdout.strip() else []
    if not there:
        must(host, "lnetctl", "lnet", "configure")
        there = _interfaces(host)
    _use_tcp(host, interface, there)
    bound = _bind_efas(host, settings.lnet_efa_count, there)
    must(host, "lnetctl", "set", "discovery", "1")
    _prefer_efa(host)
    _check(host, settings.lnet_efa_count)
    return f"{settings.lnet_efa_count} EFAs, {bound} bound now"


def _use_tcp(host: Host, interface: str, there: Sequence[LnetInterface]) -> None:
    found = [each for each in there if each.net == "tcp"]
    if any(each.device == interface for each in found):
        return
    if found:
        must(host, "lnetctl", "net", "del", "--net", "tcp")
    must(host, "lnetctl", "net", "add", "--net", "tcp", "--if", interface)


def _bind_efas(host: Host, wanted: int, there: Sequence[LnetInterface]) -> int:
    """Bind what is missing, spread over all devices; says how many were bound now."""
    devices = efa_devices(host)
    bound = {each.device for each in there if each.net == "efa"}
    free = [device for device in spread(devices, wanted) if device not in bound]
    free += [device for device in devices if device not in bound and device not in free]
    missing = free[: max(0, wanted - len(bound))]
    for device in missing:
        must(host, "lnetctl", "net", "add", "--net", "efa", "--if", device, "--peer-credits", PEER_CREDITS)
    return len(missing)


def _prefer_efa(host: Host) -> None:
    rule = host.run("lnetctl", "udsp", "add", "--src", "efa", "--priority", "0")
    # At a second run the rule is there: errno -114.
    if not rule.ok and not _ALREADY.search(rule.stdout + rule.stderr):
        raise StepFailedError(f"LNet takes no rule that prefers EFA: {rule.last_words}")


def _check(host: Host, wanted: int) -> None:
    found = [each for each in _interfaces(host) if each.net == "efa"]
    up = [each for each in found if each.status == "up"]
    if len(up) < wanted:
        down = [f"{each.device} is {each.status or 'unknown'}" for each in found if each.status != "up"]
        raise StepFailedError(
            f"{len(up)} EFAs carry LNet, {wanted} are wanted ({len(efa_devices(host))} are on the node"
            + "".join(f"; {text}" for text in down)
            + ")"
        )


def _interfaces(host: Host) -> List[LnetInterface]:
    return _read(must(host, "lnetctl", "net", "show").stdout)


def _read(text: str) -> List[LnetInterface]:
    try:
        return list(parse_lnet(text).interfaces)
    except ParseError as error:
        raise StepFailedError(str(error)) from error


def efa_devices(host: Host) -> List[str]:
    """The EFA devices in the order of their PCI buses. The folder holds other RDMA devices too: p6-b200 lists
    ports of its NVSwitches before the EFAs.
    """
    folder = "/sys/class/infiniband"
    names = [
        name
        for name in host.names(folder)
        if (host.read(f"{folder}/{name}/device/vendor") or "").strip() == AMAZON
    ]
    return sorted(names, key=_by_bus)


def spread(devices: List[str], wanted: int) -> List[str]:
    """``wanted`` of the devices at even distances, so that they hang on as many PCI switches as can be."""
    if wanted <= 0 or not devices:
        return []
    count = min(wanted, len(devices))
    return [devices[position * len(devices) // count] for position in range(count)]


def _by_bus(name: str) -> List[Tuple[int, Union[int, str]]]:
    """``rdmap79s0`` comes before ``rdmap100s0``."""
    return [(1, int(part)) if part.isdigit() else (0, part) for part in _NUMBER.split(name)]


STEP = Step("set_up_lnet", _why_not, _run, needs=("install_lustre_client",))
