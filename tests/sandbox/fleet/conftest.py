"""Fleets of simulated nodes for the tests."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from bedplate.hardware import instance_type
from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.exporters.table import FILE as METRICS_TABLE
from bedplate.node.bootstrap.plan import STEPS
from bedplate.node.bootstrap.record import BootRecord
from bedplate.node.bootstrap.settings import Mount
from bedplate.node.bootstrap.step import DONE, StepResult
from bedplate.node.zipapp import build_node_zipapp
from bedplate.sandbox.fleet import FaultPlan, Fleet
from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.hardware_facts import read_hardware
from bedplate.telemetry.node_table import node_table
from tests.support.node_user_data import node_user_data

from . import buckets

LOGIN = "i-0aaaaaaaaaaaaaaaa"
MakeFleet = Callable[..., Fleet]


def node_id(index: int) -> str:
    """The instance id of the compute node with this index."""
    return f"i-{index:017x}"


def fault(cause: str, node_index: int | None = 0, **detail: float) -> dict[str, Any]:
    """One entry of a faults file."""
    return {"cause": cause, "node_index": node_index, "detail": detail}


@pytest.fixture(scope="session")
def node_program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The node program as the deployment ships it."""
    output = tmp_path_factory.mktemp("program") / "bedplate-node.pyz"
    return build_node_zipapp(output=output, data={METRICS_TABLE: node_table()}).read_bytes()


FSX = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com@tcp:/abcdef12"


def bootstrap(
    program: bytes,
    *,
    role: str = "compute",
    kind: str = "p5en.48xlarge",
    containers: Containers | None = None,
    collection: Collection | None = None,
) -> str:
    """The user data that the deployment gives a node of this type."""
    hardware = instance_type(kind) if role == "compute" else None
    return node_user_data(
        program,
        hardware=hardware,
        mounts=(Mount("lustre", FSX, "/fsx", efa=True),),
        containers=containers,
        collection=collection,
    )


class FleetMaker:
    """``make(*faults, nodes=2, user_data="", fetch=…)``: a fleet that boots, with a login node."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fleets: list[Fleet] = []

    def __call__(
        self,
        *faults: dict[str, Any],
        nodes: int = 2,
        user_data: str = "",
        login_user_data: str = "",
        fetch: Callable[[str, str], bytes] = lambda bucket, key: b"",
        put: Callable[[str, str, bytes], None] = lambda bucket, key, body: None,
        login_s3: Mapping[str, Any] = MappingProxyType({}),
        instance_type: str = "p5en.48xlarge",
        seed: str = "test",
    ) -> Fleet:
        """Boot the nodes; index 0 has the lowest address."""
        plan = FaultPlan.from_json({"seed": seed, "faults": list(faults)})
        fleet = Fleet(self._folder / f"state-{len(self._fleets)}", plan)
        self._fleets.append(fleet)
        for index in range(nodes):
            fleet.boot(
                node_id(index),
                instance_type=instance_type,
                role="compute",
                private_ip=f"10.0.1.{index + 5}",
                slurm_name=f"gpu-{index + 1}",
                user_data=user_data,
                tags={"Name": "gpu"},
                s3_fetch=fetch,
                s3_put=put,
                partitions=["gpu"],
            )
        fleet.boot(
            LOGIN,
            instance_type="c7i.xlarge",
            role="login",
            private_ip="10.0.0.5",
            slurm_name=None,
            user_data=login_user_data,
            tags={},
            s3_fetch=fetch,
            s3_put=put,
            **login_s3,
        )
        return fleet

    def close(self) -> None:
        """Stop all of them."""
        for fleet in self._fleets:
            fleet.close()


@pytest.fixture
def make_fleet(tmp_path: Path) -> Iterator[FleetMaker]:
    """Makes fleets for one test."""
    maker = FleetMaker(tmp_path)
    yield maker
    maker.close()


def _storage_as_booted() -> str:
    """What the bootstrap's storage steps leave behind on a p5en, written at once instead of tool by tool."""
    hardware = instance_type("p5en.48xlarge")
    efas = [efa_name(read_hardware("p5en.48xlarge", role="compute"), index * 2) for index in range(8)]
    member = json.dumps(
        {"kind": "linux_raid_member", "label": "any:bedplate", "uuid": "0:0:0:0", "members": 8}
    )
    return f"""
cd "$BEDPLATE_ROOT"
echo '{json.dumps({"tcp": ["ens32"], "efa": efas[: hardware.lnet_efa_count]})}' >../lnet.json
printf '%s 1 0 - Live 0x0\\n' kefalnd ksocklnd lnet lustre >proc/modules
mkdir -p dev/md fsx scratch
echo '{FSX} /fsx lustre rw,noatime,flock 0 0' >proc/mounts
echo '/dev/md127 /scratch xfs rw,noatime,discard 0 0' >>proc/mounts
touch dev/md127
ln -s "$BEDPLATE_ROOT/dev/md127" dev/md/bedplate
for disk in sys/block/*; do
  grep -q 'Instance Storage' "$disk/device/model" || continue
  touch "$disk/holders/md127"
  echo '{member}' >"dev/${{disk##*/}}"
done
"""


@pytest.fixture(scope="session")
def make_ready(tmp_path_factory: pytest.TempPathFactory, node_program: bytes) -> Iterator[MakeFleet]:
    """Makes fleets for the session, with the node program installed."""
    maker = FleetMaker(tmp_path_factory.mktemp("fleets"))
    record = BootRecord(
        **dict.fromkeys(
            ("environment", "pool", "role", "instance_id", "program_version", "program_sha256"), ""
        ),
        boot_id="@BOOT@",
        started_at="2026-01-01T00:00:00+00:00",
        ended_at="2026-01-01T00:00:01+00:00",
        seconds=1.0,
        steps=tuple(StepResult(step.name, DONE, "", 1.0) for step in STEPS),
    )
    install = (
        "#!/bin/bash\nset -e\n"
        "echo 5128 >$BEDPLATE_ROOT/proc/sys/vm/nr_hugepages\n"
        "aws s3 cp --only-show-errors s3://assets/node.pyz $BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz\n"
        'sed "s/@BOOT@/$(cat $BEDPLATE_ROOT/proc/sys/kernel/random/boot_id)/" '
        f">$BEDPLATE_ROOT/opt/bedplate/bootstrap.json <<'END'\n{record.to_json()}END\n"
    )
    install += _storage_as_booted()
    yield functools.partial(
        maker,
        user_data=install,
        login_user_data=install,
        fetch=lambda bucket, key: node_program if bucket == "assets" else buckets.fetch(bucket, key),
        put=buckets.put,
    )
    maker.close()
