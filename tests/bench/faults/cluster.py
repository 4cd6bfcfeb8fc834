"""SIMULATED: a fleet that boots once by the deploy's real user data, and carries other faults each run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bedplate.hardware import instance_type as find_type
from bedplate.manifest import ClusterManifest
from bedplate.node.bootstrap.settings import Mount
from bedplate.node.zipapp import build_node_zipapp
from bedplate.sandbox.fleet import FaultPlan, Fleet
from bedplate.sandbox.fleet.binding import INJECTED_FILE
from bedplate.sandbox.fleet.faults import NO_FAULTS
from bedplate.sandbox.fleet.truth import NodeTruth, read_fleet
from tests.support.node_user_data import node_user_data

LOGIN = "i-0aaaaaaaaaaaaaaaa"
FSX = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com@tcp:/abcdef12"
_LOGIN_ADDRESS = "10.0.0.5"
_BUCKET = "results"
_TIED = {
    "file_system_id": "fs-0123456789abcdef0",
    "path": "/data",
    "bucket": "datasets",
    "prefix": "",
    "imports": ["NEW"],
    "exports": ["NEW"],
}


class Cluster:
    """``size`` nodes of one type and a login node, below ``folder``; ``close`` stops what runs for them."""

    def __init__(
        self,
        folder: Path,
        *,
        instance_type: str,
        size: int,
        address: Callable[[int], str] = lambda index: f"10.0.1.{index + 5}",
    ) -> None:
        """``address`` gives the private address of the node with an index from 0."""
        self.instance_type = instance_type
        self._address = address
        self.size = size
        self.objects: dict[str, bytes] = {}
        """``bucket/key`` → body: what nodes and the validation see of S3."""
        self._folder = folder
        program = build_node_zipapp(output=folder / "bedplate-node.pyz").read_bytes()
        self.objects["assets/node.pyz"] = program
        self.fleet = Fleet(folder / "state", NO_FAULTS)
        self.fleet.tie([_TIED])
        for index in range(size):
            self._boot(self.node_id(index), address(index), f"gpu-{index + 1}", program)
        self._boot(LOGIN, _LOGIN_ADDRESS, None, program)
        for each in [*map(self.node_id, range(size)), LOGIN]:
            report = self.fleet.boot_report(each)
            if not report.ok:
                raise AssertionError(f"{each} did not boot: {report.summary}")

    @staticmethod
    def node_id(index: int) -> str:
        """The instance id of the compute node with this index."""
        return f"i-{index:017x}"

    def inject(self, plan: FaultPlan) -> Mapping[str, Any]:
        """Carry these faults and no others from now on; returns what is injected where."""
        self.fleet.inject(plan)
        found: Mapping[str, Any] = json.loads(
            (self._folder / "state" / INJECTED_FILE).read_text(encoding="utf-8")
        )
        return found

    def environment(self, instance_id: str) -> Mapping[str, str]:
        """What programs on the node find in their environment, but for the metadata service: the node's
        files say the same.
        """
        found = dict(self.fleet._node(instance_id).environment)
        del found["BEDPLATE_IMDS_ENDPOINT"]
        return found

    def truths(self) -> dict[str, NodeTruth]:
        """Every node as it is now, the login node too."""
        return read_fleet(self._folder / "state" / "fleet")

    def instances(self, group: str) -> list[dict[str, Any]]:
        """The rows of DescribeInstances for ``login`` or ``compute``."""
        rows = (
            [(LOGIN, "c7i.xlarge", _LOGIN_ADDRESS)]
            if group == "login"
            else [(self.node_id(i), self.instance_type, self._address(i)) for i in range(self.size)]
        )
        return [
            {
                "InstanceId": name,
                "InstanceType": kind,
                "PrivateIpAddress": address,
                "State": {"Name": "running"},
            }
            for name, kind, address in rows
        ]

    def manifest(self) -> ClusterManifest:
        """What the deploy left behind."""
        hardware = find_type(self.instance_type)
        pool = {
            "name": "gpu",
            "instance_type": self.instance_type,
            "node_count_min": self.size,
            "node_count_max": self.size,
            "node_group_id": "compute",
            "selection_tags": {"group": "compute"},
            "partitions": ["gpu"],
            "expected_gpus_per_node": hardware.gpus,
            "expected_efas_per_node": hardware.efa_count,
            "capacity_source": "on-demand",
        }
        return ClusterManifest.model_validate(
            {
                "environment": "proof",
                "account": "123456789012",
                "region": "us-west-2",
                "zone_id": "usw2-az2",
                "orchestrator": {
                    "kind": "slurm-pcs",
                    "cluster_id": "pcs_1",
                    "cluster_name": "proof",
                    "version": "25.05",
                },
                "pools": [pool],
                "login": {"node_group_id": "login", "selection_tags": {"group": "login"}},
                "file_systems": [_lustre()],
                "local_nvme": "raid0" if hardware.nvme_count else "none",
                "observability": None,
                "validation": {
                    "result_bucket": _BUCKET,
                    "command_document": "proof-node",
                    "dcgm_level": 2,
                    "throughput": True,
                    "collectives": ["all_reduce", "all_gather"],
                    "waivers": {},
                    "on_failure": "report",
                },
            }
        )

    def close(self) -> None:
        """Stop what runs in the background."""
        self.fleet.close()

    def _boot(self, instance_id: str, address: str, slurm_name: str | None, program: bytes) -> None:
        role = "compute" if slurm_name else "login"
        hardware = find_type(self.instance_type)
        user_data = node_user_data(
            program,
            hardware=hardware if slurm_name else None,
            mounts=(Mount("lustre", FSX, "/fsx", efa=True),),
            environment="proof",
            local_nvme="raid0" if hardware.nvme_count else "none",
        )
        self.fleet.boot(
            instance_id,
            instance_type=self.instance_type if slurm_name else "c7i.xlarge",
            role=role,
            private_ip=address,
            slurm_name=slurm_name,
            user_data=user_data,
            tags={},
            s3_fetch=lambda bucket, key: self.objects[f"{bucket}/{key}"],
            s3_put=lambda bucket, key, body: self.objects.update({f"{bucket}/{key}": body}),
            partitions=("gpu",) if slurm_name else (),
        )


def _lustre() -> dict[str, Any]:
    return {
        "kind": "lustre",
        "created": True,
        "file_system_id": "fs-0123456789abcdef0",
        "mount_source": FSX,
        "mount_path": "/fsx",
        "efa": True,
        "throughput_mb_per_s": 20_000,
        "associations": [
            {
                "path": "/data",
                "data_repository": "s3://datasets",
                "imports": ["new"],
                "exports": ["new"],
            }
        ],
    }


def faults_of(injected: Mapping[str, Any]) -> Sequence[str]:
    """The kinds that were injected, in order."""
    return tuple(str(row["cause"]) for row in injected["faults"])
