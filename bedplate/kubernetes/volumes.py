"""File systems of the environment as volumes that pods mount: static ones, made by the stack and not by pods.

Sources: aws-fsx-csi-driver and aws-efs-csi-driver (``examples/kubernetes/static_provisioning`` of each);
Kubernetes API, PersistentVolumeSpec. A file system is mounted as a whole; its own capacity holds, so that the
one written here is a word that Kubernetes asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bedplate.spec.orchestrator.volume_name import volume_name

Document = Mapping[str, Any]
_CAPACITY = "1Ti"
_DRIVERS = {"lustre": "fsx.csi.aws.com", "efs": "efs.csi.aws.com"}
_NFS_OPTIONS = ("nfsvers=4.1", "nconnect=16", "rsize=1048576", "wsize=1048576", "timeo=600")
"""FSx for OpenZFS User Guide, "Mounting file systems", beside Linux's own defaults."""


@dataclass(frozen=True, kw_only=True)
class Folder:
    """One file system; strings may be CDK tokens.

    ``dns_name`` is the server's name (unused for EFS), ``mount_name`` Lustre's own, ``export`` the folder of
    an NFS server. ``options`` are the user's mount options; without any each kind has its own.
    """

    kind: Literal["lustre", "openzfs", "efs"]
    mount: str
    file_system_id: str
    dns_name: str = ""
    mount_name: str = ""
    export: str = "/fsx"
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The volume's name: that of the mount point, ``/fsx/data`` → ``fsx-data``."""
        return volume_name(self.mount)


def volumes(*, folders: Iterable[Folder], namespaces: Iterable[str]) -> list[Document]:
    """For each namespace a volume and a claim of every file system: a volume has one claim, and a claim lives
    in one namespace. Raises ``ValueError`` where two mount points come to one name.
    """
    known = list(folders)
    names = [folder.name for folder in known]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"mount points: more than one becomes the volume {', '.join(twice)}")
    return [
        document
        for namespace in namespaces
        for folder in known
        for document in (_volume(folder, namespace), _claim(folder, namespace))
    ]


def _volume(folder: Folder, namespace: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{namespace}-{folder.name}"},
        "spec": {
            "capacity": {"storage": _CAPACITY},
            "accessModes": ["ReadWriteMany"],
            "volumeMode": "Filesystem",
            "persistentVolumeReclaimPolicy": "Retain",
            # An empty class: none is made on demand, and no default class takes the claim.
            "storageClassName": "",
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": namespace,
                "name": folder.name,
            },
            **_source(folder, namespace),
        },
    }


def _claim(folder: Folder, namespace: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": folder.name, "namespace": namespace},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": f"{namespace}-{folder.name}",
            "resources": {"requests": {"storage": _CAPACITY}},
        },
    }


def _source(folder: Folder, namespace: str) -> dict[str, Any]:
    if folder.kind == "openzfs":
        # The kubelet mounts NFS by itself, so that no driver of another release is needed.
        options = folder.options or _NFS_OPTIONS
        source: dict[str, Any] = {"nfs": {"server": folder.dns_name, "path": folder.export}}
        return {"mountOptions": list(options), **source}
    csi: dict[str, Any] = {
        "driver": _DRIVERS[folder.kind],
        # One handle is one volume to the kubelet: two namespaces that share it would share its life.
        "volumeHandle": f"{folder.file_system_id}"
        if folder.kind == "efs"
        else f"{folder.file_system_id}-{namespace}",
    }
    if folder.kind == "lustre":
        csi["volumeAttributes"] = {"dnsname": folder.dns_name, "mountname": folder.mount_name}
    options = folder.options or (("flock", "noatime") if folder.kind == "lustre" else ("tls",))
    return {"mountOptions": list(options), "csi": csi}
