"""The processes that train together: one alone, or as many as `torchrun` started."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

Parallel = Literal["ddp", "fsdp"]
T = TypeVar("T")


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
        from torch.distributed import fsdp  # noqa: PLC0415 (slow to import)

        mesh = dist.device_mesh.init_device_mesh("cpu", (self.size,))
        for layer in dict.fromkeys(layers):
            fsdp.fully_shard(layer, mesh=mesh)
        fsdp.fully_shard(module, mesh=mesh)  # in place
        module.act = _act  # type: ignore[assignment]
        fsdp.register_fsdp_forward_method(module, "act")
        return module

    def inside(self, module: nn.Module, act: Callable[[], T]) -> T:
        """Return what `act` gives, to whom the weights are whole, also where FSDP divides them."""
        if not hasattr(module, "act"):
            return act()
        found: T = module.act(act)  # type: ignore[operator]
        module.reshard()  # type: ignore[operator]
        return found

    @contextmanager
    def gathered(self, module: nn.Module) -> Iterator[None]:
        """Have all weights whole for the time of the block, also where FSDP divides them."""
        divided: list[Any] = [part for part in module.modules() if hasattr(part, "unshard")]
        for part in divided:
            part.unshard()
        try:
            yield
        finally:
            for part in divided:
                part.reshard()

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


def _act(act: Callable[[], T]) -> T:
    return act()


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
