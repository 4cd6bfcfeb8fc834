"""``lnetctl``: configures LNet on TCP and EFA, and shows it."""

from __future__ import annotations

import json

from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.tools.ip import INTERFACE
from bedplate.sandbox.fleet.tools.modules import is_loaded
from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_FAILED = 255
_MESSAGES_AT_MOUNT = 41


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool
    if not is_loaded(node, "lnet"):
        raise ToolRefused("lnetctl: LNet kernel module is not loaded", _FAILED)
    words = tuple(arguments)
    if words == ("lnet", "configure"):
        _save(node, {"tcp": [INTERFACE]})
    elif words[:2] == ("net", "add"):
        _add(node, arguments[2:])
    elif words[:2] == ("net", "del"):
        options = _options(arguments[2:], ("--net",))
        networks = _networks(node)
        if options.get("--net", "") not in networks:
            raise _refusal("del", "cannot delete network: Invalid argument")
        del networks[options["--net"]]
        _save(node, networks)
    elif words[:2] == ("net", "show"):
        if words[2:] == ("-v",):
            _show_all(node)
        else:
            _show(node, _options(arguments[2:], ("--net",)).get("--net"))
    elif words not in (("set", "discovery", "1"), ("udsp", "add", "--src", "efa", "--priority", "0")):
        raise ToolRefused(f"lnetctl: unknown command: {' '.join(arguments)}", _FAILED)
    return 0


def _refusal(what: str, why: str) -> ToolRefused:
    return ToolRefused(f'{what}:\n    - net:\n          errno: -22\n          descr: "{why}"', _FAILED)


def _add(node: NodeTruth, words: list[str]) -> None:
    options = _options(words, ("--net", "--if", "--peer-credits"))
    network, interface = options.get("--net", ""), options.get("--if", "")
    devices = [efa_name(node.hardware, index) for index in node.efas]
    usable = {"tcp": [INTERFACE], "efa": devices if is_loaded(node, "kefalnd") else []}
    networks = _networks(node)
    if interface not in usable.get(network, []) or interface in networks.get(network, []):
        raise _refusal("add", f"cannot add network: {network} on {interface}")
    networks.setdefault(network, []).append(interface)
    _save(node, networks)


def _show(node: NodeTruth, only: str | None) -> None:
    say("net:")
    for network, interfaces in _networks(node).items():
        if only not in (None, network):
            continue
        say(f"    - net type: {network}", "      local NI(s):")
        for interface in interfaces:
            say(
                f"        - nid: {node.private_ip}@{network}",
                "          status: up",
                "          interfaces:",
                f"              0: {interface}",
            )


def _show_all(node: NodeTruth) -> None:
    """With statistics and health, as ``-v`` shows them; without the interfaces that a fault has taken."""
    say("net:", "    - net type: lo", "      local NI(s):", "        - nid: 0@lo")
    say("          status: up", *_verbose(0))
    for network, interfaces in _networks(node).items():
        left = interfaces[node.effects.lnet_efas_lost :] if network == "efa" else interfaces
        if left:
            say(f"    - net type: {network}", "      local NI(s):")
        for position, interface in enumerate(left):
            say(
                f"        - nid: {_nid(node, network, position)}",
                "          status: up",
                "          interfaces:",
                f"              0: {interface}",
                *_verbose(lnet_messages(node, network)),
            )


def _nid(node: NodeTruth, network: str, position: int) -> str:
    """An EFA's address in LNet is made of the node's and the device's own number."""
    if network != "efa":
        return f"{node.private_ip}@{network}"
    return ".".join([*node.private_ip.split(".")[2:], str(92 + position), "0"]) + "@efa"


def _verbose(messages: int) -> tuple[str, ...]:
    return (
        "          statistics:",
        f"              send_count: {messages}",
        f"              recv_count: {messages}",
        "              drop_count: 0",
        "          tunables:",
        "              peer_timeout: 180",
        "              peer_credits: 32",
        "              peer_buffer_credits: 0",
        "              credits: 256",
        "          health stats:",
        "              health value: 1000",
        "              interrupts: 0",
        "              dropped: 0",
        "              aborted: 0",
        "              no route: 0",
        "              timeouts: 0",
        "              error: 0",
        "          dev cpt: 0",
        '          CPT: "[0,1]"',
    )


def _options(words: list[str], allowed: tuple[str, ...]) -> dict[str, str]:
    rest, found = list(words), dict[str, str]()
    while rest:
        name = rest.pop(0)
        if name not in allowed or not rest:
            raise ToolRefused(f"lnetctl: unrecognized option '{name}'", _FAILED)
        found[name] = rest.pop(0)
    return found


def _networks(node: NodeTruth) -> dict[str, list[str]]:
    path = node.folder / "lnet.json"
    if not path.exists():
        return {}
    networks: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return networks


def _save(node: NodeTruth, networks: dict[str, list[str]]) -> None:
    (node.folder / "lnet.json").write_text(json.dumps(networks), encoding="utf-8")


def lnet_messages(node: NodeTruth, network: str) -> int:
    """Messages that one interface of a network has carried each way since the boot."""
    path = node.folder / f"lnet-{network}.count"
    return _MESSAGES_AT_MOUNT + (int(path.read_text(encoding="utf-8")) if path.exists() else 0)


def count_messages(node: NodeTruth, network: str, messages: int) -> None:
    """Let each interface of a network have carried so many more."""
    path = node.folder / f"lnet-{network}.count"
    before = int(path.read_text(encoding="utf-8")) if path.exists() else 0
    path.write_text(str(before + messages), encoding="utf-8")
