"""File systems as volumes of pods."""

from __future__ import annotations

import kubernetes_validate
import pytest

from bedplate.kubernetes.volumes import Folder, volumes
from bedplate.spec.orchestrator.volume_name import volume_name

LUSTRE = Folder(
    kind="lustre",
    mount="/fsx",
    file_system_id="fs-0123456789abcdef0",
    dns_name="fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
    mount_name="abcdefgh",
)
OPENZFS = Folder(kind="openzfs", mount="/home", file_system_id="fs-1", dns_name="fs-1.fsx.example")
EFS = Folder(kind="efs", mount="/shared/code", file_system_id="fs-2", options=("tls", "ro"))


def test_each_namespace_has_a_volume_and_a_claim_of_each() -> None:
    """A claim is bound to its own volume, and no class makes another one for it."""
    made = volumes(folders=[LUSTRE, OPENZFS, EFS], namespaces=["vision", "speech"])
    assert [document["kind"] for document in made] == ["PersistentVolume", "PersistentVolumeClaim"] * 6
    for volume, claim in zip(made[::2], made[1::2], strict=True):
        assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
        assert volume["spec"]["claimRef"]["name"] == claim["metadata"]["name"]
        assert volume["spec"]["claimRef"]["namespace"] == claim["metadata"]["namespace"]
        assert volume["spec"]["storageClassName"] == claim["spec"]["storageClassName"] == ""
        assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert len({volume["metadata"]["name"] for volume in made[::2]}) == 6


def test_kubernetes_takes_them() -> None:
    """Every document is one of Kubernetes' own schema, to the letter."""
    made = volumes(folders=[LUSTRE, OPENZFS, EFS], namespaces=["vision"])
    for document in made:
        kubernetes_validate.validate(document, "1.35", strict=True)
    assert len(made) == 6


def test_each_kind_is_mounted_by_its_own_means() -> None:
    """Lustre and EFS through their drivers, OpenZFS by the kubelet; the user's options go before ours."""
    lustre, zfs, efs = volumes(folders=[LUSTRE, OPENZFS, EFS], namespaces=["vision"])[::2]
    assert lustre["spec"]["csi"]["volumeAttributes"] == {
        "dnsname": LUSTRE.dns_name,
        "mountname": "abcdefgh",
    }
    assert zfs["spec"]["nfs"] == {"server": "fs-1.fsx.example", "path": "/fsx"}
    assert efs["spec"]["csi"] == {"driver": "efs.csi.aws.com", "volumeHandle": "fs-2"}
    assert efs["spec"]["mountOptions"] == ["tls", "ro"]


def test_mount_points_become_names() -> None:
    """What Kubernetes does not take in a name becomes a hyphen, and two of one name are refused."""
    assert [volume_name(each) for each in ("/fsx", "/Data.v2/", "/a//b")] == ["fsx", "data-v2", "a-b"]
    with pytest.raises(ValueError, match="more than one becomes the volume a-b"):
        volumes(
            folders=[
                Folder(kind="efs", mount="/a/b", file_system_id="fs-1"),
                Folder(kind="efs", mount="/a-b", file_system_id="fs-2"),
            ],
            namespaces=["vision"],
        )
