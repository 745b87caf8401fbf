"""Models for a command, with a word about what is not used of their files; tokenizers, their own too."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ambos.cli.screen import Screen

if TYPE_CHECKING:
    from ambos.predict.model import Model
    from ambos.text.tokenizer import Tokenizer


def load_model(screen: Screen, name: str, device: str | None) -> "Model":
    """Load a model; say it if some of its weights belong to no part that was built."""
    import ambos  # noqa: PLC0415 (help must come without the work's imports)

    model = ambos.load(name, device)
    if model.unused:
        more = ", ..." if len(model.unused) > 1 else ""
        screen.note(f"weights that are not used: {len(model.unused):,} ({model.unused[0][:80]}{more})")
    return model


def load_tokenizer(name: str) -> "Tokenizer":
    """Load a tokenizer from its folder or file, or that of a model, by whatever a model may be called."""
    from ambos.bundle.resolve import resolve  # noqa: PLC0415
    from ambos.text.tokenizer import Tokenizer  # noqa: PLC0415
    from ambos.text.tokenizer_files import has_tokenizer  # noqa: PLC0415

    own = os.path.isfile(name) or (os.path.isdir(name) and has_tokenizer(Path(name)))  # noqa: PTH112, PTH113
    return Tokenizer.load(name if own else resolve(name, what="tokenizer or model"))
