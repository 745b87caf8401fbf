"""Pairs of texts in classify and score: as the tokenizers library joins and cuts them, and through files."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tokenizers

from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.data.read_files import RowFiles
from ambos.data.rows import Columns, PairRow, TextRow
from ambos.data.windows import Ledger
from ambos.errors import InputError, UsageError
from ambos.predict.inputs import rows_of
from ambos.predict.model import load
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.log import Silent
from ambos.tasks.classify import Classify
from ambos.tasks.score import Score
from ambos.tasks.task import Reading
from ambos.text.tokenizer import Tokenizer
from ambos.train.loop import State
from ambos.train.signals import Stop

HERE = Path("pairs")
WORDS = ["o", "gato", "dorme", "na", "casa", "grande", "enquanto", "menina", "canta", "canção", "antiga"]


def pair(first: str, second: str, label: str = "yes", score: float | None = None) -> PairRow:
    return PairRow(first, second, (label,), score, HERE, 1)


def random_pairs(count: int, longest: int) -> list[PairRow]:
    chance = np.random.default_rng(0)
    texts = [" ".join(chance.choice(WORDS, chance.integers(1, longest))) for _ in range(2 * count)]
    return [pair(first, second) for first, second in zip(texts[::2], texts[1::2], strict=True)]


@pytest.mark.parametrize("limit", [8, 16, 17, 40, 128])
def test_pairs_are_joined_and_cut_as_the_library_does(tokenizer: Tokenizer, limit: int) -> None:
    rows, ledger = random_pairs(60, 50), Ledger()
    examples = Classify(LabelSet(("yes",))).encode(rows, Reading(tokenizer, limit), ledger, labelled=True)
    oracle = tokenizers.Tokenizer.from_str(tokenizer.backend.to_str())
    whole = [len(oracle.encode(row.text_a, row.text_b).ids) for row in rows]
    oracle.enable_truncation(limit, strategy="longest_first")
    begin = 0
    for row, length in zip(rows, examples.lengths, strict=True):
        expected = oracle.encode(row.text_a, row.text_b)
        assert examples.ids[begin : begin + length].tolist() == expected.ids
        assert examples.segments[begin : begin + length].tolist() == expected.type_ids
        begin += length
    assert (ledger.texts, ledger.long_texts) == (60, sum(count > limit for count in whole))
    assert ledger.cut_tokens == sum(max(0, count - limit) for count in whole)


def test_texts_and_pairs_may_stand_side_by_side(reading: Reading) -> None:
    rows = [TextRow("o gato", ("yes",), None, HERE, 1), pair("o gato", "dorme"), pair("a", "b")]
    found = Classify(LabelSet(("yes",))).encode(rows, reading, Ledger(), labelled=False)
    alone = Classify(LabelSet(("yes",))).encode(rows[:1], reading, Ledger(), labelled=False)
    assert found.ids[: found.lengths[0]].tolist() == alone.ids.tolist()
    assert found.rows == 3


@pytest.mark.parametrize("how", ["windows", "head-tail"])
def test_pairs_have_no_windows(tokenizer: Tokenizer, how: str) -> None:
    with pytest.raises(UsageError, match="pairs of texts cannot be read"):
        Score().encode([pair("a", "b", score=1.0)], Reading(tokenizer, 16, how), Ledger(), labelled=True)


def test_a_long_pair_can_be_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(InputError, match="a pair of texts is longer"):
        Score().encode([pair("o gato " * 30, "b")], Reading(tokenizer, 16, "error"), Ledger(), labelled=False)


class TestFiles:
    def write(self, folder: Path, **columns: object) -> str:
        path = folder / "pairs.jsonl"
        path.write_text(json.dumps(columns) + "\n")
        return str(path)

    def test_pairs_are_found_by_name(self, tmp_path: Path) -> None:
        found = RowFiles.find([self.write(tmp_path, hypothesis="b", premise="a", label=1)], "classify")
        assert found.task == "pair"
        assert next(found.rows()) == PairRow("a", "b", ("1",), None, tmp_path / "pairs.jsonl", 1)

    def test_scores_of_pairs_too(self, tmp_path: Path) -> None:
        found = RowFiles.find([self.write(tmp_path, text_b="b", text_a="a", score=2.5)], "score")
        assert (found.task, next(found.rows()).score) == ("pair-score", 2.5)

    def test_named_columns_make_pairs(self, tmp_path: Path) -> None:
        name = self.write(tmp_path, text="t", x="a", y="b", label=1)
        assert RowFiles.find([name], "classify", Columns(text_a="x", text_b="y")).task == "pair"
        assert RowFiles.find([name], "classify").task == "classify"

    def test_a_model_of_pairs_wants_pairs(self, tmp_path: Path) -> None:
        name = self.write(tmp_path, text="t", label=1)
        with pytest.raises(InputError, match="text_a and text_b"):
            RowFiles.find([name], "classify", pairs=True)
        name = self.write(tmp_path, text_a="a", text_b="b", label=1)
        with pytest.raises(InputError, match="hold the text"):
            RowFiles.find([name], "classify", pairs=False)


def test_what_python_hands_over() -> None:
    labels = LabelSet(("no", "yes"))
    assert next(rows_of(Classify(labels, pairs=True), [("a", "b")])) == PairRow(
        "a", "b", (), None, Path("input"), 1
    )
    assert isinstance(next(rows_of(Classify(labels), [("a", "b")])), PairRow)
    named = {"text_b": "a", "text_a": "b"}  # its keys were read
    for pairs, one in (
        (True, "a"),
        (False, ("a", "b")),
        (True, ("a", "b", "c")),
        (None, ("a", 1)),
        (True, named),
        (None, named),
        (True, {"a", "b"}),
    ):
        with pytest.raises(UsageError, match="input 1 cannot be read"):
            list(rows_of(Classify(labels, pairs=pairs), [one]))


@pytest.mark.parametrize("task", ["classify", "score"])
def test_pairs_are_learnt_and_kept(model_folder: Callable[[str], Path], tmp_path: Path, task: str) -> None:
    """Whether both texts are the same: nothing that one of them could tell alone."""
    chance = np.random.default_rng(0)
    rows = []
    for _ in range(400):
        same = bool(chance.integers(2))
        first = str(chance.choice(["que", "com", "uma", "por"]))
        second = (
            first
            if same
            else str(chance.choice([one for one in ["que", "com", "uma", "por"] if one != first]))
        )
        rows.append(pair(first, second, str(same), float(same)))
    recipe = FinetuneRecipe(task=task, batch=16, epochs=14, learning={"lr": 2e-3, "dropout": 0.0})
    work = Finetuning(Bundle.load(model_folder("wordpiece")), rows[:320], rows[320:], recipe)
    work.loop(Silent()).run(State(due=False), Stop())
    work.finish()
    work.bundle.save(tmp_path / "bundle")
    model = load(tmp_path / "bundle", "cpu")
    assert model.learnt.pairs is True
    found = model.predict([(row.text_a, row.text_b) for row in rows[320:]])
    right = [
        (one.labels == row.labels if task == "classify" else (one > 0.5) == (row.score == 1.0))
        for one, row in zip(found, rows[320:], strict=True)
    ]
    assert np.mean(right) > 0.9
