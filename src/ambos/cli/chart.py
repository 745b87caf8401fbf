"""Line charts for a terminal: braille dots, eight to a character, with labelled axes."""

import math
from collections.abc import Sequence

_BRAILLE, _MARK = 0x2800, "●"
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # bits of a character by column and row
_LEAST_WIDTH, _LEAST_HEIGHT = 16, 3
_LONGEST_LABEL = 10
_HUGE = 1e100  # beyond it, differences may be too large for a float

Points = Sequence[tuple[float, float]]


def line_chart(series: Points, *, width: int, height: int, marks: Points = ()) -> str:
    """Draw points (x, y), in the order of x, as a line.

    Points that share a column of dots are drawn as their mean. The few values far outside the range of the
    others (the first losses of a run) do not set the scale: the line leaves the chart there.

    Parameters
    ----------
    series
        The line; points that are not finite are left out.
    width, height
        Of the whole picture in characters, labels among them; a little room is taken in any case.
    marks
        Points to show as ● on top of the line.

    Returns
    -------
    str
        `height` lines without a line end after the last.

    Examples
    --------
    >>> print(line_chart([(0, 4.0), (100, 2.0), (400, 1.0)], width=24, height=4, marks=[(400, 1.5)]))
    4.00 ┤⠑⠤⡀
         │  ⠈⠢⣀⡀
    1.00 ┤     ⠈⠉⠉⠉⠒⠒⠒⠢⠤⠤⠤⣀●
          0              400
    """
    rows = max(height, _LEAST_HEIGHT) - 1
    line, marks = _finite(series), _finite(marks)
    shown = [*line, *marks]
    left, right = (min(x for x, _ in shown), max(x for x, _ in shown)) if shown else (0.0, 0.0)
    means = _by_column(line, left, right, 2 * max(width, _LEAST_WIDTH))  # about as many as will be drawn
    low, high = _range([*(y for _, y in means), *(y for _, y in marks)])
    labels = _labels(low, high, rows) if shown else {}
    gutter = max(map(len, labels.values()), default=0)
    columns = max(width, _LEAST_WIDTH) - gutter - 2

    cells = [[0] * columns for _ in range(rows)]
    tall = 4 * rows - 1
    dots = [
        (column, (high - y) / (high - low) * tall) for column, y in _by_column(line, left, right, 2 * columns)
    ]
    _trace(cells, dots)
    picture = [[chr(_BRAILLE + cell) if cell else " " for cell in row] for row in cells]
    for x, y in marks:
        row = round((high - y) / (high - low) * tall) // 4
        picture[min(max(row, 0), rows - 1)][_column(x, left, right, 2 * columns) // 2] = _MARK
    lines = [
        f"{labels.get(row, ''):>{gutter}} {'┤' if row in labels else '│'}{''.join(picture[row])}"
        for row in range(rows)
    ]
    below = _x_labels(left, right, columns) if shown else ""
    return "\n".join(text.rstrip() for text in [*lines, " " * (gutter + 2) + below])


def _finite(points: Points) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in points if abs(x) < _HUGE and abs(y) < _HUGE]  # NaN is not less


def _column(x: float, left: float, right: float, columns: int) -> int:
    """Return the column of dots for x: the first for `left`, the last for `right`."""
    return round((x - left) / (right - left) * (columns - 1)) if right > left else 0


def _by_column(line: Points, left: float, right: float, columns: int) -> list[tuple[int, float]]:
    """Return (column, mean of its values) for every column of dots that has points, from left to right."""
    found: dict[int, list[float]] = {}
    for x, y in line:
        found.setdefault(_column(x, left, right, columns), []).append(y)
    return [(column, sum(values) / len(values)) for column, values in sorted(found.items())]


def _range(values: list[float]) -> tuple[float, float]:
    """Return the range to show: without the outer two hundredths where they would stretch it by a quarter."""
    if not values:
        return 0.0, 1.0
    values = sorted(values)
    outer = len(values) // 50
    low, high = values[outer], values[-1 - outer]
    quarter = (high - low) / 4
    low = values[0] if low - values[0] <= quarter else low
    high = values[-1] if values[-1] - high <= quarter else high
    if high > low:
        return low, high
    room = abs(high) / 10 or 1.0  # a flat line runs through the middle
    return low - room, high + room


def _trace(cells: list[list[int]], dots: Sequence[tuple[int, float]]) -> None:
    """Set the dots of a line through (column, row) points; what lies above or below the chart is left out."""
    last = 4 * len(cells) - 1
    before: int | None = None
    for (column, row), (next_column, next_row) in zip(dots, [*dots[1:], *dots[-1:]], strict=True):
        for place in range(column, max(next_column, column + 1)):
            share = (place - column) / max(next_column - column, 1)
            here = round(row + share * (next_row - row))
            # From the dot beside to this one, so that steep parts hang together.
            start = here if before is None or before == here else before + (1 if here > before else -1)
            for dot in range(max(min(start, here), 0), min(max(start, here), last) + 1):
                cells[dot // 4][place // 2] |= _DOTS[place % 2][dot % 4]
            before = here


def _labels(low: float, high: float, rows: int) -> dict[int, str]:
    """Return numbers for the first row, the last and, if there is one and room for it, the middle one."""
    places = [0, rows - 1] if rows < 5 or rows % 2 == 0 else [0, rows // 2, rows - 1]
    digits = max(2 - math.floor(math.log10(high - low)), 0)  # enough to tell the labels apart
    values = {place: high - (high - low) * place / (rows - 1) for place in places}
    plain = {place: f"{value:,.{digits}f}" for place, value in values.items()}
    if max(map(len, plain.values())) <= _LONGEST_LABEL:
        return plain
    return {place: f"{value:.4g}" for place, value in values.items()}


def _x_labels(left: float, right: float, columns: int) -> str:
    """Return the ends of the x axis below them; only the right one if there is no room for both."""
    first, last = (f"{x:,.0f}" if x.is_integer() and abs(x) < 1e9 else f"{x:.4g}" for x in (left, right))
    if right == left:
        return first
    gap = columns - len(first) - len(last)
    return f"{first}{' ' * gap}{last}" if gap > 0 else f"{last:>{columns}}"
