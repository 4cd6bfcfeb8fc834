"""The manifest that the template carries is the one that validation reads."""

from __future__ import annotations

import json
from typing import Any

from bedplate.hardware import instance_type
from bedplate.manifest import ClusterManifest, PoolManifest


def _manifest(assembly: Any) -> ClusterManifest:
    """The manifest with every reference filled in by a short name of what it refers to."""
    (resource,) = assembly.resources("validation", "Custom::BedplateManifest").values()
    value = resource["Properties"]["Manifest"]
    pieces = [value] if isinstance(value, str) else value["Fn::Join"][1]
    text = "".join(piece if isinstance(piece, str) else _name(piece) for piece in pieces)
    return ClusterManifest.model_validate_json(text)


def _name(reference: dict[str, Any]) -> str:
    (value,) = reference.values()
    return str(value["OutputName"] if isinstance(value, dict) else value)


def test_it_is_valid_once_filled_in(assembly: Any) -> None:
    """The text in the template parses as the manifest's own schema and holds no unresolved token."""
    manifest = _manifest(assembly)
    assert manifest.version == 3
    assert "Token" not in manifest.model_dump_json()


def test_pools_carry_what_the_checks_expect(assembly: Any) -> None:
    """GPU and EFA counts per node are the hardware table's, and tags select the pool's own node group."""
    manifest = _manifest(assembly)
    for pool in manifest.pools:
        row = instance_type(pool.instance_type)
        assert (pool.expected_gpus_per_node, pool.expected_efas_per_node) == (row.gpus, row.efa_count)
        assert pool.selection_tags == _tags(manifest, pool)
        assert pool.partitions or manifest.orchestrator.kind == "eks"


def _tags(manifest: ClusterManifest, pool: PoolManifest) -> dict[str, str]:
    """By kind; HyperPod's instances are not the account's to be tagged, and are found by the group's name."""
    if manifest.orchestrator.kind == "slurm-hyperpod":
        assert pool.node_group_id == pool.name
        return {}
    if manifest.orchestrator.kind == "slurm-pcs":
        return {"aws:pcs:compute-node-group-id": pool.node_group_id}
    if manifest.orchestrator.kind == "eks":
        return {"eks:cluster-name": manifest.orchestrator.cluster_name, "eks:nodegroup-name": pool.name}
    return {
        "parallelcluster:cluster-name": manifest.orchestrator.cluster_name,
        "parallelcluster:compute-resource-name": pool.name,
    }


def test_pools_and_login_are_different_groups(assembly: Any) -> None:
    """No two groups share an id, so that tags never select another pool's nodes."""
    manifest = _manifest(assembly)
    ids = [pool.node_group_id for pool in manifest.pools] + [manifest.login.node_group_id]
    assert len(set(ids)) == len(ids)


def test_the_demo_reads_as_its_file(demo: Any) -> None:
    """Place, file system and validation are those of the environment file."""
    manifest = _manifest(demo)
    assert (manifest.account, manifest.region, manifest.zone_id) == ("123456789012", "us-west-2", "usw2-az2")
    (lustre,) = manifest.file_systems
    assert (lustre.kind, lustre.created, lustre.mount_path, lustre.efa) == ("lustre", True, "/fsx", True)
    assert "@tcp:/" in lustre.mount_source
    assert [each.path for each in lustre.associations] == ["/datasets", "/checkpoints"]
    assert [each.imports for each in lustre.associations] == [["new", "changed", "deleted"], []]
    assert [each.exports for each in lustre.associations] == [[], ["new", "changed", "deleted"]]
    assert lustre.throughput_mb_per_s == 9375
    assert manifest.validation.dcgm_level == 2
    assert manifest.validation.collectives == ["all_reduce", "all_gather"]


def test_the_parameter_points_to_the_manifest(demo: Any) -> None:
    """The SSM parameter has the agreed name and the location that the writer answered with."""
    (parameter,) = demo.resources("validation", "AWS::SSM::Parameter").values()
    (written,) = demo.resources("validation", "Custom::BedplateManifest")
    assert parameter["Properties"]["Name"] == "/bedplate/demo/manifest"
    assert parameter["Properties"]["Value"] == {"Fn::GetAtt": [written, "Location"]}
    output = demo.templates["validation"]["Outputs"]["ManifestLocation"]
    assert output["Value"] == {"Fn::GetAtt": [written, "Location"]}


def test_the_writer_may_write_that_object_only(demo: Any) -> None:
    """The function's role can put and delete one key and write its own log."""
    policies = demo.resources("validation", "AWS::IAM::ManagedPolicy")
    (policy,) = [each for key, each in policies.items() if key.startswith("Manifest")]
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    (write,) = [each for each in statements if each["Sid"] == "WriteManifest"]
    assert json.dumps(write["Resource"]).endswith('"/manifest/demo.json"]]}')
