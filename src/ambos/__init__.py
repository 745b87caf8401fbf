"""ambos: bidirectional transformer encoders, from raw text to a trained and measured model."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ambos.predict.model import Model

__version__ = "0.1.0"
__all__ = ["load"]


def load(name: str | Path, device: str | None = None) -> "Model":
    """Load a model: one object that knows its task.

    Parameters
    ----------
    name
        A folder, `minilm` (if installed), or a hub id such as `owner/model`.
    device
        cpu, cuda, mps, or None for the best there is.

    Examples
    --------
    >>> model = ambos.load("minilm")  # doctest: +SKIP
    >>> model.embed("Uma frase.").shape  # doctest: +SKIP
    (384,)
    """
    from ambos.predict.model import load as load_model  # noqa: PLC0415 (importing ambos must not import torch)

    return load_model(name, device)
