"""Rows with many labels: the figures are those of dense rows, and memory does not grow with the labels."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import issparse

from ambos.evaluate.bootstrap import Floats, Tally, bootstrap, paired
from ambos.evaluate.classification import MultiLabel, metrics_of
from ambos.evaluate.comparison import compare
from ambos.evaluate.entities import Entities, spans
from ambos.evaluate.evaluation import ClassEvaluation, macro_of_seen
from ambos.evaluate.groups import compare_groups
from ambos.evaluate.ratios import divide, f1
from ambos.evaluate.sparse_rows import below, beside, dense_parts, keys_of, parted, rows_of, sparse
from ambos.evaluate.tags import Tags

KINDS = ("tags", "entities", "several")
NUMBERS = arrays(np.int32, st.tuples(st.integers(0, 7), st.integers(1, 6)), elements=st.integers(0, 300))


def made(kind: str, labels: int) -> ClassEvaluation:
    names = [f"label{number:04}" for number in range(labels)]
    if kind == "several":
        return MultiLabel(names)
    return Tags(names) if kind == "tags" else Entities(names)


def examples(kind: str, labels: int, count: int, seed: int = 0, words: int = 12):
    """Gold and predicted labels of examples, three of four of them right."""
    chance = np.random.default_rng(seed)
    if kind == "several":
        gold = np.zeros((count, labels), np.uint8)
        gold[np.arange(count), chance.integers(labels, size=count)] = 1
        said = gold.copy()
        said[np.arange(count), chance.integers(labels, size=count)] ^= chance.random(count) < 0.4
        return gold, said
    mark = "" if kind == "tags" else "S-"
    ids = chance.integers(labels, size=(2, count, words))
    ids[1] = np.where(chance.random((count, words)) < 0.75, ids[0], ids[1])
    return tuple([[f"{mark}label{one:04}" for one in row] for row in side] for side in ids.tolist())


def dense_rows(evaluation: ClassEvaluation, gold, said) -> np.ndarray:
    """The rows as they are defined, counted one by one."""
    if isinstance(evaluation, MultiLabel):
        return np.asarray(gold, np.uint8) + 2 * np.asarray(said, np.uint8)
    size, place = len(evaluation.labels), {name: number for number, name in enumerate(evaluation.labels)}
    found = np.zeros((len(gold), evaluation.tally.width), evaluation.tally.kind)
    for row, there, claimed in zip(found, gold, said, strict=True):
        if isinstance(evaluation, Tags):
            for one, other in zip(there, claimed, strict=True):
                row[place[one]] += one == other
                row[size + place[other]] += 1
                row[2 * size + place[one]] += 1
        else:
            row[:2] = len(there), sum(map(str.__eq__, there, claimed))
            golden, spoken = set(spans(there)), set(spans(claimed))
            for part, entities in enumerate((golden & spoken, spoken, golden)):
                for kind, _, _ in entities:
                    row[2 + part * size + place[kind]] += 1
    return found


def dense_measure(evaluation: ClassEvaluation) -> Callable[[np.ndarray, Floats], dict[str, Floats]]:
    """The metrics by products of dense rows."""

    def measure(rows: np.ndarray, times: Floats) -> dict[str, Floats]:
        if isinstance(evaluation, MultiLabel):
            hits, predicted, gold = times @ (rows == 3), times @ (rows >> 1), times @ (rows & 1)
            return {
                "micro_f1": f1(hits.sum(1), predicted.sum(1), gold.sum(1)),
                "macro_f1": f1(hits, predicted, gold).mean(1),
                "exact_match": divide(times @ np.isin(rows, (0, 3)).all(1), times.sum(1)),
            }
        sums = times @ rows.astype(np.float64)
        if isinstance(evaluation, Tags):
            return metrics_of(*np.split(sums, 3, axis=1))
        counts = np.split(sums[:, 2:], 3, axis=1)
        hits, predicted, gold = (one.sum(1) for one in counts)
        return {
            "micro_f1": f1(hits, predicted, gold),
            "micro_precision": divide(hits, predicted),
            "micro_recall": divide(hits, gold),
            "macro_f1": macro_of_seen(*counts),
            "token_accuracy": divide(sums[:, 1], sums[:, 0]),
        }

    return measure


def numbers(found) -> dict[str, dict[str, float]]:
    return {name: pytest.approx(one.as_dict(), rel=1e-12, abs=1e-15) for name, one in found.items()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("labels", "words"), [(3, 4), (40, 12), (2, 300)])
def test_figures_and_intervals_are_those_of_dense_rows(kind: str, labels: int, words: int) -> None:
    evaluation = made(kind, labels)
    gold, said = examples(kind, labels, 60, words=words)
    evaluation.add(gold[:25], said[:25])
    evaluation.add(gold[25:], said[25:])
    rows, dense = dense_rows(evaluation, gold, said), Tally(evaluation.tally.width, evaluation.tally.kind)
    dense.add(rows)
    assert issparse(evaluation.tally.rows)
    assert np.array_equal(evaluation.tally.rows.toarray(), dense.rows)  # in the same order: the same draws
    assert np.array_equal(evaluation.tally.counts, dense.counts)
    assert np.array_equal(evaluation.tally.sums, dense.sums)
    expected = bootstrap(dense, dense_measure(evaluation), draws=200)
    assert {name: one.as_dict() for name, one in evaluation.metrics(draws=200).items()} == numbers(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_are_those_of_dense_rows(kind: str) -> None:
    evaluation, other = made(kind, 12), examples(kind, 12, 50, seed=1)[1]
    gold, said = examples(kind, 12, 50)
    rows = {"one": evaluation.rows(gold, said), "other": evaluation.rows(gold, other)}
    tally = Tally(2 * evaluation.tally.width, evaluation.tally.kind)
    tally.add(np.hstack([dense_rows(evaluation, gold, one) for one in (said, other)]))
    options = {"draws": 150, "exchanges": 150, "enough": 100}
    expected = paired(tally, dense_measure(evaluation), **options)
    found = {one.metric: one.difference.as_dict() for one in compare(evaluation, rows, draws=150)}
    assert found == numbers(expected)
    dense = {name: one.toarray() for name, one in rows.items()}  # as saved files have them
    assert compare(evaluation, dense, draws=150) == compare(evaluation, rows, draws=150)
    by_seeds = [{name: [one, one] for name, one in some.items()} for some in (dense, rows)]
    metric = next(iter(expected))
    one, two = (compare_groups(evaluation, some, metric, draws=150) for some in by_seeds)
    assert one == two


@pytest.mark.parametrize("kind", KINDS)
def test_classes_have_the_intervals_of_the_same_draws(kind: str) -> None:
    evaluation = made(kind, 5)
    evaluation.add(*examples(kind, 5, 40))
    metrics, table = evaluation.metrics_and_table(draws=300)
    assert metrics == evaluation.metrics(draws=300)

    def measure(rows, times):
        hits, predicted, gold = evaluation.count(rows, times)
        figures = {
            "precision": divide(hits, predicted),
            "recall": divide(hits, gold),
            "f1": f1(hits, predicted, gold),
        }
        return {f"{name} {one}": values[:, one] for name, values in figures.items() for one in range(5)}

    expected = bootstrap(evaluation.tally, measure, draws=300)
    for number, (score, plain) in enumerate(zip(table, evaluation.table(), strict=True)):
        assert score.as_dict() | {"intervals": None} == plain.as_dict() | {"intervals": None}
        assert "intervals" not in plain.as_dict()
        for name in ("precision", "recall", "f1"):
            found = {"value": getattr(score, name), **score.intervals[name]}
            assert found == pytest.approx(expected[f"{name} {number}"].as_dict())
            assert found["low"] <= found["value"] <= found["high"]


@settings(max_examples=80)
@given(rows=NUMBERS)
def test_keys_are_of_equal_rows_and_sort_as_dense_bytes(rows: np.ndarray) -> None:
    kind = rows.dtype
    keys = keys_of(sparse(rows), kind)
    assert np.array_equal(rows_of(keys, rows.shape[1], kind).toarray(), rows)
    dense = [row.tobytes() for row in rows]
    assert sorted(range(len(rows)), key=keys.__getitem__) == sorted(range(len(rows)), key=dense.__getitem__)


@settings(max_examples=60)
@given(rows=NUMBERS)
def test_parts_of_rows_are_those_of_arrays(rows: np.ndarray) -> None:
    thin = sparse(rows)
    assert not (thin.data == 0).any()
    assert np.array_equal(np.concatenate(list(dense_parts(thin))), rows)
    assert np.array_equal(beside([thin, thin]).toarray(), np.hstack([rows, rows]))
    assert np.array_equal(below([thin, thin]).toarray(), np.concatenate([rows, rows]))
    assert all(np.array_equal(part.toarray(), rows) for part in parted(beside([thin, thin]), 2))


def test_what_is_given_stays_as_it_is() -> None:
    from scipy.sparse import csr_array  # noqa: PLC0415

    odd = csr_array((np.array([2, 0, 1]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert sparse(odd).toarray().tolist() == [[0, 3]]
    assert odd.data.tolist() == [2, 0, 1]


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match="rows of 3 numbers"):
        MultiLabel(["a", "b", "c"]).tally.add([[1, 0]])
    with pytest.raises(ValueError, match="expected rows"):
        MultiLabel(["a", "b", "c"]).tally.add([1, 0, 1])


def memory(kind: str, labels: int, count: int) -> tuple[int, int]:
    """Bytes that an evaluation holds of some examples, and most that it ever needs to measure them."""
    evaluation = made(kind, labels)
    parts = [examples(kind, labels, 500, seed) for seed in range(count // 500)]
    tracemalloc.start()
    for gold, said in parts:
        evaluation.add(gold, said)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    evaluation.metrics_and_table(draws=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held, peak


@pytest.mark.parametrize("kind", KINDS)
def test_memory_does_not_grow_with_examples_times_labels(kind: str) -> None:
    """Dense rows of 3,000 examples and 400 labels take 14 MB of tags, and 29 MB as floating point numbers."""
    (few, at_least), (held, peak) = (memory(kind, 400, count) for count in (500, 3_000))
    assert (held - few) / 2_500 < 800  # bytes of an example, the dictionary's among them
    assert (peak - at_least) / 2_500 < 2_500
