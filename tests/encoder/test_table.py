"""Look-ups give the rows and the gradients of torch's embedding, in place or not."""

import torch
import torch.nn.functional as F
from torch import nn

from ambos.encoder.table import allow_in_place, look_up


def gradients(in_place: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Two backward passes through a table that is also the weight of an output layer, as in a tied model."""
    module = nn.Sequential(nn.Embedding(7, 3, _weight=torch.arange(21.0).view(7, 3) / 10))
    table = module[0].weight
    if in_place:
        allow_in_place(module)
    for ids in ([1, 5, 1], [0, 1, 6]):
        x = look_up(table, torch.tensor(ids))
        (F.linear(x.tanh(), table) ** 2).sum().backward()
    return x.detach(), table.grad


def test_in_place_or_not_rows_and_gradients_are_the_same() -> None:
    (rows, plain), (same, added) = gradients(in_place=False), gradients(in_place=True)
    assert rows.equal(torch.arange(21.0).view(7, 3)[[0, 1, 6]] / 10)
    assert rows.equal(same)
    assert plain.abs().min() > 0
    assert torch.allclose(plain, added, rtol=1e-6)


def test_nothing_is_added_without_gradients() -> None:
    module = nn.Sequential(nn.Embedding(4, 2))
    allow_in_place(module)
    with torch.no_grad():
        look_up(module[0].weight, torch.tensor([1]))
    assert module[0].weight.grad is None
    module[0].weight.requires_grad_(False)
    assert not look_up(module[0].weight, torch.tensor([1])).requires_grad
