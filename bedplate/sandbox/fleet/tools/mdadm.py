"""``mdadm --create``, ``--assemble`` and ``--detail --export``, for one RAID 0 array over whole disks."""

from __future__ import annotations

from bedplate.sandbox.fleet.tools.block_devices import Content, device_file, read_content, write_content
from bedplate.sandbox.fleet.tools.output import complain, say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_KERNEL_NAME = "md127"
_CREATE = {"--level", "--metadata", "--homehost", "--name", "--uuid", "--raid-devices"}
_MEMBER = "linux_raid_member"


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    mode = arguments[:1]
    if mode == ["--create"] and len(arguments) > 2:
        return _create(node, arguments[1], arguments[2:])
    if mode == ["--assemble"] and len(arguments) > 2:
        return _assemble(node, arguments[1], arguments[2:])
    if arguments[:2] == ["--detail", "--export"] and len(arguments) == 3:
        return _detail(node, arguments[2])
    if arguments[:1] == ["--detail"] and len(arguments) == 2:
        return _detail_for_people(node, arguments[1])
    raise ToolRefused(f"mdadm: the simulated mdadm does not know: {' '.join(arguments)}", 2)


def _create(node: NodeTruth, array: str, words: list[str]) -> int:
    options, disks = _parse(words, _CREATE, {"--run", "--force"})
    wanted = int(options.get("--raid-devices", "-1"))
    if options.get("--level") != "0" or len(disks) != wanted:
        raise ToolRefused(f"mdadm: You have listed {len(disks)} devices but asked for {wanted}", 2)
    _open(node, disks)
    label = f"{options.get('--homehost', node.hostname)}:{options['--name']}"
    for disk in disks:
        write_content(node, disk, Content(_MEMBER, label, options["--uuid"], wanted))
    _start(node, array, disks)
    complain("mdadm: Defaulting to version 1.2 metadata", f"mdadm: array {array} started.")
    return 0


def _assemble(node: NodeTruth, array: str, words: list[str]) -> int:
    options, disks = _parse(words, {"--uuid"}, set())
    _open(node, disks)
    found = [content for content in (read_content(node, disk) for disk in disks) if content is not None]
    if any(content.uuid != options.get("--uuid") for content in found) or len(found) != len(disks):
        raise ToolRefused(f"mdadm: No suitable devices found for {array}", 1)
    if len(found) != found[0].members:
        raise ToolRefused(
            f"mdadm: {array} assembled from {len(found)} drives - not enough to start the array.", 1
        )
    _start(node, array, disks)
    complain(f"mdadm: {array} has been started with {len(disks)} drives.")
    return 0


def _detail(node: NodeTruth, array: str) -> int:
    name = device_file(node, array).name
    members = sorted(path.parent.parent.name for path in node.root.glob(f"sys/block/*/holders/{name}"))
    if not members:
        raise ToolRefused(f"mdadm: cannot open {array}: No such file or directory", 1)
    content = read_content(node, f"/dev/{members[0]}")
    if content is None:
        raise ToolRefused(f"mdadm: {array} does not appear to be an md device", 1)
    say(
        "MD_LEVEL=raid0",
        f"MD_DEVICES={content.members}",
        "MD_METADATA=1.2",
        f"MD_UUID={content.uuid}",
        f"MD_DEVNAME={content.label.rpartition(':')[2]}",
        f"MD_NAME={content.label}",
    )
    return 0


def _detail_for_people(node: NodeTruth, array: str) -> int:
    name = device_file(node, array).name
    members = sorted(path.parent.parent.name for path in node.root.glob(f"sys/block/*/holders/{name}"))
    content = read_content(node, f"/dev/{members[0]}") if members else None
    if content is None:
        raise ToolRefused(f"mdadm: cannot open {array}: No such file or directory", 1)
    working = len(members)
    say(
        f"{array}:",
        "           Version : 1.2",
        "     Creation Time : Mon Jan  5 08:00:00 2026",
        "        Raid Level : raid0",
        f"      Raid Devices : {content.members}",
        f"     Total Devices : {working}",
        "       Persistence : Superblock is persistent",
        "",
        "       Update Time : Mon Jan  5 08:00:00 2026",
        f"             State : {'clean' if working == content.members else 'broken, FAILED'} ",
        f"    Active Devices : {working}",
        f"   Working Devices : {working}",
        "    Failed Devices : 0",
        "     Spare Devices : 0",
        "",
        "            Layout : original",
        "        Chunk Size : 512K",
        "",
        "Consistency Policy : none",
        "",
        f"              Name : {content.label}",
        f"              UUID : {content.uuid}",
        "            Events : 0",
        "",
        "    Number   Major   Minor   RaidDevice State",
    )
    for position, member in enumerate(members):
        say(f"       {position}     259        {position}        {position}      active sync   /dev/{member}")
    return 0


def _open(node: NodeTruth, disks: list[str]) -> None:
    for disk in disks:
        if not device_file(node, disk).exists():
            raise ToolRefused(f"mdadm: cannot open {disk}: No such file or directory", 1)
        if any((node.root / "sys/block" / disk.rpartition("/")[2] / "holders").iterdir()):
            raise ToolRefused(f"mdadm: cannot open {disk}: Device or resource busy", 1)


def _start(node: NodeTruth, array: str, disks: list[str]) -> None:
    kernel = node.root / "dev" / _KERNEL_NAME
    kernel.touch()
    link = node.root / array.lstrip("/")
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(kernel)
    for disk in disks:
        (node.root / "sys/block" / disk.rpartition("/")[2] / "holders" / _KERNEL_NAME).touch()


def _parse(words: list[str], options: set[str], flags: set[str]) -> tuple[dict[str, str], list[str]]:
    found: dict[str, str] = {}
    disks: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name in options:
            found[name] = value
        elif word.startswith("-"):
            if word not in flags:
                raise ToolRefused(f"mdadm: unrecognized option '{word}'", 2)
        else:
            disks.append(word)
    return found, disks
