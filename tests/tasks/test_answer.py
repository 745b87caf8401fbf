"""Questions: targets lie on the answer's tokens, what comes out is a slice of the passage, windows add up."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForQuestionAnswering

from ambos.bundle.bundle import Bundle
from ambos.data.windows import Ledger
from ambos.errors import InputError
from ambos.tasks.answer import Answer
from ambos.tasks.task import Reading
from ambos.text.tokenizer import Tokenizer
from tests.tasks.conftest import question_row

PASSAGE = "Em 1957, Patrícia Tavares chegou a Monte Alegre para trabalhar numa escola. " * 6 + "O fim é aqui."


def crafted(examples, start: int, end: int, row_size: int = 2) -> np.ndarray:
    """Logits that are sure of the tokens `start` to `end` of the passage, wherever a window holds them."""
    logits = np.zeros((int(examples.lengths.sum()), row_size), np.float32)
    for window, begin in enumerate(examples.starts):
        first, count, place = (examples.targets[name][window] for name in ("first", "count", "place"))
        for token, side in ((start, 0), (end, 1)):
            if first <= token < first + count:
                logits[begin + place + token - first, side] = 5.0
    return logits


@given(
    first=st.integers(0, 400),
    size=st.integers(1, 40),
    limit=st.integers(24, 64),
)
@settings(deadline=None, max_examples=60)
def test_targets_cover_the_answer_exactly(tokenizer: Tokenizer, first: int, size: int, limit: int) -> None:
    """Targets give the answer back, up to the borders of tokens, in every window that has it."""
    answer = PASSAGE[first : first + size]
    if not answer.strip() or answer != answer.strip():
        return
    row = question_row("Onde?", PASSAGE)
    row = type(row)(row.id, row.question, row.passage, ((answer, first),), row.file, row.line)
    task, reading = Answer(), Reading(tokenizer, limit, "windows")
    examples = task.encode([row], reading, Ledger(), labelled=True)
    offsets = task.encode([row], reading, Ledger(), labelled=False).extra[0]
    assert examples.lengths.max() <= limit
    seen = 0
    for window in range(len(examples)):
        start, end = (int(examples.targets[name][window]) for name in ("start", "end"))
        if start == 0:
            assert end == 0
            continue
        seen += 1
        shift = int(examples.targets["first"][window]) - int(examples.targets["place"][window])
        begin, stop = offsets[start + shift][0], offsets[end + shift][1]
        assert begin <= first
        assert stop >= first + len(answer)
        assert first - begin < 30
        assert answer in PASSAGE[begin:stop]
    covered = len(tokenizer.ids_batch([answer])[0]) < limit // 4
    assert seen or not covered


@pytest.mark.parametrize("limit", [40, 512])
def test_answers_are_slices_of_the_passage(tokenizer: Tokenizer, limit: int) -> None:
    row = question_row("Quem chegou?", PASSAGE, "Patrícia Tavares")
    task, reading = Answer(), Reading(tokenizer, limit, "windows")
    examples = task.encode([row], reading, Ledger(), labelled=False)
    offsets = examples.extra[0]
    start = next(place for place, (begin, _) in enumerate(offsets) if begin == PASSAGE.index("Patrícia"))
    stop = PASSAGE.index("Tavares") + len("Tavares")
    end = next(place for place, (_, last) in enumerate(offsets) if last == stop)
    (found,) = task.decode(crafted(examples, start, end), examples, [row])
    assert found.best.text == "Patrícia Tavares"
    assert PASSAGE[found.best.start : found.best.end] == found.best.text
    assert found.best.score == pytest.approx(10.0)
    assert len(found.candidates) == 5
    scores = [candidate.score for candidate in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert 0 < found.probability <= 1
    assert found.no_answer == pytest.approx(-10.0)
    evaluation = task.evaluation()
    evaluation.add(*task.compare([row], [found]))
    assert evaluation.metrics(draws=10)["f1"].value == pytest.approx(1.0)


def test_no_answer_is_given_only_where_it_may_be(tokenizer: Tokenizer) -> None:
    row = question_row("Onde?", "O gato dorme no sofá.")
    reading = Reading(tokenizer, 64)
    for task, expected in (
        (Answer(no_answers=True), ""),
        (Answer(no_answers=True, threshold=99.0), None),
        (Answer(), None),
    ):
        examples = task.encode([row], reading, Ledger(), labelled=False)
        logits = np.zeros((int(examples.lengths.sum()), 2), np.float32)
        logits[0] = 4.0
        found = task.decode(logits, examples, [row])[0]
        assert (found.best.text == "") is (expected == "")
        assert found.no_answer == pytest.approx(8.0)


def test_answers_longer_than_thirty_tokens_are_not_given(tokenizer: Tokenizer) -> None:
    row = question_row("Onde?", "gato " * 50)
    task = Answer()
    examples = task.encode([row], Reading(tokenizer, 512), Ledger(), labelled=False)
    logits = crafted(examples, 0, len(examples.extra[0]) - 1)
    found = task.decode(logits, examples, [row])[0]
    lengths = [len(tokenizer.ids_batch([one.text])[0]) for one in found.candidates]
    assert max(lengths) <= 32


def test_the_loss_is_that_of_transformers(model_folder, tmp_path) -> None:
    bundle = Bundle.load(model_folder("wordpiece"))
    bundle.add_head("answer")
    bundle.save(tmp_path / "answer")
    peer = AutoModelForQuestionAnswering.from_pretrained(tmp_path / "answer").eval()
    task, reading = Answer(), Reading(bundle.tokenizer, 64)
    rows = [question_row("Quem dorme?", "O gato dorme.", "gato"), question_row("Onde?", "Ele foi à escola.")]
    examples = task.encode(rows, reading, Ledger(), labelled=True)
    for number in range(2):
        part = examples.part(np.array([number]))
        loss = task.losses(bundle.network(part.batch, "answer"), part).detach()
        theirs = peer(
            input_ids=part.batch.ids[None],
            token_type_ids=part.batch.segments[None],
            start_positions=part.targets["start"],
            end_positions=part.targets["end"],
        ).loss
        assert float(loss[0]) == pytest.approx(theirs.item(), abs=1e-5)
    both = examples.part(np.arange(2))
    joined = task.losses(bundle.network(both.batch, "answer"), both)
    single = [examples.part(np.array([number])) for number in both.numbers]
    alone = [task.losses(bundle.network(part.batch, "answer"), part)[0] for part in single]
    assert torch.allclose(joined, torch.stack(alone), atol=1e-5)


@pytest.mark.parametrize("long", ["cut", "head-tail", "windows"])
@pytest.mark.parametrize("labelled", [True, False])
def test_what_is_cut_of_questions_is_counted(tokenizer: Tokenizer, long: str, labelled: bool) -> None:
    rows = [question_row(f"{'gato ' * size}?", "O gato dorme.") for size in (3, 100, 5)]
    ledger = Ledger()
    examples = Answer().encode(rows, Reading(tokenizer, 64, long), ledger, labelled=labelled)
    around = sum(tokenizer.around)
    asked = len(tokenizer.ids_batch([rows[1].question])[0]) - around
    assert (ledger.texts, ledger.long_texts, ledger.cut_questions) == (3, 1, 1)
    assert (ledger.cut_tokens, ledger.named) == (asked - 32, [1])
    assert ledger.tokens == int(examples.lengths.sum()) + ledger.cut_tokens
    assert "tokens were left out" in (ledger.summary(64) or "")


@pytest.mark.parametrize("labelled", [True, False])
def test_a_question_that_is_too_long_is_an_error_if_that_is_wanted(
    tokenizer: Tokenizer, labelled: bool
) -> None:
    rows = [question_row("gato?", "O gato dorme."), question_row("gato " * 40, "O gato dorme.")]
    ledger = Ledger()
    with pytest.raises(InputError, match="a question is longer than the model can read") as error:
        Answer().encode(rows, Reading(tokenizer, 64, "error"), ledger, labelled=labelled)
    assert (error.value.expected, ledger.texts) == ("at most 32 tokens", 2)


def weighed(tokenizer: Tokenizer, task: Answer, none: float, scale: float = 1.0):
    """What a task makes of drawn logits for a sentence, and of `none` for each of the two logits of none."""
    row = question_row("Onde?", "O gato dorme no sofá da casa.")
    examples = task.encode([row], Reading(tokenizer, 64), Ledger(), labelled=False)
    chance = np.random.default_rng(0)
    logits = scale * chance.normal(size=(int(examples.lengths.sum()), 2)).astype(np.float32)
    logits[0] = none
    return task.decode(logits, examples, [row])[0]


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("threshold", [-3.0, 0.0, 3.0])
@given(none=st.floats(-4, 4, width=32))
@settings(deadline=None, max_examples=20)
def test_what_is_given_is_the_likeliest(
    tokenizer: Tokenizer, threshold: float, temperature: float, none: float
) -> None:
    task = Answer(no_answers=True, threshold=threshold, temperature=temperature, candidates=20)
    found = weighed(tokenizer, task, none)
    says_none = found.no_answer > threshold
    assert (found.best.text == "") == says_none
    assert found.probability == max(
        found.no_answer_probability, *(one.probability for one in found.candidates)
    )
    if says_none:
        assert found.probability == found.no_answer_probability
    scores = np.array([*(one.score for one in found.candidates), 2 * none - threshold]) / temperature
    chances = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    assert [one.probability for one in found.candidates] == pytest.approx(chances[:-1], abs=1e-6)
    assert found.no_answer_probability == pytest.approx(chances[-1], abs=1e-6)


def test_the_probability_does_not_depend_on_how_many_are_shown(tokenizer: Tokenizer) -> None:
    few, many = (weighed(tokenizer, Answer(no_answers=True, candidates=n), -3.0) for n in (2, 12))
    assert (len(few.candidates), len(many.candidates)) == (2, 12)
    assert few.candidates == many.candidates[:2]
    assert few.no_answer_probability == many.no_answer_probability


def test_a_model_that_always_answers_does_not_weigh_none(tokenizer: Tokenizer) -> None:
    found = weighed(tokenizer, Answer(candidates=20), 4.0)
    assert found.best == found.candidates[0]
    assert found.no_answer_probability is None
    assert sum(one.probability for one in found.candidates) == pytest.approx(1.0)


def test_an_empty_passage_has_no_answer(tokenizer: Tokenizer) -> None:
    row = question_row("Onde?", "")
    for task, expected in ((Answer(no_answers=True, threshold=99.0), 1.0), (Answer(), None)):
        examples = task.encode([row], Reading(tokenizer, 64), Ledger(), labelled=False)
        (found,) = task.decode(np.zeros((int(examples.lengths.sum()), 2), np.float32), examples, [row])
        assert (found.best.text, found.probability, found.candidates) == ("", 1.0, ())
        assert found.no_answer_probability == expected
