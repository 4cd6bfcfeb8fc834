"""What the failure strings of NCCL, its plugin and CUDA mean: one table, cause by pattern.

A host named in such a line is a reporter, not proof of guilt: in a collective every healthy peer reports too.
Sources: the issues that each entry names; aws/aws-ofi-nccl ``src`` at 1.21.1; NVIDIA/nccl-tests ``src``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """What a string tells: ``text`` is a clause, ``mend`` a sentence in the imperative; ``configuration``
    says that it is a setting of all nodes rather than one node's hardware; ``reports_another`` that the line
    only tells of the end of another rank.
    """

    text: str
    mend: str
    configuration: bool
    source: str
    reports_another: bool = False


NETWORK_NOT_FOUND = Meaning(
    "the network plugin that was asked for by name is not there, or did not come up",
    "Look on the node for aws-ofi-nccl (libnccl-net.so), libfabric and /dev/infiniband.",
    configuration=False,
    source="NVIDIA/nccl src/plugin/net.cc at 2.30; src/net.cc before 2.27",
)

NVLINK_NOT_WORKING = Meaning(
    "NVLink between nodes is there and does not work",
    "See that the IMEX domain of the job's nodes is up (IMX-001).",
    configuration=False,
    source="NVIDIA/nccl src/mnnvl.cc",
)

_TABLE = (
    (r"MNNVL \(cliqueSize \d+\) is available but not working", NVLINK_NOT_WORKING),
    (r"Failed to initialize any NET plugin|Error: network .* not found", NETWORK_NOT_FOUND),
    (
        r"security group on either this instance or the peer instance|completed with error: err: 113\b",
        Meaning(
            "packets of EFA are dropped by a security group",
            "Let the group refer to itself by id, for all traffic, inbound and outbound.",
            configuration=True,
            source="aws/aws-ofi-nccl src/platform-aws.cpp, issue 663",
        ),
    ),
    (
        r"system not yet initialized",
        Meaning(
            "the NVIDIA fabric manager does not run, or is not of the driver's version",
            "Start nvidia-fabricmanager in the driver's version (GPU-007).",
            configuration=False,
            source="NVIDIA/nccl-tests issues 338 and 264",
        ),
    ),
    (
        r"transport/nvls\.cc.*Cuda failure 1 'invalid argument'",
        Meaning(
            "the fabric manager was restarted while GPUs were in use",
            "Stop what uses the GPUs, restart nvidia-fabricmanager, then run again.",
            configuration=False,
            source="NVIDIA/nccl issues 976, 1338 and 1705",
        ),
    ),
    (
        r"No eligible providers were found|provider efa output empty list|fi_getinfo\w*(?:\(\))?:? -61",
        Meaning(
            "libfabric sees no EFA device",
            "Look at EFA-001; in a container, pass /dev/infiniband and request the EFA devices.",
            configuration=False,
            source="aws/aws-ofi-nccl issues 889 and 1020",
        ),
    ),
    (
        r"EFA provider requires at least libfabric version",
        Meaning(
            "libfabric is too old for the plugin",
            "Install the EFA installer's release that brings both (VER-001).",
            configuration=True,
            source="aws/aws-ofi-nccl src/nccl_ofi_net.cpp",
        ),
    ),
    (
        r"aws-ofi-nccl initialization failed|Unable to find a protocol that worked|Initializing plugin fail",
        Meaning(
            "the plugin aws-ofi-nccl did not come up",
            "Read the NET/OFI lines above it; without the plugin NCCL uses TCP.",
            configuration=False,
            source="aws/aws-ofi-nccl src/nccl_ofi_net.cpp",
        ),
    ),
    (
        r"Request \S+ (?:\(\S+\) |seq \d+ )?completed with error",
        Meaning(
            "a transfer over EFA failed, most often since the process at its other end had died",
            "Look for the rank that failed first; this one only reports it.",
            configuration=False,
            source="aws/aws-ofi-nccl issues 161, 346 and 24",
            reports_another=True,
        ),
    ),
    (
        r"remote process exited or there was a network error",
        Meaning(
            "another rank ended first",
            "Look for the rank that failed first; this one only reports it.",
            configuration=False,
            source="NVIDIA/nccl ncclRemoteError",
            reports_another=True,
        ),
    ),
    (
        r"Test CUDA failure.*'invalid device ordinal'|Invalid number of GPUs: ",
        Meaning(
            "fewer GPUs are there than the run was told to use",
            "Look at GPU-001, and at the GPUs that the job was given.",
            configuration=False,
            source="NVIDIA/nccl-tests src/common.cu",
        ),
    ),
    (
        r"error while loading shared libraries|(?:GLIBC|GLIBCXX|CUDART)_[\d.]+' not found",
        Meaning(
            "the program lacks a library that it was linked with",
            "Compare `ldd` of the nccl-tests binary on this node and on one that is well.",
            configuration=False,
            source="glibc elf/dl-load.c and elf/dl-version.c",
        ),
    ),
    (
        r"CUDA driver version is insufficient|forward compatibility was attempted",
        Meaning(
            "the NVIDIA driver is too old for the CUDA that the program was built with",
            "Bring the driver and CUDA of the image to versions that go together (VER-001).",
            configuration=True,
            source="NVIDIA CUDA Runtime API, cudaErrorInsufficientDriver",
        ),
    ),
    (
        r"no CUDA-capable device is detected|'(?:CUDA )?initialization error'|CUDA-capable device\(s\) is",
        Meaning(
            "CUDA does not start on the GPUs",
            "Look at GPU-001, GPU-004 and GPU-007, and at `nvidia-smi` for processes that were left behind.",
            configuration=False,
            source="NVIDIA CUDA Runtime API, cudaErrorNoDevice and cudaErrorInitializationError",
        ),
    ),
    (
        r"[Oo]ut [Oo]f [Mm]emory handler|oom[-_]kill|OUT_OF_MEMORY",
        Meaning(
            "the kernel ended a process since the host's memory was used up",
            "Look at the job's memory limit in Slurm, and at what else runs on the node.",
            configuration=False,
            source="SchedMD/slurm src/slurmd/slurmstepd",
        ),
    ),
    (
        r"'out of memory'|Reducing maxBytes to \d+ due to memory limitation",
        Meaning(
            "GPU memory is not free: another process holds it",
            "Look at `nvidia-smi` for processes that were left behind.",
            configuration=False,
            source="NVIDIA/nccl-tests src/common.cu",
        ),
    ),
    (
        r"Incompatible NCCL versions",
        Meaning(
            "the binary was built for another NCCL than it found",
            "Put the NCCL that it was built with first on LD_LIBRARY_PATH.",
            configuration=True,
            source="NVIDIA/nccl-tests src/common.cu",
        ),
    ),
    (
        r"Failed to (?:resolve|load) CUDA|Failed to find CUDA Runtime library",
        Meaning(
            "the plugin does not find the CUDA libraries",
            "Put CUDA's libraries on the loader's path (ldconfig).",
            configuration=True,
            source="aws/aws-ofi-nccl src/nccl_ofi_cuda.cpp",
        ),
    ),
    (
        r"Segmentation fault|SIGSEGV|Caught signal 11|Bus error|SIGBUS|Illegal instruction",
        Meaning(
            "a process was ended by a fault of its own (a signal)",
            "Look at the kernel log for the process, and compare NCCL, plugin and driver with those of nodes "
            "that are well.",
            configuration=False,
            source="signal(7); SchedMD/slurm src/srun",
        ),
    ),
    (
        r"MPI_A(?:bort|BORT) (?:was )?(?:invoked|called)|MPI_ERRORS_ARE_FATAL|PMIX_ERR",
        Meaning(
            "MPI ended the program",
            "Read the lines above it, and see that libpmix and MPI are of one version on all nodes.",
            configuration=False,
            source="Open MPI ompi/mpi/c/abort.c and help-mpi-errors.txt",
        ),
    ),
)
_MEANINGS = tuple((re.compile(pattern), meaning) for pattern, meaning in _TABLE)
# Nearly every line tells of nothing: one pattern says so sooner than one after another.
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _TABLE))


def meaning_of(line: str) -> Meaning | None:
    """What a line tells; the first entry that matches counts, None where none does."""
    if not _ANY.search(line):
        return None
    return next((meaning for pattern, meaning in _MEANINGS if pattern.search(line)), None)
