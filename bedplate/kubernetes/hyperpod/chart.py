"""AWS's chart of what HyperPod needs in a cluster before its nodes come, without what others bring.

The chart is in no registry. It is fetched once by the commit that is pinned here, held against the digest of
its files, and lies as a folder that ``cdk deploy`` uploads to the user's own bucket; nothing of it is in this
repository. What is switched off is left out of the folder and of the chart's list too: Helm refuses a chart
whose list names what its folder lacks, and three of them would come from registries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

REPOSITORY = "aws/sagemaker-hyperpod-cli"
COMMIT = "011ca927123e02b35a399935bbb3ab1905fe33c7"
FOLDER = "helm_chart/HyperPodHelmChart"
SHA256 = "d4bef34e665877995a82614fde96124cc148f674a775e427dd24887c527255f5"
"""Of the folder's files at that commit, see ``content_digest``."""
RELEASE, NAMESPACE = "hyperpod-dependencies", "kube-system"
"""As the chart's own guide installs it. What it makes is in ``HYPERPOD_NAMESPACE``, whose name HyperPod
expects."""
HYPERPOD_NAMESPACE = "aws-hyperpod"
_LIST = "Chart.yaml"
_PACKED_TWICE = "charts/health-monitoring-agent-0.1.0.tgz"
"""An older agent beside the folder of the same name and version: Helm would be given two."""


@dataclass(frozen=True, kw_only=True)
class SubChart:
    """A chart in the chart. ``folder`` is its name in ``charts``, empty for one that a registry has;
    ``switch`` the path of the value that turns it on.
    """

    name: str
    folder: str
    switch: tuple[str, ...]
    on: bool
    why: str


def _sub(name: str, *switch: str, on: bool, why: str, folder: str | None = None) -> SubChart:
    return SubChart(
        name=name,
        folder=name if folder is None else folder,
        switch=switch or (name, "enabled"),
        on=on,
        why=why,
    )


MPI_OPERATOR = "mpi-operator"
SUB_CHARTS: tuple[SubChart, ...] = (
    _sub("health-monitoring-agent", on=True, why="finds the faults that HyperPod mends nodes for"),
    _sub("deep-health-check", on=True, why="what HyperPod's tests of new nodes run by"),
    _sub("job-auto-restart", on=True, why="what HyperPod restarts jobs by after it mended a node"),
    _sub("hyperpod-patching", on=True, why="what HyperPod drains nodes by for a new image"),
    _sub(
        "nvidia-device-plugin",
        "nvidia-device-plugin",
        "devicePlugin",
        "enabled",
        on=False,
        folder="",
        why="`gpu_software` brings one; two would offer the same GPUs",
    ),
    _sub(
        "aws-efa-k8s-device-plugin",
        "aws-efa-k8s-device-plugin",
        "devicePlugin",
        "enabled",
        on=False,
        folder="",
        why="`efa_software` brings one",
    ),
    _sub(
        "neuron-device-plugin",
        "neuron-device-plugin",
        "devicePlugin",
        "enabled",
        on=False,
        why="there are no Neuron devices in our pools",
    ),
    _sub("gpu-operator", on=False, why="`gpu_software` decides; a second DCGM has good nodes killed"),
    _sub(MPI_OPERATOR, on=False, why="`jobs` brings one; two would answer to the same MPIJob"),
    _sub(
        "training-operators",
        "trainingOperators",
        "enabled",
        on=False,
        why="Kubeflow's first training operator; `jobs` has its Trainer instead",
    ),
    _sub("cert-manager", on=False, folder="", why="EKS has it as an add-on"),
    _sub("mlflow", on=False, why="not asked for"),
    _sub("storage", on=False, why="file systems are mounted by their CSI drivers"),
    _sub("cluster-role-and-bindings", on=False, why="`teams` and `administrators` say who may do what"),
    _sub("namespaced-role-and-bindings", on=False, why="`teams` says who may do what"),
    _sub("team-role-and-bindings", on=False, why="`teams` says who may do what"),
    _sub(
        "hyperpod-inference-operator",
        "inferenceOperators",
        "enabled",
        on=False,
        folder="inference-operator",
        why="not asked for",
    ),
)
"""Every one that the chart lists at the pinned commit, each switched by name: its defaults may change."""


def chart_values(*, region: str, mpi_operator: bool = False) -> dict[str, Any]:
    """The chart's values. ``mpi_operator`` takes the chart's own, for a cluster that has no other.

    The agent's image is one of ``region``'s: left alone, the chart guesses, or takes us-west-2.
    """
    values: dict[str, Any] = {"global": {"region": region}}
    for each in SUB_CHARTS:
        inner = values
        for key in each.switch[:-1]:
            inner = inner.setdefault(key, {})
        inner[each.switch[-1]] = _is_on(each, mpi_operator=mpi_operator)
    return values


def chart_files(fetched: Mapping[str, bytes], *, mpi_operator: bool = False) -> dict[str, bytes]:
    """The files to install, from those of ``FOLDER``, by their path in it.

    ``ValueError`` where they are not those of the pinned commit.
    """
    found = content_digest(fetched)
    if found != SHA256:
        raise ValueError(
            f"{REPOSITORY}/{FOLDER}: SHA-256 {found} of {len(fetched)} files is not {SHA256}, which commit "
            f"{COMMIT} has; fetch it anew, whole and unchanged"
        )
    off = [each for each in SUB_CHARTS if not _is_on(each, mpi_operator=mpi_operator)]
    left_out = tuple(f"charts/{each.folder}/" for each in off if each.folder)
    files = {
        path: content
        for path, content in fetched.items()
        if path != _PACKED_TWICE and not path.startswith(left_out)
    }
    listed = yaml.safe_load(files[_LIST])
    names = {each.name for each in off}
    listed["dependencies"] = [each for each in listed["dependencies"] if each["name"] not in names]
    files[_LIST] = yaml.safe_dump(listed, sort_keys=False).encode()
    return files


def content_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over each file's path and SHA-256: the same however the files came."""
    lines = (f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _is_on(each: SubChart, *, mpi_operator: bool) -> bool:
    return each.on or (mpi_operator and each.name == MPI_OPERATOR)
