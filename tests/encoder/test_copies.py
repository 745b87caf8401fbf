"""Copies that share weights: the same numbers, gradients of their own, which add up to the right ones."""

import threading

import pytest
import torch
from torch import nn

from ambos.encoder.copies import add_gradients, share_again, sharing_copy
from ambos.encoder.dropout import drawn_from, dropout
from ambos.encoder.table import allow_in_place, look_up


class Tied(nn.Module):
    """A table that is also the weight of the output, as in a masked-LM head, and a layer that is frozen."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(7, 3, _weight=torch.arange(21.0).view(7, 3) / 10)
        self.inner = nn.Linear(3, 3)
        self.frozen = nn.Linear(3, 3).requires_grad_(False)
        self.out = nn.Linear(3, 7, bias=False)
        self.out.weight = self.table.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return (self.out(self.frozen(self.inner(look_up(self.table.weight, ids)).tanh())) ** 2).sum()


@pytest.mark.parametrize("in_place", [False, True])
def test_gradients_of_a_copy_add_up_with_those_of_the_module(in_place: bool) -> None:
    torch.manual_seed(0)
    plain, module = Tied(), Tied()
    module.load_state_dict(plain.state_dict())
    if in_place:
        allow_in_place(module)
    first, second = torch.tensor([1, 5, 1]), torch.tensor([0, 1, 6, 2])
    (plain(first) + plain(second)).backward()
    other = sharing_copy(module)
    assert other.out.weight is other.table.weight
    assert not other.frozen.weight.requires_grad
    for _ in range(2):  # nothing is left over for the next step
        module.zero_grad()
        module(first).backward()
        alone = {
            name: weight.grad.clone() for name, weight in module.named_parameters() if weight.grad is not None
        }
        other(second).backward()
        for name, weight in module.named_parameters():
            assert weight.grad is None or weight.grad.equal(alone[name])  # the copy's are not the module's
        add_gradients(module, other)
        for name, weight in plain.named_parameters():
            found = dict(module.named_parameters())[name].grad
            if weight.grad is None:
                assert found is None
            else:
                torch.testing.assert_close(found, weight.grad)


def test_a_copy_sees_every_change_of_the_weights() -> None:
    module = Tied()
    other, ids = sharing_copy(module), torch.tensor([3, 4])
    with torch.no_grad():
        module.inner.weight += 1  # in place, as optimisers do
    assert other(ids).equal(module(ids))
    module.inner.weight.data = module.inner.weight.data * 2  # other memory
    assert not other(ids).equal(module(ids))
    share_again(module, other)
    assert other(ids).equal(module(ids))


def test_what_a_thread_drops_depends_on_its_seed_alone() -> None:
    def drops(seed: int) -> list[torch.Tensor]:
        with drawn_from(seed):
            return [dropout(torch.ones(500), 0.5) for _ in range(20)]

    expected = {seed: drops(seed) for seed in range(4)}
    found: dict[int, list[torch.Tensor]] = {}
    threads = [threading.Thread(target=lambda s=seed: found.update({s: drops(s)})) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, masks in expected.items():
        assert all(one.equal(other) for one, other in zip(found[seed], masks, strict=True))
    assert not expected[0][0].equal(expected[1][0])
    torch.manual_seed(3)  # outside, torch's own generator decides
    first = dropout(torch.ones(500), 0.5)
    torch.manual_seed(3)
    assert dropout(torch.ones(500), 0.5).equal(first)
