"""``mount [-t TYPE] [-o OPTIONS] [--bind] SOURCE TARGET``; paths are the node's."""

from __future__ import annotations

import re

from bedplate.sandbox.fleet.tools.block_devices import device_file, on_node, read_content
from bedplate.sandbox.fleet.tools.modules import is_loaded
from bedplate.sandbox.fleet.tools.mounts import Mount, add_mount, is_mount_point, read_mounts
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

# FSx for Lustre: DNS name, LNet, and the file system's mount name (FSx for Lustre User Guide, "Mounting").
_LUSTRE_SOURCE = re.compile(r"^fs-[0-9a-f]+\.fsx\.[a-z0-9-]+\.amazonaws\.com(\.cn)?@tcp:/[A-Za-z0-9_]+$")
# FSx for OpenZFS and EFS by name, EFS by id.
_NFS_SOURCE = re.compile(r"^fs-[0-9a-f]+(\.(fsx|efs)\.[a-z0-9-]+\.amazonaws\.com(\.cn)?)?:/\S*$")
_NETWORK = {"lustre": _LUSTRE_SOURCE, "nfs4": _NFS_SOURCE, "efs": _NFS_SOURCE}
_FAILED = 32


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if not arguments:
        for mount in read_mounts(node):
            say(f"{mount.source} on {mount.target} type {mount.kind} ({mount.options})")
        return 0
    kind, options, bind, (source, given) = _parse(arguments)
    target = on_node(node, given)
    if not (node.root / target.lstrip("/")).is_dir():
        raise ToolRefused(f"mount: {target}: mount point does not exist.", _FAILED)
    if is_mount_point(node, target):
        raise ToolRefused(f"mount: {target}: {source} already mounted on {target}.", _FAILED)
    if kind in _NETWORK:
        _check_network(node, kind, source, target)
    elif not bind:
        kind = _local_kind(node, source, target)
    add_mount(node, Mount(source, target, "nfs4" if kind == "efs" else kind, options))
    return 0


def _check_network(node: NodeTruth, kind: str, source: str, target: str) -> None:
    if kind == "lustre" and not is_loaded(node, "lustre"):
        raise ToolRefused(f"mount.lustre: mount {source} at {target} failed: No such device", 19)
    if not _NETWORK[kind].match(source):
        raise ToolRefused(f"mount.{kind}: {source}: no file system of AWS is called so", 22)


def _local_kind(node: NodeTruth, source: str, target: str) -> str:
    if not device_file(node, source).exists():
        raise ToolRefused(f"mount: {target}: special device {source} does not exist.", _FAILED)
    content = read_content(node, source)
    if content is None or content.kind == "linux_raid_member":
        raise ToolRefused(f"mount: {target}: wrong fs type, bad option, bad superblock on {source}.", _FAILED)
    return content.kind


def _parse(arguments: list[str]) -> tuple[str, str, bool, tuple[str, str]]:
    words, places = list(arguments), []
    kind, options, bind = "auto", "rw", False
    while words:
        word = words.pop(0)
        if word == "-t" and words:
            kind = words.pop(0)
        elif word == "-o" and words:
            options = words.pop(0)
        elif word == "--bind":
            kind, bind = "none", True
        elif word.startswith("-"):
            raise ToolRefused(f"mount: unrecognized option '{word}'", 1)
        else:
            places.append(word)
    if len(places) != 2 or kind not in (*_NETWORK, "auto", "xfs", "ext4", "none"):
        raise ToolRefused(f"mount: bad usage: {' '.join(arguments)}", 1)
    return kind, options, bind, (places[0], places[1])
