"""The processes that train together: one alone, or as many as `torchrun` started."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

import torch
import torch.distributed as dist
from torch import Tensor, nn

Parallel = Literal["ddp", "fsdp"]


@dataclass(frozen=True)
class Team:
    """One process, this one, among those that train together.

    Parameters
    ----------
    rank, size
        Its number, and how many there are.
    """

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes files and talks to the user."""
        return self.rank == 0

    def wrap(self, module: nn.Module, parallel: Parallel, layers: list[nn.Module]) -> nn.Module:
        """Return the module such that gradients are averaged over the team.

        Parameters
        ----------
        parallel
            `ddp`: every process holds the whole model. `fsdp`: each holds a share of it, and of the
            optimiser's state.
        layers
            What FSDP gathers and lets go one at a time.
        """
        if self.size == 1:
            return module
        if parallel == "ddp":
            return nn.parallel.DistributedDataParallel(module)
        from torch.distributed.fsdp import fully_shard  # noqa: PLC0415 (slow to import)

        mesh = dist.device_mesh.init_device_mesh("cpu", (self.size,))
        for layer in layers:
            fully_shard(layer, mesh=mesh)
        fully_shard(module, mesh=mesh)  # in place
        return module

    def unsynchronised(self, module: nn.Module, *, last: bool) -> Any:  # noqa: ANN401 (a context of torch's)
        """Hold back the exchange of gradients until the last part of a step."""
        if self.size > 1 and isinstance(module, nn.parallel.DistributedDataParallel) and not last:
            return module.no_sync()
        synchronise: Any = getattr(module, "set_requires_gradient_sync", None)  # of FSDP
        if self.size > 1 and synchronise is not None:
            synchronise(last)
        return nullcontext()

    def sum(self, tensor: Tensor) -> Tensor:
        """Return the sum over the team."""
        if self.size > 1:
            tensor = tensor.clone()
            dist.all_reduce(tensor)
        return tensor

    def any(self, flag: bool) -> bool:
        """Tell whether any process raises the flag."""
        return flag if self.size == 1 else bool(self.sum(torch.tensor(float(flag))))

    def same(self, value: float) -> float:
        """Return the leader's value, such as its clock."""
        if self.size == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64)
        dist.broadcast(shared, 0)
        return float(shared)

    def wait(self) -> None:
        """Wait until all have come here."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def join() -> Iterator[Team]:
    """Join the processes that `torchrun` started, if it did."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Team()
        return
    dist.init_process_group("gloo", timeout=timedelta(minutes=30))
    try:
        yield Team(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()
