"""Rows that cannot be used: refused all at once, or left out and counted."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from ambos.data.rows import BadRow, Columns, Problem, Problems, TextRow, read_each
from ambos.errors import InputError, UsageError
from ambos.text.sources import Source

SOURCE = Source(Path("a.csv"), "csv", None, "und")


def numbers(*items: int):
    """Read numbers as rows, of which the negative ones are bad."""

    def make(item: int, file: Path, line: int) -> tuple[int, Path, int]:
        if item < 0:
            raise BadRow("no label", f"{item}", 100 if item == -100 else None)
        return item, file, line

    def read(problems: Problems) -> Iterator[tuple[int, Path, int]]:
        return read_each([SOURCE], lambda _: enumerate(items, 2), make, problems)

    return read


def test_rows_are_small_and_cannot_be_changed():
    row = TextRow("a", ("x",), None, Path("a.csv"), 2)
    assert not hasattr(row, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.text = "b"  # type: ignore[misc]


def test_good_rows_come_with_file_and_line():
    assert list(numbers(5, 6)(Problems())) == [(5, SOURCE.path, 2), (6, SOURCE.path, 3)]


def test_all_bad_rows_are_in_one_error():
    read = numbers(1, -2, 3, -100)(Problems())
    assert [next(read)[0], next(read)[0]] == [1, 3]
    with pytest.raises(InputError) as caught:
        next(read)
    error = caught.value
    assert (error.what, error.file, error.line) == ("2 rows cannot be used", "a.csv", 3)
    assert error.found == "a.csv, line 3: no label (-2); a.csv, line 100: no label (-100)"
    assert "--skip-bad" in error.fix


def test_one_bad_row():
    with pytest.raises(InputError) as caught:
        list(numbers(1, -2)(Problems()))
    assert caught.value.what == "1 row cannot be used"


@pytest.mark.parametrize(
    ("bad", "what"), [(19, "19 rows"), (20, "at least 20 rows"), (500, "at least 20 rows")]
)
def test_reading_stops_when_enough_is_wrong(bad, what):
    with pytest.raises(InputError) as caught:
        list(numbers(*[-1] * bad, 1)(Problems()))
    assert caught.value.what == f"{what} cannot be used"
    assert caught.value.found.endswith(f"line 6: no label (-1); and {min(bad, 20) - 5} more")


def test_bad_rows_are_left_out_and_counted():
    problems = Problems(skip_bad=True)
    assert [row[0] for row in numbers(*[-1] * 30, 7, -1)(problems)] == [7]
    assert problems.counts == {"no label": 31}
    assert [example.line for example in problems.examples] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([], "none"),
        ([-1], "1 row, left out as bad: 1 for no label; a.csv, line 2: no label (-1)"),
        ([-1, -1], "2 rows, all of them left out as bad: 2 for no label; a.csv, line 2: no label (-1); "),
    ],
)
def test_no_rows_at_all(items, found):
    with pytest.raises(InputError) as caught:
        list(numbers(*items)(Problems(skip_bad=True)))
    assert caught.value.what == "there are no rows in this file"
    assert caught.value.found.startswith(found)


def test_no_rows_in_one_split_do_not_count_those_left_out_of_another():
    problems = Problems(skip_bad=True)
    assert len(list(numbers(1, -1)(problems))) == 1
    with pytest.raises(InputError) as caught:
        list(numbers(-2)(problems))
    assert caught.value.found.endswith("bad: 1 for no label; a.csv, line 2: no label (-2)")
    with pytest.raises(InputError) as caught:
        list(numbers()(problems))
    assert caught.value.found == "none"


def test_nothing_to_read_is_no_error_of_a_file():
    assert list(read_each([], lambda _: iter([]), lambda *_: None, Problems())) == []


def test_what_is_noted_is_no_reason_to_refuse():
    problems = Problems()
    for line in range(50):
        problems.note(Problem("tags out of order", "1 of 3 tags", Path("a.conll"), line))
    problems.check()
    assert (problems.counts, problems.noted) == ({}, {"tags out of order": 50})


def test_columns_say_what_they_are_and_which_option_names_them():
    columns = Columns(text_a="premise", text_b="hypothesis", label="gold")
    assert str(columns) == "text_a: premise, text_b: hypothesis, label: gold"
    assert columns.wanted == {"premise": "--text-a", "hypothesis": "--text-b", "gold": "--label"}
    assert columns.of("label") == "gold"
    with pytest.raises(UsageError, match="no column is named for the text") as caught:
        columns.of("text")
    assert caught.value.fix == "--text COLUMN"
