"""Products of float32 matrices on CPUs, by the one of torch's libraries that is faster on this processor.

On x86 torch multiplies float32 matrices by MKL, which takes its code for AVX2 on AMD's processors. Where
these compute 512 bits at a time (Zen 5), oneDNN, which comes with torch as well, is more than twice as fast:
245 instead of 109 GFLOP/s on one core. Both round as float32 does; they add in another order.

oneDNN keeps code for every size that it met. So rows are filled up to a multiple of 32 with zeros, where they
are not yet: a copy of some rows, but memory that does not grow with the steps.
"""

from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

_LEAST, _NARROW = 1 << 21, 64  # multiplications of a product, and its sides: smaller ones gain nothing
ROWS = 32  # oneDNN is given a multiple of so many


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x W^T + b, (..., outputs), as `torch.nn.functional.linear` does; x is (..., inputs).

    Examples
    --------
    >>> linear(torch.ones(2, 3), torch.ones(1, 3), torch.ones(1)).tolist()
    [[4.0], [4.0]]
    """
    if not _by_onednn(x, weight):
        return F.linear(x, weight, bias)
    x_TI = x.reshape(-1, x.shape[-1])
    if torch.is_grad_enabled():
        found: Tensor = _Linear.apply(x_TI, weight, bias)
    else:
        found = _onednn(_filled(x_TI), weight, bias)[: len(x_TI)]
    return found.view(*x.shape[:-1], -1)


def product(a: Tensor, b: Tensor) -> Tensor:
    """Return a b, (n, m), of (n, k) and (k, m); what gradients go through is `linear`.

    Examples
    --------
    >>> product(torch.ones(2, 3), torch.ones(3, 1)).tolist()
    [[3.0], [3.0]]
    """
    return _onednn(_filled(a), b.T)[: len(a)] if _is_regular(a, b) else a @ b


def write_product(a: Tensor, b: Tensor, out: Tensor, *, add: bool = False) -> Tensor:
    """Write a b into `out`, which may be of another type, or add it.

    Examples
    --------
    >>> write_product(torch.ones(2, 3), torch.ones(3, 1), torch.ones(2, 1), add=True).tolist()
    [[4.0], [4.0]]
    """
    if a.dtype == out.dtype and not _is_regular(a, b):
        return out.addmm_(a, b) if add else torch.mm(a, b, out=out)
    return out.add_(product(a, b)) if add else out.copy_(product(a, b))


@cache
def onednn_is_faster() -> bool:
    """Tell whether this is a processor on which oneDNN is the faster one; its instructions say so.

    Those of AMD that compute 512 bits at a time are those that know VP2INTERSECT. A clock is not asked: it
    may say something else the next time, and the same seed would give other weights.
    """
    able = torch.cpu.get_capabilities()
    wide = able.get("avx512_f") and able.get("avx512_vp2intersect")
    return bool(
        wide
        and str(able.get("cpu_name", "")).startswith("AMD")
        and torch.backends.mkl.is_available()
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def _by_onednn(x: Tensor, weight: Tensor) -> bool:
    """Tell whether oneDNN shall multiply; `torch.backends.mkldnn.flags(enabled=False)` keeps it from it."""
    return (
        x.dtype == weight.dtype == torch.float32
        and x.device.type == weight.device.type == "cpu"
        and onednn_is_faster()
        and x.numel() * len(weight) >= _LEAST
        and min(weight.shape) >= _NARROW
        and not torch.is_autocast_enabled("cpu")
        and bool(torch.backends.mkldnn.enabled)
    )


def _is_regular(a: Tensor, b: Tensor) -> bool:
    """Tell whether oneDNN shall multiply two matrices, of which it meets few sizes."""
    return a.shape[1] % ROWS == 0 and _by_onednn(a, b.T)


def _filled(rows: Tensor) -> Tensor:
    """Return some rows with rows of zeros after them, up to a multiple of `ROWS`."""
    return F.pad(rows, (0, 0, 0, -len(rows) % ROWS)) if len(rows) % ROWS else rows


def _onednn(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return found


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x_TI: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:  # noqa: ANN401
        ctx.rows, x_TI = len(x_TI), _filled(x_TI)
        ctx.save_for_backward(x_TI, weight_OI)
        return _onednn(x_TI, weight_OI, bias_O)[: ctx.rows]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, outer_TO: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        x_TI, weight_OI = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        outer_TO = _filled(outer_TO.contiguous())
        return (
            _onednn(outer_TO, weight_OI.T)[: ctx.rows] if of_x else None,
            _onednn(outer_TO.T, x_TI.T) if of_weight else None,
            outer_TO.sum(0) if of_bias else None,
        )
