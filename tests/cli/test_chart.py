"""Charts in the terminal: small ones character by character, others by what must always hold."""

import math
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.cli.chart import line_chart


def picture(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def dots(chart: str) -> set[tuple[int, int]]:
    """Return the (column, row) of every braille dot, in dots from the left of the plot and from its top."""
    bits = {0x01: (0, 0), 0x02: (0, 1), 0x04: (0, 2), 0x40: (0, 3)}
    bits |= {0x08: (1, 0), 0x10: (1, 1), 0x20: (1, 2), 0x80: (1, 3)}
    found = set()
    for row, line in enumerate(chart.split("\n")[:-1]):
        start = max(line.find("┤"), line.find("│")) + 1
        for column, character in enumerate(line[start:]):
            code = ord(character) - 0x2800
            if 0 < code < 256:
                found |= {(2 * column + x, 4 * row + y) for bit, (x, y) in bits.items() if code & bit}
    return found


@pytest.mark.parametrize(
    ("series", "size", "expected"),
    [
        (
            [(0, 1.0), (7, 8.0)],
            (16, 5),
            """
            8.00 ┤       ⢀⠤⠊
                 │     ⡠⠔⠁
                 │  ⢀⠔⠊
            1.00 ┤⡠⠒⠁
                  0        7
            """,
        ),
        (
            [(0, 2000.0), (1, 0.0), (2, 2000.0)],
            (16, 4),
            """
            2,000 ┤⠑⡄     ⢠⠊
                  │ ⠈⢆  ⢀⠔⠁
                0 ┤   ⠱⡠⠊
                   0       2
            """,
        ),
        (
            [(0, 5.0), (100, 5.0)],
            (18, 4),
            """
            5.50 ┤
                 │⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
            4.50 ┤
                  0        100
            """,
        ),
    ],
)
def test_small_pictures(series, size, expected):
    assert line_chart(series, width=size[0], height=size[1]) == picture(expected)


def test_marks_lie_on_top_and_stay_inside():
    chart = line_chart([(0, 1.0), (10, 2.0)], width=20, height=5, marks=[(0, 1.0), (5, 2.0)])
    lines = chart.split("\n")
    assert lines[3].split("┤")[1].startswith("●")
    assert lines[0].split("┤")[1].index("●") == pytest.approx(7, abs=1)
    far = [(n, float(n % 2)) for n in range(200)]
    beyond = line_chart(far, width=40, height=6, marks=[(50, 1000.0)])
    assert "●" in beyond.split("\n")[0]
    assert "1,000" not in beyond


def test_a_few_huge_first_values_do_not_flatten_the_rest():
    calm = [(step, 3 - step / 500) for step in range(500)]
    stormy = [(step, 1e6 if step < 5 else y) for step, y in calm]
    chart = line_chart(stormy, width=70, height=12)
    top = float(chart.split(" ┤")[0].replace(",", ""))
    assert 2.9 < top < 3.1
    rows = {row for _, row in dots(chart)}
    assert rows == set(range(44))  # the line uses the whole height


def test_the_last_and_lowest_loss_is_always_in_the_chart():
    losses = [(step, 10 / (step + 1)) for step in range(1000)]
    chart = line_chart(losses, width=70, height=12)
    gutter = chart.index("┤") + 1
    assert max(dots(chart)) == (2 * (70 - gutter) - 1, 43)


def test_a_rising_line_rises():
    found = dots(line_chart([(n, float(n)) for n in range(300)], width=60, height=10))
    columns = sorted({column for column, _ in found})
    heights = [min(row for column, row in found if column == place) for place in columns]
    assert columns == list(range(columns[-1] + 1))  # no gaps
    assert heights == sorted(heights, reverse=True)
    assert (heights[0], heights[-1]) == (35, 0)


@pytest.mark.parametrize("series", [[], [(0, math.nan)], [(math.inf, 1.0)]])
def test_nothing_to_draw_is_an_empty_chart(series):
    assert line_chart(series, width=40, height=4) == " │\n │\n │\n"


def test_values_that_are_not_finite_leave_the_others_as_they_were():
    series = [(n, float(n)) for n in range(20)]
    broken = [*series[:10], (10, math.nan), (10, -math.inf), *series[10:]]
    assert line_chart(broken, width=40, height=8) == line_chart(series, width=40, height=8)


number = st.floats(allow_nan=True, allow_infinity=True, width=32)


@given(
    st.lists(st.tuples(number, number), max_size=60),
    st.lists(st.tuples(number, number), max_size=5),
    st.integers(-3, 90),
    st.integers(-3, 30),
)
def test_any_points_and_any_size_give_a_chart_of_that_size(series, marks, width, height):
    lines = line_chart(series, width=width, height=height, marks=marks).split("\n")
    assert len(lines) == max(height, 3)
    if width >= 24:
        assert max(map(len, lines)) <= width


def test_importing_it_is_light():
    code = "import sys, ambos.cli.chart; print(sorted({'numpy', 'torch', 'rich'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
