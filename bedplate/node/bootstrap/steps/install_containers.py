"""Enroot and Pyxis, by which ``srun --container-image`` runs a job in a container.

AWS PCS: "Configure SPANK plugins on AWS PCS" in its User Guide. ParallelCluster: "Running containerized jobs
with Pyxis" in its own. The environment of hooks is slurmd's PATH and nothing else (NVIDIA/pyxis 0.24,
``pyxis_slurmstepd.c``), and Enroot's hook for PMIx asks scontrol, which neither service has on slurmd's PATH
for sure: hence the drop-in.
"""

from __future__ import annotations

from bedplate.node.bootstrap import enroot, pyxis
from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must, must_retry
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import UNITS
from bedplate.node.bootstrap.plugstack import load_plugin
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step
from bedplate.node.bootstrap.steps import make_scratch

ON_SCRATCH = f"{make_scratch.SCRATCH}/enroot"
WITHOUT_SCRATCH = "/var/lib/enroot"
"""Where images and containers lie on a node that has no scratch volume."""
DROP_INS = (
    f"{UNITS}/slurmd.service.d/30-bedplate-path.conf",
    f"{UNITS}/slurmd-.service.d/30-bedplate-path.conf",
)
DROP_IN = """\
[Service]
Environment=PATH={slurm}/sbin:{slurm}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
"""


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.containers else "the environment runs jobs in no containers"


def _run(host: Host, settings: NodeSettings) -> str:
    told = settings.containers
    if told is None:
        return "nothing asked"
    if told.pyxis is None:
        plugin = pyxis.find(host, slurm=told.slurm)
    else:
        plugin = pyxis.build(host, told.pyxis, slurm=told.slurm)
        enroot.install(host, told.packages)
    on_scratch = not make_scratch.STEP.why_not(settings)
    version = enroot.configure(host, folder=ON_SCRATCH if on_scratch else WITHOUT_SCRATCH, gpus=settings.gpus)
    if settings.role == "compute":
        _put_slurm_on_path(host, told)
        # As Pyxis does in a slurmd that has its line from the start.
        host.path(pyxis.RUNTIME).mkdir(mode=0o755, parents=True, exist_ok=True)
    if told.plugstack and load_plugin(host, told.plugstack, plugin, image=told.pyxis is None):
        _tell_slurmctld(host, told)
    return f"Enroot {version}, {plugin}"


def _put_slurm_on_path(host: Host, told: Containers) -> None:
    text = DROP_IN.format(slurm=told.slurm)
    changed = [host.write(path, text) for path in DROP_INS]
    if any(changed):
        must(host, "systemctl", "daemon-reload")


def _tell_slurmctld(host: Host, told: Containers) -> None:
    """Where it runs on this node, so that it hands the line out to the others."""
    if host.run("systemctl", "is-active", "--quiet", "slurmctld").ok:
        scontrol = str(host.path(f"{told.slurm}/bin/scontrol"))
        must_retry(host, scontrol, "reconfigure", seconds=60, pauses=SHORT_PAUSES)


STEP = Step("install_containers", _why_not, _run, needs=("make_scratch",))
