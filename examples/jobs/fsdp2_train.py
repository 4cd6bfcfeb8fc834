"""A small transformer trained with FSDP2: what a training program for ``bedplate job fsdp2`` has to do.

``torchrun --nproc_per_node=2 fsdp2_train.py --checkpoints /tmp/fsdp2 --steps 50``. It needs torch 2.6 or
newer (``torch.distributed.fsdp.fully_shard``), and GPUs: FSDP2 of 2.6 does not train on processors as it is.
Take the loop, and put in your model and data; what matters is that a step's data depend on its number alone,
so that a training that went on is the same training.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import checkpoints
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from stopping import StopRequest
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard

VOCABULARY, WIDTH, LAYERS, LENGTH, BATCH = 256, 128, 4, 64, 8


class Model(nn.Module):
    """Embedding, a few transformer layers, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True)
            for _ in range(LAYERS)
        )
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits of the next token at each place."""
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
        hidden = self.embedding(tokens)
        for layer in self.layers:
            hidden = layer(hidden, src_mask=mask, is_causal=True)
        return self.head(hidden)


def main() -> None:
    """Train from the last complete checkpoint to the last step, or to the signal to stop."""
    asked = _arguments()
    device = _join()
    first = dist.get_rank() == 0
    stop = StopRequest()
    torch.manual_seed(0)
    model = Model().to(device)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    step = _resume(asked.checkpoints, model, optimizer, first)
    while step < asked.steps:
        loss = _train(model, optimizer, step, device)
        step += 1
        if first:
            print(f"step {step} loss {loss!r}", flush=True)
        stopping = _any(stop.asked, device)
        if stopping or step % asked.every == 0 or step == asked.steps:
            _save(asked.checkpoints, step, model, optimizer, first)
        if stopping:
            break
    if step == asked.steps and first:
        checkpoints.finish(asked.checkpoints)
    dist.barrier()
    dist.destroy_process_group()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder that all nodes see")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints")
    return parser.parse_args()


def _join() -> torch.device:
    """Join the group that torchrun describes; one GPU a process, or none."""
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", device_id=device)
        return device
    dist.init_process_group("gloo")
    return torch.device("cpu")


def _resume(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, first: bool) -> int:
    """Load the last complete checkpoint; the step that it was made after, 0 where there is none."""
    if first:
        checkpoints.clear(folder)
    dist.barrier()
    found = checkpoints.newest(folder)
    if found is None:
        return 0
    step, path = found
    weights, moments = get_state_dict(model, optimizer)
    state = {"model": weights, "optimizer": moments}
    dcp.load(state, checkpoint_id=path)
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    if first:
        print(f"goes on after step {step}", flush=True)
    return step


def _save(folder: Path, step: int, model: nn.Module, optimizer: torch.optim.Optimizer, first: bool) -> None:
    """All ranks write their shards; one makes them a checkpoint once all have."""
    place = [str(checkpoints.partial(folder, step)) if first else ""]
    dist.broadcast_object_list(place, src=0)
    weights, moments = get_state_dict(model, optimizer)
    dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=place[0])
    dist.barrier()
    if first:
        checkpoints.publish(folder, step)
    dist.barrier()


def _train(model: nn.Module, optimizer: torch.optim.Optimizer, step: int, device: torch.device) -> float:
    """One step on data that this rank makes up from the step's number; the mean loss of all ranks."""
    numbers = torch.Generator().manual_seed(step * dist.get_world_size() + dist.get_rank())
    start = torch.randint(VOCABULARY, (BATCH, 1), generator=numbers)
    tokens = ((start + torch.arange(LENGTH + 1)) % VOCABULARY).to(device)
    logits = model(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
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
