"""Which group this HyperPod node is in. Python 3.9 and its standard library; runs on the node.

Prints ``GROUP TYPE ADDRESS[,ADDRESS…]``: the group, its type of Slurm node by the file ``groups`` (a line
``NAME TYPE`` each), and the controller's addresses. Status 1 where the node or a controller is in no group.
"""

import argparse
import json
import socket
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence  # noqa: UP035 - Python 3.9

ROUTED = ("10.254.254.254", 1)
"""Need not be there: which address the kernel would send from is all that is asked."""

Group = Mapping[str, Any]


def main() -> int:
    """Read the two files, and print the place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True)
    parser.add_argument("--groups", required=True)
    parser.add_argument("--address", default="")
    arguments = parser.parse_args()
    try:
        types = types_of_groups(Path(arguments.groups).read_text(encoding="utf-8"))
        groups = json.loads(Path(arguments.config).read_text(encoding="utf-8"))["InstanceGroups"]
        sys.stdout.write(place(groups, types, arguments.address or own_address()) + "\n")
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        sys.stderr.write(f"place: {type(error).__name__}: {error}\n")
        return 1
    return 0


def types_of_groups(text: str) -> Dict[str, str]:  # noqa: UP006
    """Group → type of Slurm node."""
    words = [line.split() for line in text.splitlines() if line]
    return {each[0]: each[1] for each in words}


def place(groups: Sequence[Group], types: Mapping[str, str], address: str) -> str:
    """The line to print. ``ValueError`` where it cannot be told."""
    found = [str(group["Name"]) for group in groups if address in addresses(group)]
    if len(found) != 1:
        raise ValueError(f"{address} is in {len(found)} groups")
    if found[0] not in types:
        raise ValueError(f"group {found[0]} has no settings in this folder")
    controllers = [
        each for group in groups if types.get(group["Name"]) == "Controller" for each in addresses(group)
    ]
    if not controllers:
        raise ValueError("no controller has an address yet")
    return f"{found[0]} {types[found[0]]} {','.join(controllers)}"


def addresses(group: Group) -> List[str]:  # noqa: UP006
    """The addresses of a group's instances in our VPC."""
    found = [each.get("CustomerIpAddress") for each in group.get("Instances") or []]
    return [str(each) for each in found if each]


def own_address() -> str:
    """The address that this node sends from."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(ROUTED)
        return str(probe.getsockname()[0])


if __name__ == "__main__":
    sys.exit(main())
