"""Bus bandwidths that were published for these instance types: the only ground that floors stand on.

Figures are out of place or the lower of both placements, in 1e9 bytes a second. Where two runs of one kind
were published the lower is here, and figures never fall as messages grow. Runs whose message size is not
given are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024**2
GIB = 1024**3

NVLINK = "nvlink"
"""All ranks are in one NVLink domain, and NCCL uses it."""
EFA = "efa"
"""Ranks are in several NVLink domains (or NVLink between instances is off), and EFA carries the rest."""


@dataclass(frozen=True)
class Published:
    """One published run: ``gb_per_s`` of bus bandwidth at ``size_bytes`` over ``nodes`` whole instances.

    ``derivation`` is empty if the run was on this instance type, else why it holds for it all the same.
    """

    instance_type: str
    collective: str
    nodes: int
    size_bytes: int
    gb_per_s: float
    path: str
    source: str
    derivation: str = ""


_AWSOME = "awslabs/awsome-distributed-ai: micro-benchmarks/nccl-tests"
_P5_BATCH = f"{_AWSOME}/aws-batch/README.md (labelled multi-node, but busbw/algbw is 1.75: 8 ranks)"
_P5_PAIR = f"{_AWSOME}/README.md"
_P5EN_16 = f"{_AWSOME}/slurm/topology-aware-nccl-tests/README.md"
_NVCRE = "NVIDIA/cluster-readiness-engine: docs/api-reference/validation-results.md"
_STAS_H200 = (
    "stas00/ml-engineering: network/benchmarks/results/all-reduce-8xH200.md (torch, NCCL 2.27.7 with NVLS)"
)
_SAME_BOARD = (
    "measured on an 8 × H200 board elsewhere; inside a node nothing but GPUs and NVSwitches takes part"
)
_SAME_EFA = (
    "measured on p5.48xlarge, whose EFAs have the same rate a node; this collective is bound by them, and "
    "NVLink is no slower here"
)
_COREWEAVE = "coreweave/nccl-tests: README.md (72 GPUs of one NVL72 rack)"
_SAME_RACK = "measured on an NVL72 rack elsewhere; inside it nothing but GPUs and NVLink switches takes part"
_STAS = "stas00/ml-engineering: network/README.md"
_PCS_P6 = "awslabs/awsome-distributed-ai: results of the PCS validation"

_P5_X1 = ((128 * MIB, 396.0), (1 * GIB, 441.8), (16 * GIB, 483.05))
_P5_X2 = (
    (128 * MIB, 289.0),
    (256 * MIB, 343.0),
    (512 * MIB, 393.0),
    (1 * GIB, 437.0),
    (2 * GIB, 444.0),
    (4 * GIB, 466.0),
    (8 * GIB, 479.0),
    (16 * GIB, 487.0),
)
_H200_X1 = (
    (128 * MIB, 401.93),
    (256 * MIB, 436.15),
    (512 * MIB, 450.29),
    (1 * GIB, 463.58),
    (2 * GIB, 469.17),
    (4 * GIB, 473.10),
    (8 * GIB, 477.45),
    (16 * GIB, 482.26),
)
_B200_X4 = (
    (128 * MIB, 198.0),
    (256 * MIB, 229.0),
    (512 * MIB, 327.0),
    (1 * GIB, 362.0),
    (2 * GIB, 372.0),
    (4 * GIB, 377.0),
)
# That run's last size is 8 GiB, and 4 GiB came out a little faster: the lower of both stands for both.
_GB200_X18 = ((512 * MIB, 576.74), (1 * GIB, 681.17), (2 * GIB, 757.78), (4 * GIB, 834.57))


def _all_reduce(
    instance_type: str,
    nodes: int,
    path: str,
    source: str,
    rows: tuple[tuple[int, float], ...],
    derivation: str = "",
) -> tuple[Published, ...]:
    return tuple(
        Published(instance_type, "all_reduce", nodes, size_bytes, gb_per_s, path, source, derivation)
        for size_bytes, gb_per_s in rows
    )


def _nic_bound_like_p5(*instance_types: str) -> tuple[Published, ...]:
    """The pair of p5 for types whose nodes have as much EFA: they are bound by EFA in these collectives."""
    return tuple(
        Published(name, collective, 2, 16 * GIB, gb_per_s, EFA, _NVCRE, _SAME_EFA)
        for name in instance_types
        for collective, gb_per_s in (("all_gather", 338.6), ("alltoall", 79.1))
    )


PUBLISHED: tuple[Published, ...] = (
    *_all_reduce("p5.48xlarge", 1, NVLINK, _P5_BATCH, _P5_X1),
    *_all_reduce("p5.48xlarge", 2, EFA, _P5_PAIR, _P5_X2),
    Published("p5.48xlarge", "all_gather", 2, 16 * GIB, 338.6, EFA, _NVCRE),
    Published("p5.48xlarge", "alltoall", 2, 16 * GIB, 79.1, EFA, _NVCRE),
    *_nic_bound_like_p5("p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"),
    *_all_reduce("p5e.48xlarge", 1, NVLINK, _STAS_H200, _H200_X1, _SAME_BOARD),
    *_all_reduce("p5en.48xlarge", 1, NVLINK, _STAS_H200, _H200_X1, _SAME_BOARD),
    *_all_reduce("p5en.48xlarge", 16, EFA, _P5EN_16, ((16 * GIB, 369.4),)),
    *_all_reduce("p6-b200.48xlarge", 1, NVLINK, f"{_STAS} (torch, NCCL 2.27.7, NVLS)", ((16 * GIB, 845.7),)),
    *_all_reduce("p6-b200.48xlarge", 4, EFA, _STAS, _B200_X4),
    # That source gives 380 at 8 GiB and 382 at 16; another run of 4 nodes gave 377, so those two are out.
    *_all_reduce("p6-b200.48xlarge", 4, EFA, _PCS_P6, ((16 * GIB, 377.0),)),
    *_all_reduce("p6-b300.48xlarge", 2, EFA, _PCS_P6, ((16 * GIB, 654.0), (64 * GIB, 751.0))),
    Published("p6e-gb200.36xlarge", "all_reduce", 4, 16 * GIB, 882.5, NVLINK, _NVCRE),
    *_all_reduce("p6e-gb200.36xlarge", 18, NVLINK, _COREWEAVE, _GB200_X18, _SAME_RACK),
    Published("p6e-gb200.36xlarge", "all_gather", 4, 16 * GIB, 609.3, NVLINK, _NVCRE),
    Published("p6e-gb200.36xlarge", "alltoall", 4, 16 * GIB, 568.7, NVLINK, _NVCRE),
    Published("p6e-gb200.36xlarge", "all_reduce", 4, 16 * GIB, 191.4, EFA, _NVCRE),
    Published("p6e-gb200.36xlarge", "all_gather", 4, 16 * GIB, 191.3, EFA, _NVCRE),
    Published("p6e-gb200.36xlarge", "alltoall", 4, 16 * GIB, 58.2, EFA, _NVCRE),
)
