"""What a GPU cluster needs of Slurm and a service keeps, or we leave alone: who sets it, and what follows.

Words for docs/slurm-settings.md. What no source states is called unverified, and nothing is set on a guess: a
name that PCS does not take fails the deploy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_PCS, _PARALLELCLUSTER, _HYPERPOD = "slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod"
_COOKBOOK = "aws/aws-parallelcluster-cookbook, cookbooks/aws-parallelcluster-slurm/templates/default/slurm"
OURS = "Ours"
"""How the words begin where the parameter is ours under that orchestrator."""


@dataclass(frozen=True, kw_only=True)
class LeftSetting:
    """``parameters`` are names in slurm.conf; ``words`` says for each orchestrator who sets them to what."""

    subject: str
    parameters: tuple[str, ...]
    words: Mapping[str, str]
    follows: str
    source: str


LEFT_SETTINGS = (
    LeftSetting(
        subject="Which resources a job gets",
        parameters=("SelectType", "SelectTypeParameters"),
        words={
            _PCS: "PCS sets SelectType; that it is select/cons_tres is unverified. SelectTypeParameters may "
            "be set, and is left as PCS has it.",
            _PARALLELCLUSTER: "It sets select/cons_tres. Bedplate switches `EnableMemoryBasedScheduling` on, "
            "by which memory is a resource.",
            _HYPERPOD: "Its agent sets SelectType; to what is unverified.",
        },
        follows="Only select/cons_tres takes options such as `--gpus-per-node`. The jobs that Bedplate "
        "prints ask for whole nodes with all GPUs and all memory, and do not depend on SelectTypeParameters.",
        source=f"slurm.conf(5); {_COOKBOOK}/slurm.conf.erb",
    ),
    LeftSetting(
        subject="GPUs as a resource",
        parameters=("GresTypes",),
        words={
            _PCS: "PCS sets GresTypes and finds a node's GPUs itself.",
            _PARALLELCLUSTER: "It writes GresTypes, each node's `Gres` and gres.conf by the instance type.",
            _HYPERPOD: "Its agent writes GresTypes and `Gres`.",
        },
        follows="The environment file takes neither (ORC-012): a count that is not that of the node drains "
        'it with "gres count reported lower than configured". Bedplate\'s checks hold the GPUs that answer '
        "against its hardware table (GPU-001).",
        source='PCS User Guide, "Release notes for Slurm versions in AWS PCS" and "Custom Slurm settings"; '
        f"{_COOKBOOK}; SageMaker Developer Guide",
    ),
    LeftSetting(
        subject="Holding a job to its share of a node",
        parameters=("TaskPlugin", "ProctrackType", "JobAcctGatherType"),
        words={
            _PCS: "PCS's own. Its API has `cgroupCustomSettings` for cgroup.conf since 2026-03-24; which "
            "names it takes is unverified, so that none is given.",
            _PARALLELCLUSTER: "It sets task/affinity,task/cgroup and proctrack/cgroup, and in cgroup.conf "
            "ConstrainCores alone: a job can open another job's GPUs.",
            _HYPERPOD: "It sets task/none, without which its auto-resume refuses to work; a job is held to "
            "nothing.",
        },
        follows="Two jobs on one node are kept apart by CUDA_VISIBLE_DEVICES alone, except where PCS does "
        "more. The jobs that Bedplate prints have their nodes to themselves.",
        source="AWS API changes of 2026-03-24, pcs; "
        f"{_COOKBOOK}/cgroup.conf.erb; SageMaker Developer Guide, "
        '"What particular configurations HyperPod manages in Slurm configuration files"; '
        "awslabs/awsome-distributed-ai PR 584 (the agent's message)",
    ),
    LeftSetting(
        subject="How soon the job of a lost node starts again",
        parameters=("AuthInfo",),
        words={
            _PCS: "PCS keeps it; its `cred_expire` is unverified.",
            _PARALLELCLUSTER: "It sets `cred_expire=70`, which is left.",
            _HYPERPOD: "Its agent writes it; its `cred_expire` is unverified.",
        },
        follows="A job that was queued again waits until its old credential has expired. On Slurm 22.05 it "
        "started after 124 s with Slurm's default of 120, and after 29 s with 20; the tests ask for a minute "
        "at most with 20. Bedplate promises no figure for the services, and asks for no shorter time: a "
        "credential has to last for as long as the prolog takes, which may be half a minute, and a minute on "
        "UltraServers.",
        source=f"slurm.conf(5); {_COOKBOOK}/slurm.conf.erb; tests/slurm/real/test_scheduling.py",
    ),
    LeftSetting(
        subject="A /tmp of the job's own",
        parameters=("JobContainerType",),
        words={
            _PCS: "PCS keeps it.",
            _PARALLELCLUSTER: "Free, and not set.",
            _HYPERPOD: "Free, and not set: it needs PrologFlags=Contain, which is left alone there.",
        },
        follows="job_container/tmpfs wants a job_container.conf beside slurm.conf, which Bedplate does not "
        "write. So jobs share a node's /tmp and its scratch on NVMe, and nothing is taken away after a job.",
        source='Slurm, "job_container/tmpfs" and job_container.conf(5)',
    ),
    LeftSetting(
        subject="IMEX on UltraServers",
        parameters=("SwitchType",),
        words={
            _PCS: "PCS keeps SwitchType. Its guide has one write a prolog that gives IMEX the addresses of "
            "the job's nodes; Bedplate's prolog does so, for jobs that have their nodes alone "
            "(docs/node.md).",
            _PARALLELCLUSTER: "It sets switch/none. Its guide has one install a prolog like that on PCS, "
            "which it does not ship. Bedplate's prolog leaves IMEX alone there: its configuration lies in a "
            "folder that all nodes share.",
            _HYPERPOD: "AWS documents no way (none was found). A reference architecture of AWS names "
            "Slurm's switch/nvidia_imex plugin; it was not run.",
        },
        follows="Under ParallelCluster and HyperPod **Bedplate does not set up IMEX**: NVLink between the "
        "nodes of an UltraServer needs an image, or a prolog of your own, that does. Validation asks for "
        "the domain and for NVLink between its nodes (IMX-001, NCL-004), and is no pass where they are not "
        "there.",
        source='PCS User Guide, "Configure UltraServer instances"; ParallelCluster User Guide, "Support '
        'NVIDIA-Imex with p6e-gb200 instance"; aws/aws-parallelcluster PR 7019; '
        "aws/aws-parallelcluster-cookbook PR 3017, 3024 and 3028; awslabs/awsome-distributed-ai "
        "(p6e-gb200-ultraserver, README)",
    ),
    LeftSetting(
        subject="Where nodes stand",
        parameters=("TopologyPlugin", "TopologyParam"),
        words={
            _PCS: "PCS knows a tree where a queue asks for it, and blocks of UltraServers by itself. By "
            "which setting a queue asks is unverified, so that none does.",
            _PARALLELCLUSTER: f"{OURS}: a tree from EC2's instance topology. Blocks of UltraServers are "
            "ParallelCluster's.",
            _HYPERPOD: "HyperPod's own since 2026-04; a topology of one's own has stopped slurmctld there.",
        },
        follows="On PCS jobs are placed without regard to switches until the queue's setting is given by "
        "hand. Its guide warns that nodes of groups that are older than 2026-11-01 may be placed wrongly.",
        source='PCS User Guide, "Network topology-aware scheduling in AWS PCS"; '
        "aws/aws-parallelcluster-cookbook PR 3002 and 3008; aws-samples/sample-physical-ai-scaffolding-kit "
        "issues 14 and 23",
    ),
    LeftSetting(
        subject="Limits of time that fit GPUs",
        parameters=("KillWait", "SlurmdTimeout", "ResumeTimeout"),
        words={
            _PCS: "PCS keeps all three; its values are unverified.",
            _PARALLELCLUSTER: f"{OURS}, but for ResumeTimeout, which ParallelCluster sets from its own limit "
            "of a node's boot.",
            _HYPERPOD: f"{OURS}, but for ResumeTimeout: nodes are not launched by Slurm there.",
        },
        follows="On PCS a rank has as long to let go of its GPUs as PCS gives it. UnkillableStepTimeout is "
        "ours everywhere, so that the node is not taken out meanwhile.",
        source='PCS User Guide, "Custom Slurm settings"; slurm_settings_validator.py of aws-parallelcluster',
    ),
    LeftSetting(
        subject="Ranks that fail, and their limits of memory",
        parameters=("KillOnBadExit", "PropagateResourceLimitsExcept"),
        words={
            _PCS: "PCS keeps both.",
            _PARALLELCLUSTER: f"{OURS}.",
            _HYPERPOD: f"{OURS}.",
        },
        follows="On PCS a job of one's own says `srun --kill-on-bad-exit=1`, as those that Bedplate prints "
        "do. Locked memory is unlimited on login nodes as on all others, so that what is propagated does no "
        "harm.",
        source='PCS User Guide, "Custom Slurm settings"',
    ),
    LeftSetting(
        subject="Hooks and interactive steps",
        parameters=("Prolog", "Epilog", "LaunchParameters"),
        words={
            _PCS: f"{OURS}.",
            _PARALLELCLUSTER: "It keeps them. Its Prolog and Epilog run each script of a folder, where ours "
            "are put.",
            _HYPERPOD: f"{OURS}.",
        },
        follows="On ParallelCluster `salloc` leads to a shell on the node it is typed on.",
        source="slurm_settings_validator.py of aws-parallelcluster 3.16.1",
    ),
    LeftSetting(
        subject="When the prolog runs",
        parameters=("PrologFlags",),
        words={
            _PCS: f"{OURS}.",
            _PARALLELCLUSTER: f"{OURS}.",
            _HYPERPOD: "Left alone: its auto-resume calls `Alloc` unsupported.",
        },
        follows="On HyperPod the prolog runs on a node at the first step there, and what a user starts by "
        "ssh does not belong to the job.",
        source="awslabs/awsome-distributed-ai PR 584; slurm.conf(5)",
    ),
    LeftSetting(
        subject="Priorities",
        parameters=("PriorityType",),
        words={
            _PCS: "PCS keeps it. It takes the weights, which only priority/multifactor has.",
            _PARALLELCLUSTER: f"{OURS}.",
            _HYPERPOD: f"{OURS}.",
        },
        follows="Nothing differs where PCS uses priority/multifactor, Slurm's default; that it does is "
        "unverified.",
        source='PCS User Guide, "Custom Slurm settings"; Slurm, "Multifactor Priority Plugin"',
    ),
)
