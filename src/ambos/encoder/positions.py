"""Where a token stands: a learned table, a sinusoidal table, or a rotation of queries and keys."""

import torch
from torch import Tensor, nn


class LearnedPositions(nn.Module):
    """One learned vector per position. `offset` rows at the start of the table are never used (RoBERTa)."""

    def __init__(self, context: int, width: int, *, offset: int = 0) -> None:
        super().__init__()
        self.offset = offset
        self.weight = nn.Parameter(torch.empty(context + offset, width))

    def forward(self, positions_T: Tensor) -> Tensor:
        """Return the vectors of positions, (T, width)."""
        return nn.functional.embedding(positions_T + self.offset, self.weight)


class SinusoidalPositions(nn.Module):
    """p[i, 2k] = sin(i / 10000^(2k/width)), p[i, 2k+1] = cos of it (Vaswani et al. 2017). No weights."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, positions_T: Tensor) -> Tensor:
        """Return the vectors of positions, (T, width)."""
        angles = _angles(positions_T, self.width, 10_000.0)
        even, odd = angles.sin(), angles.cos()[:, : self.width // 2]
        table = torch.empty(len(positions_T), self.width, device=positions_T.device)
        table[:, 0::2], table[:, 1::2] = even, odd
        return table


class Rotary(nn.Module):
    """Turn each pair (x_k, x_{k + d/2}) of a head by position / base^(2k/d) (Su et al. 2021). No weights."""

    def __init__(self, head_width: int, *, base: float) -> None:
        super().__init__()
        self.head_width = head_width
        self.base = base

    def turns(self, positions_T: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosines and sines of the angles of each token, (T, 1, head_width / 2) each."""
        angles = _angles(positions_T, self.head_width, self.base)[:, None]
        return angles.cos(), angles.sin()

    def forward(self, x_THD: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        """Return the vectors of heads, turned by their positions."""
        cos, sin = (part.to(x_THD.dtype) for part in turns)
        left, right = x_THD.chunk(2, dim=-1)
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)


def _angles(positions_T: Tensor, width: int, base: float) -> Tensor:
    """Position / base^(2k/width) for k = 0 .. ceil(width/2) - 1, (T, ceil(width / 2))."""
    exponents = torch.arange(0, width, 2, dtype=torch.float32, device=positions_T.device) / width
    return positions_T[:, None].float() / base**exponents
