"""Models for a command, with a word about what of their files is not used."""

from typing import TYPE_CHECKING

from ambos.cli.screen import Screen

if TYPE_CHECKING:
    from ambos.predict.model import Model


def load_model(screen: Screen, name: str, device: str | None) -> "Model":
    """Load a model; say it if some of its weights belong to no part that was built."""
    import ambos  # noqa: PLC0415 (help must come without the work's imports)

    model = ambos.load(name, device)
    if model.unused:
        more = ", ..." if len(model.unused) > 1 else ""
        screen.note(f"weights that are not used: {len(model.unused):,} ({model.unused[0][:80]}{more})")
    return model
