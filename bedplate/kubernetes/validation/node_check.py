"""The pod that asks one node: the node program, run by the host's own Python and with the host's own tools.

It has what a command sent by SSM has on the same node, and each privilege for a reason (``PRIVILEGES``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bedplate.kubernetes.validation.names import CONTAINER, MOUNT, PRIORITY_CLASS, PROGRAM_FILE
from bedplate.kubernetes.validation.placement import tolerations

GRACE_SECONDS = 30
"""For the program to end what it started, once the pod is deleted: its tools have ten seconds each."""
OVERRAN = 124
"""Exit status of ``timeout`` (coreutils) where it ended the program."""
PRIVILEGES: Mapping[str, str] = {
    "privileged": "the device files of GPUs, EFAs and disks, and the kernel's log, are closed to other pods",
    "hostPID": "the driver tells of processes by the host's numbers, and systemctl works nowhere but where "
    "process 1 has the root that it sees itself",
    "hostNetwork": "the node's identity comes from its metadata service, which is one hop away, and chronyd "
    "answers on the host's loopback alone",
    "hostPath /": "Python, nvidia-smi, DCGM and the EFA tools are the host's: those that the node's own jobs "
    "meet, and none that our image brings",
}
"""Field → why the pod cannot do without it."""
_TOLD = "/dev/termination-log"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def script(*, root: str = "/host", program: str = f"{MOUNT}/{PROGRAM_FILE}", told: str = _TOLD) -> str:
    """The shell's text; its first argument is the deadline, the others are the node program's.

    The program is read from a descriptor, which stays open over chroot: nothing is written on the host. What
    it says on standard error goes to the pod's status, so that it cannot break into an answer in the log.
    """
    return (
        f'exec 2>{told} 3<{program}; seconds="$1"; shift; '
        f'exec chroot {root} timeout -k 15 "$seconds" /usr/bin/python3 /dev/fd/3 "$@"'
    )


def node_check_pod(
    *,
    image: str,
    program: str,
    arguments: Sequence[str],
    deadline_seconds: int,
    tolerated: Iterable[str],
    resources: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The pod's ``spec``. ``program`` names the ConfigMap; ``image`` must have a shell and ``chroot``.

    ``resources`` are asked for where the check loads them, so that no job comes beside it; a check that only
    looks asks for none and runs beside jobs.
    """
    words = ["bedplate-node", str(deadline_seconds), *arguments]
    asked = {"cpu": "100m", "memory": "256Mi", **(resources or {})}
    return {
        "priorityClassName": PRIORITY_CLASS,
        "hostPID": True,
        "hostNetwork": True,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "tolerations": tolerations(tolerated),
        "containers": [
            {
                "name": CONTAINER,
                "image": image,
                "imagePullPolicy": "IfNotPresent",
                # Kubernetes reads $(NAME) in arguments; two signs stand for one.
                "command": ["/bin/sh", "-c", script(), *[word.replace("$", "$$") for word in words]],
                "env": [{"name": "PATH", "value": _PATH}, {"name": "HOME", "value": "/root"}],
                "resources": {"requests": asked, "limits": dict(resources or {})},
                "securityContext": {"privileged": True, "runAsUser": 0},
                "terminationMessagePolicy": "File",
                "volumeMounts": [
                    {"name": "host", "mountPath": "/host"},
                    {"name": "program", "mountPath": MOUNT, "readOnly": True},
                ],
            }
        ],
        "volumes": [
            {"name": "host", "hostPath": {"path": "/", "type": "Directory"}},
            {"name": "program", "configMap": {"name": program}},
        ],
    }
