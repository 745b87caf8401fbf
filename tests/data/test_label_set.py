"""Labels in a stable order, and clear words for what is not one of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.data.label_set import LabelSet, unknown_labels
from ambos.data.rows import PairRow, TextRow, WordsRow
from ambos.errors import InputError

FILE = Path("a.csv")


def rows(*labels: tuple[str, ...]) -> list[TextRow]:
    return [TextRow("a", some, None, FILE, line) for line, some in enumerate(labels, 2)]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["b", "a", "b"], ["a", "b"]),
        (["10", "9", "-1"], ["-1", "9", "10"]),
        (["1.5", "10", "2"], ["1.5", "2", "10"]),
        (["10", "9", "n"], ["10", "9", "n"]),
        (["1", "01", "1.0"], ["01", "1", "1.0"]),
        (["I-PER", "B-PER", "O", "I-LOC", "B-LOC"], ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]),
        (["S-X", "E-X", "I-X", "B-X", "O"], ["O", "B-X", "I-X", "E-X", "S-X"]),
        (["U-X", "L-X", "I-X", "B-X", "O"], ["O", "B-X", "I-X", "L-X", "U-X"]),
        (["B-X", "A-X", "O"], ["A-X", "B-X", "O"]),
        (["NOUN", "ADJ", "VERB"], ["ADJ", "NOUN", "VERB"]),
        (["é", "z", "Z"], ["Z", "z", "é"]),
    ],
)
def test_order(labels, names):
    assert LabelSet.of(labels).names == tuple(names)


@given(
    st.sets(st.text(max_size=4), min_size=1, max_size=8).flatmap(
        lambda labels: st.permutations(sorted(labels))
    )
)
def test_the_order_does_not_depend_on_that_of_the_rows(labels):
    label_set = LabelSet.of(labels)
    assert label_set == LabelSet.of(sorted(labels))
    assert [label_set.id_of(name) for name in label_set.names] == list(range(len(label_set)))


def test_names_that_were_saved_keep_their_order():
    assert LabelSet(("b", "a")).id_of("b") == 0


def test_from_rows_of_every_kind():
    assert LabelSet.from_rows(rows(("b",), ("a",))).names == ("a", "b")
    assert LabelSet.from_rows(iter(rows(("b", "a"), (), ("c",)))).names == ("a", "b", "c")
    assert LabelSet.from_rows([PairRow("a", "b", (name,), None, FILE, 1) for name in "yx"]).names == (
        "x",
        "y",
    )
    assert LabelSet.from_rows([WordsRow(("a", "b"), ("B-X", "O"), FILE, 1)]).names == ("O", "B-X")


def test_one_label_that_some_rows_have_and_others_not():
    assert LabelSet.from_rows(rows(("spam",), ())).names == ("spam",)
    assert LabelSet.from_rows(rows((), ("spam",))).names == ("spam",)


@pytest.mark.parametrize(
    ("given_rows", "what"),
    [
        (rows(("x",), ("x",)), "there is only one class: there is nothing to learn"),
        ([WordsRow(("a", "b"), ("O", "O"), FILE, 1)], "there is only one class: there is nothing to learn"),
        (rows((), ()), "there are no labels"),
        ([], "there are no labels"),
    ],
)
def test_nothing_to_tell_apart(given_rows, what):
    with pytest.raises(InputError) as caught:
        LabelSet.from_rows(given_rows)
    assert caught.value.what == what
    assert caught.value.file == ("a.csv" if given_rows else None)
    assert caught.value.expected == "at least two different labels"


def test_a_label_that_is_not_there():
    labels = LabelSet.of(["negative", "positive"])
    with pytest.raises(InputError) as caught:
        labels.id_of("postive", FILE, 7)
    error = caught.value
    assert (error.where, error.fix) == ("a.csv, line 7", "did you mean positive?")
    assert (error.expected, error.found) == ("negative, positive", "postive")
    with pytest.raises(InputError) as caught:
        LabelSet.of(map(str, range(100))).id_of("x" * 1000)
    assert caught.value.expected == "0, 1, 2, 3, 4, 5, 6, 7, and 92 more"
    assert len(str(caught.value)) < 400


def test_several_labels_that_are_not_there():
    known, unknown = ["negative", "positive"], {"Positive": (FILE, 2), "x": (FILE, 3), "NEGATIVE": (FILE, 5)}
    error = unknown_labels(unknown, known, learnt=True, skippable=True)
    assert error.what == "the labels 'Positive', 'x' and 'NEGATIVE' are not among those of the training rows"
    assert error.fix == (
        "did you mean positive for 'Positive', negative for 'NEGATIVE'? Otherwise correct them, or train "
        "with rows that have them, or leave such rows out with --skip-bad"
    )
    one = unknown_labels({"POSITIVE": (FILE, 2)}, known, skippable=True)
    assert one.fix == "did you mean positive? Otherwise leave such rows out with --skip-bad"
