"""``set-topology``: write Slurm's topology.conf from where EC2 says the nodes stand; where slurmctld runs.

To be called again and again (a timer): slurmctld is told only when the file has changed, and never of a file
that it would end at. Where AWS or Slurm does not answer, the file stays as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from bedplate.node.nvlink_blocks import block_conf
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, run_tool
from bedplate.node.switch_tree import TopologyRefusedError, tree_conf

HELP = "write Slurm's topology.conf from where EC2 says the nodes stand; where slurmctld runs"
_DEADLINE_SECONDS = 120.0
_ADDRESSES_AT_ONCE = 200
"""As many values as a filter takes (EC2 API Reference, Filter)."""
_IDS_AT_ONCE = 100
"""As many instance ids as DescribeInstanceTopology takes (EC2 API Reference)."""
_NODE = re.compile(r"^NodeName=(?P<name>\S+) .*?\bNodeAddr=(?P<address>\S+)")
_QUERY = "Reservations[].Instances[].[PrivateIpAddress,InstanceId]"


class NotToldError(Exception):
    """A program that had to be asked did not answer."""


@dataclass(frozen=True)
class Place:
    """Where an instance stands: its network nodes from the top down, and its NVLink domain; empty for types
    that have none.
    """

    path: Tuple[str, ...] = ()
    domain: str = ""


NOWHERE = Place()
"""Of a node that is not launched, or of which EC2 says nothing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the file is, and which instances are the cluster's."""
    parser.add_argument("--file", required=True, type=Path, help="topology.conf, beside slurm.conf")
    parser.add_argument("--region", required=True)
    parser.add_argument(
        "--filter",
        required=True,
        help="what the cluster's instances have in common, such as tag:parallelcluster:cluster-name=prod",
    )
    parser.add_argument(
        "--block-size",
        type=int,
        default=0,
        help="nodes of an NVLink domain: write blocks of UltraServers instead of a tree of switches",
    )
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")


def main(arguments: argparse.Namespace) -> int:
    """0 where the file says what EC2 says; 1 where it could not be made so, and is as it was."""
    asking = _Asking(region=arguments.region, path=extended_path(slurm=arguments.slurm))
    try:
        nodes = asking.nodes()
        ids = asking.instance_ids(sorted(set(nodes.values())), wanted=arguments.filter)
        places = asking.places(sorted(set(ids.values())))
        told = {name: places.get(ids.get(address, ""), NOWHERE) for name, address in nodes.items()}
        changed = _replace(arguments.file, _text(told, arguments.block_size), asking)
    except (NotToldError, TopologyRefusedError, OSError) as error:
        print(f"bedplate-node: set-topology: {error}; {arguments.file} is as it was", file=sys.stderr)
        return 1
    unknown = sum(place == NOWHERE for place in told.values())
    state = "changed, and slurmctld told" if changed else "as it should be"
    print(f"{arguments.file} is {state}: {len(told)} nodes, {unknown} of them not known to EC2")
    return 0


def _text(places: Mapping[str, "Place"], block_size: int) -> str:
    if block_size:
        return block_conf({name: place.domain for name, place in places.items()}, size=block_size)
    return tree_conf({name: place.path for name, place in places.items()})


def _replace(file: Path, text: str, asking: "_Asking") -> bool:
    """Put the text in place and tell slurmctld. What it does not take is taken back."""
    old = file.read_text(encoding="utf-8") if file.exists() else None
    if old == text:
        return False
    _write(file, text)
    try:
        asking.slurm("scontrol", "reconfigure")
    except NotToldError:
        if old is None:
            file.unlink()
        else:
            _write(file, old)
        raise
    return True


def _write(file: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=str(file.parent), prefix=f".{file.name}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(0o644)  # slurmd on the nodes reads it too, configless or shared
        new.replace(file)
    except BaseException:
        new.unlink()
        raise


class _Asking:
    """Slurm's clients and the AWS command line, which the image of a head node has."""

    def __init__(self, *, region: str, path: str) -> None:
        self._region, self._environment = region, {"PATH": path, "AWS_PAGER": ""}

    def nodes(self) -> Dict[str, str]:
        """Slurm node → its address."""
        found = {}
        for line in self.slurm("scontrol", "--oneliner", "show", "nodes").splitlines():
            match = _NODE.match(line)
            if match is not None:
                found[match["name"]] = match["address"]
        if not found:
            raise NotToldError("scontrol names no node")
        return found

    def instance_ids(self, addresses: Sequence[str], *, wanted: str) -> Dict[str, str]:
        """Address → instance id, of the cluster's running instances; what is not launched is not there."""
        name, _, value = wanted.partition("=")
        found: Dict[str, str] = {}
        for start in range(0, len(addresses), _ADDRESSES_AT_ONCE):
            some = ",".join(addresses[start : start + _ADDRESSES_AT_ONCE])
            filters = (
                f"Name={name},Values={value}",
                "Name=instance-state-name,Values=running",
                f"Name=private-ip-address,Values={some}",
            )
            for row in self._ec2("describe-instances", "--query", _QUERY, "--filters", *filters):
                if not isinstance(row, list) or len(row) != 2:
                    raise NotToldError(f"aws ec2 describe-instances says {str(row)[:100]}")
                found[str(row[0])] = str(row[1])
        return found

    def places(self, instance_ids: Sequence[str]) -> Dict[str, Place]:
        """Instance id → its place."""
        found: Dict[str, Place] = {}
        for start in range(0, len(instance_ids), _IDS_AT_ONCE):
            some = instance_ids[start : start + _IDS_AT_ONCE]
            rows = self._ec2("describe-instance-topology", "--query", "Instances[]", "--instance-ids", *some)
            for row in rows:
                if not isinstance(row, Mapping) or "InstanceId" not in row:
                    raise NotToldError(f"aws ec2 describe-instance-topology says {str(row)[:100]}")
                path = tuple(str(one) for one in row.get("NetworkNodes") or ())
                found[str(row["InstanceId"])] = Place(path, str(row.get("CapacityBlockId") or ""))
        return found

    def slurm(self, *argv: str) -> str:
        """What a client of Slurm prints."""
        return self._run(argv)

    def _ec2(self, *words: str) -> List[Any]:
        argv = ("aws", "ec2", *words, "--region", self._region, "--output", "json")
        try:
            rows = json.loads(self._run(argv) or "null")
        except ValueError as error:
            raise NotToldError(f"aws ec2 {words[0]} printed no JSON: {error}") from error
        if not isinstance(rows, list):
            raise NotToldError(f"aws ec2 {words[0]} printed no list")
        return rows

    def _run(self, argv: Sequence[str]) -> str:
        run = run_tool(argv=argv, limits=Limits(_DEADLINE_SECONDS), environment=self._environment)
        if run.rc != 0 or run.truncated:
            told = (run.stderr or run.problem or run.stdout).strip()
            raise NotToldError(f"{' '.join(argv[:3])}: {told[-300:]}")
        return run.stdout
