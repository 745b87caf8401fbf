"""Linear layers for inference on CPUs: weights laid out once for oneDNN, activation and residual fused in."""

import torch
from torch import Tensor, nn

from ambos.encoder.linear import ACTIVATIONS, Linear

# Activations that oneDNN applies while the result is still in registers: (name, algorithm).
_FUSED = {"gelu": ("gelu", "none"), "gelu_tanh": ("gelu", "tanh"), "relu": ("relu", "")}
_TYPICAL_TOKENS = 512  # the layout is chosen for about this many rows; any number works


class PackedLinear(nn.Module):
    """What `Linear` computes in evaluation mode, from weights in oneDNN's own layout.

    The packed weight has no gradient, cannot be saved and stays on the CPU: this is for inference alone.
    """

    def __init__(self, linear: Linear) -> None:
        super().__init__()
        operations = torch.ops.mkldnn
        self.out_features = linear.out_features
        self._weight = operations._reorder_linear_weight(linear.weight.detach(), _TYPICAL_TOKENS)
        self._bias = None if linear.bias is None else linear.bias.detach()
        self._attribute, self._algorithm = _FUSED.get(linear.activation or "", ("none", ""))
        fused = linear.activation is None or linear.activation in _FUSED
        self._activation = None if fused else ACTIVATIONS[linear.activation or ""]
        self._linear = operations._linear_pointwise
        self._linear_add = operations._linear_pointwise.binary

    def forward(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        """Map (T, inputs) to (T, outputs); `residual` has the shape of the output."""
        if residual is not None and self._attribute == "none" and self._activation is None:
            return self._linear_add(x, residual, self._weight, self._bias, "add")
        y = self._linear(x, self._weight, self._bias, self._attribute, [], self._algorithm)
        if self._activation is not None:
            y = self._activation(y)
        return y if residual is None else y + residual


def can_pack(device: torch.device) -> bool:
    """Tell whether this build of torch packs weights for this device."""
    return (
        device.type == "cpu"
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def pack(module: nn.Module) -> None:
    """Replace every `Linear` below `module` by its packed form, in place; the plain weights are let go.

    Weights that another part uses too (a masked-LM head shares the token table) stay as they are.
    """
    shared = {id(table.weight) for table in module.modules() if isinstance(table, nn.Embedding)}
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is Linear and id(child.weight) not in shared:
                setattr(parent, name, PackedLinear(child))
