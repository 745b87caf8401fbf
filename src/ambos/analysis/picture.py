"""What all pictures share: colours, fonts, and a figure as SVG that refers to nothing outside."""

import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which people with any colour vision tell apart, and greys for all that is no data.
BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#d55e00", "#008060", "#a8588a", "#56b4e9"
INK, GREY, GRID = "#1f2933", "#5f6b76", "#e4e7eb"
WIDTH = 8.4  # inches: what fills a page
_STYLE = {
    "svg.hashsalt": "ambos",  # ids inside the file are then the same every time
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",  # comes with matplotlib, so everyone's layout is the same
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
}
# The reader's own font, as on the page around; DejaVu is wider than these, so all that fits it fits them.
_FONTS = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif"


def draw(width: float, height: float, paint: Callable[["Figure"], None]) -> str:
    """Return what `paint` puts into a figure of so many inches as `<svg ...>...</svg>`.

    The same figure gives the same bytes, whatever the user's own settings of matplotlib are.

    Examples
    --------
    >>> draw(4, 3, lambda figure: None)[:4]
    '<svg'
    """
    import matplotlib.style  # noqa: PLC0415 (slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    with matplotlib.style.context(["default", _STYLE]):
        figure = Figure(figsize=(width, height), facecolor="white")
        paint(figure)
        buffer = io.BytesIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        with warnings.catch_warnings():
            # Text stays text in the file: the browser finds a font for what matplotlib's own has not.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(buffer, format="svg", metadata=nothing)
    svg = buffer.getvalue().decode().replace("'DejaVu Sans'", _FONTS)
    return svg[svg.index("<svg") :]  # without the prologue, which points to a document type on the web


def style_axes(axes: "Axes", grid: Literal["x", "y", "both"] = "y") -> None:
    """Leave of the frame the line below alone, and put pale lines behind the data."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
