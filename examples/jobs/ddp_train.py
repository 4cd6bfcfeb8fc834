"""A small regression trained with DDP: the same contract for a model that one GPU holds, or none.

``torchrun --nproc_per_node=2 ddp_train.py --checkpoints /tmp/ddp --steps 50``. It runs with torch 1.13 and
newer, on gloo without a GPU; Bedplate's tests run it so under a real Slurm.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import checkpoints
import torch
import torch.distributed as dist
from stopping import StopRequest
from torch import nn
from torch.nn.parallel import DistributedDataParallel

INPUTS, HIDDEN, BATCH = 16, 32, 32
STATE = "state.pt"


def main() -> None:
    """Train from the last complete checkpoint to the last step, or to the signal to stop."""
    asked = _arguments()
    device = _join()
    first = dist.get_rank() == 0
    stop = StopRequest()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    step = _resume(asked.checkpoints, model, optimizer, device, first)
    parallel = DistributedDataParallel(model)
    while step < asked.steps:
        loss = _train(parallel, optimizer, step, device)
        step += 1
        if first:
            print(f"step {step} loss {loss!r}", flush=True)
        stopping = _any(stop.asked, device)
        if stopping or step % asked.every == 0 or step == asked.steps:
            _save(asked.checkpoints, step, model, optimizer, first)
        if stopping:
            break
        time.sleep(asked.pause_seconds)
    if step == asked.steps and first:
        checkpoints.finish(asked.checkpoints)
    dist.barrier()
    dist.destroy_process_group()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder that all nodes see")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--pause-seconds", type=float, default=0.0, help="after each step, to watch it")
    return parser.parse_args()


def _join() -> torch.device:
    """Join the group that torchrun describes; one GPU a process, or none."""
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl")
        return device
    dist.init_process_group("gloo")
    return torch.device("cpu")


def _resume(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, device: torch.device, first: bool
) -> int:
    """Load the last complete checkpoint; the step that it was made after, 0 where there is none."""
    if first:
        checkpoints.clear(folder)
    dist.barrier()
    found = checkpoints.newest(folder)
    if found is None:
        return 0
    step, path = found
    state = torch.load(path / STATE, map_location=device)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    if first:
        print(f"goes on after step {step}", flush=True)
    return step


def _save(folder: Path, step: int, model: nn.Module, optimizer: torch.optim.Optimizer, first: bool) -> None:
    """Every rank has the same state, so one writes it, and the others wait."""
    if first:
        place = checkpoints.partial(folder, step)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, place / STATE)
        checkpoints.publish(folder, step)
    dist.barrier()


def _train(model: nn.Module, optimizer: torch.optim.Optimizer, step: int, device: torch.device) -> float:
    """One step on data that this rank makes up from the step's number; the mean loss of all ranks."""
    numbers = torch.Generator().manual_seed(step * dist.get_world_size() + dist.get_rank())
    inputs = torch.randn(BATCH, INPUTS, generator=numbers).to(device)
    wanted = inputs[:, :1].sin()
    loss = nn.functional.mse_loss(model(inputs), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mean = loss.detach() / dist.get_world_size()
    dist.all_reduce(mean)
    return float(mean)


def _any(flag: bool, device: torch.device) -> bool:
    """Whether a rank has it: all stop after the same step, or a collective would wait for ever."""
    told = torch.tensor(float(flag), device=device)
    dist.all_reduce(told, op=dist.ReduceOp.MAX)
    return bool(told.item())


if __name__ == "__main__":
    main()
