"""The same seed gives the same output, another seed other noise."""

from __future__ import annotations

from .conftest import LOGIN, MakeFleet, node_id

JOB = (
    "NCCL_DEBUG=INFO srun --nodelist=gpu-1,gpu-2 --nodes=2 --ntasks-per-node=8 --gpus-per-node=8 --label "
    "all_reduce_perf -b 1M -e 16G -f 2 -g 1 -c 1"
)


def test_output_is_a_function_of_the_seed(make_fleet: MakeFleet) -> None:
    """Two fleets of one seed print the same job, and a fleet of another seed prints other times."""
    outputs = [make_fleet(nodes=2, seed=seed).run_shell(LOGIN, JOB, 30).stdout for seed in ("1", "1", "2")]
    assert outputs[0] == outputs[1]
    assert outputs[0] != outputs[2]
    assert outputs[0].count("\n") == outputs[2].count("\n")


def test_a_node_keeps_its_serials_and_others_have_their_own(make_fleet: MakeFleet) -> None:
    """UUIDs and serials depend on the instance alone."""
    fleet = make_fleet(nodes=2)
    query = "nvidia-smi --query-gpu=uuid,serial --format=csv,noheader"
    first, again, other = (
        fleet.run_shell(node_id(index), query, 10).stdout.splitlines() for index in (0, 0, 1)
    )
    assert first == again
    assert len({*first, *other}) == 16
