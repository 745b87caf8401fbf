"""Evaluation of fine-tuned models: figures of scikit-learn, scipy, seqeval; errors shown; little memory."""

import json
import re
import string
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from scipy.stats import pearsonr, spearmanr
from seqeval.metrics import classification_report
from sklearn import metrics as sk

import ambos
from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.data.rows import QuestionRow, TextRow, WordsRow
from ambos.errors import InputError
from ambos.evaluate.bootstrap import bootstrap
from ambos.files import sha256
from ambos.predict.learnt import remember
from ambos.predict.model import Model
from ambos.runs.evaluation import Evaluated, evaluate_rows
from ambos.runs.judging import Worst
from ambos.runs.saved_evaluations import find_evaluation, read_evaluation, save_evaluation
from ambos.tasks.classify import Classify
from tests.predict.models import LABELS, TASKS, make_model

FILE = Path("rows.jsonl")
WORDS = ("o", "banco", "chegou", "hoje", "de", "manhã", "porque", "a", "noite", "foi", "longa", "porto")


def sentence(chance: np.random.Generator, most: int = 12) -> list[str]:
    return list(chance.choice(WORDS, chance.integers(1, most)))


def text_rows(count: int, *, several: bool = False, seed: int = 0) -> list[TextRow]:
    chance = np.random.default_rng(seed)
    rows = []
    for line in range(1, count + 1):
        number = int(chance.integers(0, 4)) if several else 1
        labels = tuple(sorted(chance.choice(LABELS.names, min(number, 3), replace=False)))
        rows.append(TextRow(" ".join(sentence(chance)), labels, float(chance.normal()), FILE, line))
    return rows


def word_rows(count: int, tags: tuple[str, ...], seed: int = 0) -> list[WordsRow]:
    chance = np.random.default_rng(seed)
    rows = []
    for line in range(1, count + 1):
        words = sentence(chance, 20)
        rows.append(WordsRow(tuple(words), tuple(chance.choice(tags, len(words))), FILE, line))
    return rows


def question_rows(count: int, seed: int = 0) -> list[QuestionRow]:
    chance = np.random.default_rng(seed)
    rows = []
    for line in range(1, count + 1):
        passage = " ".join(sentence(chance, 30))
        word = str(chance.choice(passage.split()))
        answers = ((word, passage.index(word)),) if chance.random() < 0.7 else ()
        rows.append(QuestionRow(f"q{line}", "quem chegou hoje?", passage, answers, FILE, line))
    return rows


@pytest.fixture(scope="module")
def models(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Model]:
    root = tmp_path_factory.mktemp("evaluated")

    def model(name: str) -> Model:
        out = root / name
        return ambos.load(out if out.exists() else make_model(model_folder("wordpiece"), name, out), "cpu")

    return model


def values(found: Evaluated) -> dict[str, float]:
    for one in found.metrics.values():
        assert one.low <= one.value <= one.high
    return {name: one.value for name, one in found.metrics.items()}


def expected_calibration_error(sure: np.ndarray, right: np.ndarray, bins: int = 15) -> float:
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = (sure > low) & (sure <= high)
        if inside.any():
            total += inside.mean() * abs(right[inside].mean() - sure[inside].mean())
    return total


def test_one_label_is_as_scikit_learn_has_it(models: Callable[[str], Model]) -> None:
    model, rows = models("classify"), text_rows(1300)  # more than are read at a time
    found = evaluate_rows(model, rows, name="m", draws=50)
    predictions = models("classify").predict([row.text for row in rows])
    gold, said = [row.labels[0] for row in rows], [one.labels[0] for one in predictions]
    assert len(set(said)) == 3
    assert values(found) == pytest.approx(
        {
            "accuracy": sk.accuracy_score(gold, said),
            "macro_f1": sk.f1_score(gold, said, average="macro"),
            "micro_f1": sk.f1_score(gold, said, average="micro"),
            "mcc": sk.matthews_corrcoef(gold, said),
        }
    )
    names = list(LABELS.names)
    assert found.confusion.tolist() == sk.confusion_matrix(gold, said, labels=names).tolist()
    table = sk.precision_recall_fscore_support(gold, said, labels=names)
    for place, one in enumerate(found.classes):
        assert (one.label, one.support) == (names[place], table[3][place])
        assert (one.precision, one.recall, one.f1) == pytest.approx([column[place] for column in table[:3]])
    sure, right = np.array([one.probabilities.max() for one in predictions]), np.array(gold) == np.array(said)
    assert found.calibration.error == pytest.approx(expected_calibration_error(sure, right), abs=1e-6)
    assert sum(one.count for one in found.calibration.bins) == len(rows) == found.rows
    assert found.calibration.temperature == 2.0


def test_several_labels_are_as_scikit_learn_has_them(models: Callable[[str], Model]) -> None:
    model, rows = models("several"), text_rows(300, several=True)
    found = evaluate_rows(model, rows, draws=50)
    predictions = models("several").predict([row.text for row in rows])
    gold = np.array([[name in row.labels for name in LABELS.names] for row in rows])
    chances = np.array([one.probabilities for one in predictions])
    said = chances > 0.5
    assert values(found) == pytest.approx(
        {
            "micro_f1": sk.f1_score(gold, said, average="micro"),
            "macro_f1": sk.f1_score(gold, said, average="macro"),
            "exact_match": sk.accuracy_score(gold, said),
        }
    )
    assert found.confusion is None
    assert found.calibration.error == pytest.approx(
        expected_calibration_error(chances[said], gold[said]), abs=1e-6
    )
    surest = np.where(said != gold, np.maximum(chances, 1 - chances), 0).max(1)
    assert [one["confidence"] for one in found.worst] == pytest.approx(sorted(surest, reverse=True)[:20])


def test_entities_are_as_seqeval_has_them(models: Callable[[str], Model]) -> None:
    model, rows = models("tag"), word_rows(200, TASKS["tag"].labels.names)
    found = evaluate_rows(model, rows, draws=50)
    said = [list(one.tags) for one in models("tag").predict([row.words for row in rows])]
    gold = [list(row.tags) for row in rows]
    report = classification_report(gold, said, output_dict=True, zero_division=0)
    assert values(found)["micro_f1"] == pytest.approx(report["micro avg"]["f1-score"])
    assert values(found)["micro_recall"] == pytest.approx(report["micro avg"]["recall"])
    assert [(one.label, one.support) for one in found.classes] == [
        (name, report[name]["support"]) for name in ("LOC", "PER")
    ]
    right = np.array(
        [a == b for one, two in zip(gold, said, strict=True) for a, b in zip(one, two, strict=True)]
    )
    assert values(found)["token_accuracy"] == pytest.approx(right.mean())
    assert sum(one.count for one in found.calibration.bins) == len(right)
    assert found.confusion is None


def test_plain_tags_have_a_confusion_matrix(models: Callable[[str], Model]) -> None:
    names = list(TASKS["pos"].labels.names)
    model, rows = models("pos"), word_rows(100, tuple(names))
    found = evaluate_rows(model, rows, draws=50)
    said = [tag for one in models("pos").predict([row.words for row in rows]) for tag in one.tags]
    gold = [tag for row in rows for tag in row.tags]
    assert found.confusion.tolist() == sk.confusion_matrix(gold, said, labels=names).tolist()
    assert values(found)["accuracy"] == pytest.approx(sk.accuracy_score(gold, said))
    assert (found.rows, found.examples.shape[0]) == (100, 100)  # sentences, which intervals draw


def test_scores_are_as_scipy_has_them(models: Callable[[str], Model]) -> None:
    model, rows = models("score"), text_rows(200)
    found = evaluate_rows(model, rows, draws=50)
    said = np.array(models("score").predict([row.text for row in rows]))
    gold = np.array([row.score for row in rows])
    figures = values(found)
    assert figures["pearson"] == pytest.approx(pearsonr(gold, said).statistic)
    assert figures["spearman"] == pytest.approx(spearmanr(gold, said).statistic)
    assert figures["mae"] == pytest.approx(sk.mean_absolute_error(gold, said))
    assert found.calibration is None
    assert found.classes == []
    order = np.argsort(-np.abs(said - gold), kind="stable")[:20]
    assert [one["line"] - 1 for one in found.worst] == order.tolist()
    assert found.worst[0]["error"] == pytest.approx(said[order[0]] - gold[order[0]])


def official(text: str) -> list[str]:
    """The words of an answer as SQuAD's script compares them."""
    bare = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def official_f1(said: str, gold: str) -> float:
    one, two = official(said), official(gold)
    if not one or not two:
        return float(one == two)
    same = sum((Counter(one) & Counter(two)).values())
    return 2 * same / (len(one) + len(two))


def test_answers_are_as_the_script_of_squad_has_them(models: Callable[[str], Model]) -> None:
    model, rows = models("answer"), question_rows(120)
    found = evaluate_rows(model, rows, draws=50)
    said = [one.best.text for one in models("answer").predict([(row.question, row.passage) for row in rows])]
    gold = [row.answers[0][0] if row.answers else "" for row in rows]
    f1 = np.array([official_f1(*pair) for pair in zip(said, gold, strict=True)])
    same = [official(one) == official(two) for one, two in zip(said, gold, strict=True)]
    assert values(found)["f1"] == pytest.approx(f1.mean())
    assert values(found)["exact_match"] == pytest.approx(np.mean(same))
    silent = np.array([not one for one in gold])
    assert values(found)["unanswerable_f1"] == pytest.approx(f1[silent].mean())
    assert all(f1[one["line"] - 1] == 0 for one in found.worst)
    chances = [one["confidence"] for one in found.worst]
    assert chances == sorted(chances, reverse=True)
    for one in found.worst:
        start, end = one["mark"]
        assert one["text"][start:end] == one["predicted"]


def test_the_worst_are_the_surest_wrong_ones(models: Callable[[str], Model]) -> None:
    rows = text_rows(400)
    found = evaluate_rows(models("classify"), rows, worst=7, draws=10)
    predictions = models("classify").predict([row.text for row in rows])
    sure = np.array([one.probabilities.max() for one in predictions])
    wrong = np.array([one.labels != row.labels for one, row in zip(predictions, rows, strict=True)])
    order = np.argsort(-np.where(wrong, sure, 0), kind="stable")[:7]
    assert [one["line"] - 1 for one in found.worst] == order.tolist()
    first = found.worst[0]
    assert first == {
        "file": str(FILE),
        "line": order[0] + 1,
        "text": rows[order[0]].text,
        "gold": list(rows[order[0]].labels),
        "predicted": list(predictions[order[0]].labels),
        "confidence": pytest.approx(sure[order[0]]),
    }


def test_the_worst_word_of_a_sentence_is_marked(models: Callable[[str], Model]) -> None:
    rows = word_rows(60, TASKS["pos"].labels.names)
    found = evaluate_rows(models("pos"), rows, draws=10)
    for one in found.worst:
        row = rows[one["line"] - 1]
        start, end = one["mark"]
        word = len(one["text"][:start].split())
        assert (one["text"][start:end], one["gold"]) == (row.words[word], row.tags[word])
        assert one["gold"] != one["predicted"]


def test_few_are_kept_and_the_first_of_equals_wins() -> None:
    worst = Worst(3)
    shown = []
    for number, badness in enumerate([0.5, 0.9, 0.5, 0.0, 0.9, 0.5, 0.7]):
        worst.see(badness, lambda number=number: shown.append(number) or {"number": number})
    assert [one["number"] for one in worst.items] == [1, 4, 6]
    assert shown == [0, 1, 2, 4, 6]
    none = Worst(0)
    none.see(0.9, lambda: shown.append(9) or {})
    assert (none.items, 9 in shown) == ([], False)


def test_long_texts_are_named_and_shown_in_part(models: Callable[[str], Model]) -> None:
    rows = text_rows(1100)
    for number in (3, 1050):
        rows[number] = TextRow("banco " * 3000, ("arte",), None, Path("b.csv"), number + 1)
    model = models("classify")
    found = evaluate_rows(model, rows, model.reading("cut", 32), draws=10)
    cut = found.truncation
    assert (cut["how"], cut["limit"], cut["long_texts"], cut["texts"]) == ("cut", 32, 2, 1100)
    assert cut["cut_tokens"] == 2 * (3000 - 30)
    assert cut["named"] == [
        {"number": 3, "file": "b.csv", "line": 4},
        {"number": 1050, "file": "b.csv", "line": 1051},
    ]
    assert all(len(one["text"]) < 500 for one in found.worst)
    with pytest.raises(InputError, match="longer than the model can read") as error:
        evaluate_rows(model, rows[1:], model.reading("error", 32))
    assert (error.value.file, error.value.line) == ("b.csv", 4)
    windows = evaluate_rows(model, rows, model.reading("windows", 32), draws=10).truncation
    assert (windows["how"], windows["cut_tokens"], windows["windows"] > 200) == ("windows", 0, True)


@pytest.mark.parametrize(
    ("task", "row", "what"),
    [
        ("classify", TextRow("texto", ("artes",), None, FILE, 7), "the label 'artes'"),
        ("several", TextRow("texto", ("arte", "x"), None, FILE, 7), "the label 'x'"),
        ("tag", WordsRow(("a", "b"), ("O", "B-ORG"), FILE, 7), "the type 'ORG'"),
        ("tag", WordsRow(("a", "b"), ("O", "NOUN"), FILE, 7), "the tag 'NOUN' is not that of an ent"),
        ("pos", WordsRow(("a", "b"), ("NOUN", "X"), FILE, 7), "the label 'X'"),
    ],
)
def test_unknown_labels_are_refused_with_their_line(
    models: Callable[[str], Model], task: str, row: object, what: str
) -> None:
    with pytest.raises(InputError, match=what) as error:
        evaluate_rows(models(task), [row])
    assert (error.value.file, error.value.line) == (str(FILE), 7)


def test_tags_that_the_model_never_gives_count_as_missed(models: Callable[[str], Model]) -> None:
    """I-LOC alone, or S-LOC, is an entity of a known type: an error of the model, not of the file."""
    found = evaluate_rows(models("tag"), [WordsRow(("a", "b"), ("S-LOC", "O"), FILE, 1)], draws=10)
    assert found.classes[0].support == 1


def test_no_rows_are_refused(models: Callable[[str], Model]) -> None:
    with pytest.raises(InputError, match="no rows to measure") as error:
        evaluate_rows(models("classify"), [], left_out={"unknown label": 3})
    assert error.value.found == "3 left out: unknown label"


def test_weights_that_are_no_numbers_are_refused(model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = make_model(model_folder("wordpiece"), "classify", tmp_path / "model")
    bundle = Bundle.load(folder)
    bundle.network.heads["classify"].out.bias.data[:] = float("nan")
    bundle.save(tmp_path / "broken")
    with pytest.raises(InputError, match="not a number"):
        evaluate_rows(ambos.load(tmp_path / "broken", "cpu"), text_rows(5))


def test_progress_counts_rows(models: Callable[[str], Model]) -> None:
    told: list[float] = []
    evaluate_rows(models("classify"), text_rows(1100), draws=10, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1100
    assert 0 < told[0] < 1024


@pytest.mark.parametrize("task", list(TASKS))
def test_saved_and_read_again(models: Callable[[str], Model], tmp_path: Path, task: str) -> None:
    rows = {
        "tag": word_rows(50, ("O", "B-LOC", "I-PER")),
        "pos": word_rows(50, ("ADJ", "NOUN", "VERB")),
        "answer": question_rows(30),
        "several": text_rows(50, several=True),
    }.get(task) or text_rows(50)
    data = tmp_path / "data.jsonl"
    data.write_text("whatever")
    found = evaluate_rows(models(task), rows, name="m", files=[str(data)])
    saved = read_evaluation(save_evaluation(tmp_path / "evaluation", "test", found))
    values = saved.values
    assert values == json.loads(json.dumps(found.as_dict(), allow_nan=False)) | {"npy": values["npy"]}
    assert values["files"] == [{"file": str(data), "sha256": sha256(data)}]
    assert (values["model"], values["task"], values["rows"]) == ("m", TASKS[task].name, len(rows))
    assert saved.examples.dtype.itemsize == (8 if task in {"score", "answer"} else 1)
    tally, examples = saved.evaluation.tally.beside([saved.examples])
    tally.add(examples)
    assert bootstrap(tally, saved.evaluation.measure) == found.metrics  # interval and all
    assert find_evaluation(tmp_path).file == saved.file


@pytest.mark.parametrize("sparse", [False, True])
def test_examples_are_saved_as_numpy_saves_arrays(
    models: Callable[[str], Model], tmp_path: Path, sparse: bool
) -> None:
    """Whether they are sparse or not: files that were written before, and other programs, read them."""
    found = evaluate_rows(
        models("several" if sparse else "classify"), text_rows(50, several=sparse), draws=10
    )
    file = save_evaluation(tmp_path, "test", found).with_suffix(".npy")
    assert issparse(found.examples) == sparse
    dense = found.examples.toarray() if sparse else found.examples
    expected = BytesIO()
    np.save(expected, dense)
    assert file.read_bytes() == expected.getvalue()
    again = read_evaluation(file.with_suffix(".json")).examples
    assert issparse(again) == sparse
    assert np.array_equal(again.toarray() if sparse else again, dense)


def test_saving_and_reading_many_labels_takes_little_memory(
    models: Callable[[str], Model], tmp_path: Path
) -> None:
    """30 million numbers, nearly all of them 0, are on the disk, not in memory."""
    names = tuple(f"label {number}" for number in range(3_000))
    examples = csr_array(
        (np.full(10_000, 3, np.uint8), np.arange(10_000) % 3_000, np.arange(10_001)), shape=(10_000, 3_000)
    )
    found = evaluate_rows(models("several"), text_rows(20, several=True), draws=10)
    many = replace(found, labels=names, examples=examples)
    tracemalloc.start()
    file = save_evaluation(tmp_path, "test", many)
    again = read_evaluation(file).examples
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert file.with_suffix(".npy").stat().st_size > 30_000_000
    assert (again != examples).nnz == 0
    assert peak < 8_000_000


def test_the_examples_have_a_digest_of_lines_and_gold_labels(models: Callable[[str], Model]) -> None:
    rows = text_rows(30)
    model = models("classify")
    digest = evaluate_rows(model, rows, draws=10).digest
    other_text = [TextRow("outro", row.labels, row.score, Path("other"), row.line) for row in rows]
    assert evaluate_rows(model, other_text, draws=10).digest == digest  # another column of the same file
    assert evaluate_rows(model, rows[1:], draws=10).digest != digest
    changed = [TextRow(rows[0].text, (LABELS.names[0],), None, FILE, 1), *rows[1:]]
    assert (evaluate_rows(model, changed, draws=10).digest == digest) == (
        rows[0].labels == (LABELS.names[0],)
    )


@pytest.mark.parametrize("harm", ["npy", "json", "gone", "shape", "pickle"])
def test_evaluations_that_are_not_whole_are_refused(
    models: Callable[[str], Model], tmp_path: Path, harm: str
) -> None:
    file = save_evaluation(tmp_path, "dev", evaluate_rows(models("classify"), text_rows(20), draws=10))
    rows = file.with_suffix(".npy")
    if harm == "npy":
        rows.write_bytes(rows.read_bytes()[:-1])
    elif harm == "json":
        file.write_text(file.read_text()[:-30])
    elif harm == "gone":
        rows.unlink()
    else:
        bad = np.zeros((20, 5)) if harm == "shape" else np.array([{"a": 1}], object)
        np.save(rows, bad, allow_pickle=True)
        values = json.loads(file.read_text()) | {"npy": sha256(rows)}
        file.write_text(json.dumps(values))
    with pytest.raises(InputError, match="not a whole evaluation") as error:
        read_evaluation(file)
    assert error.value.file == str(file)


def resident() -> int:
    """Memory of this process, in kB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(model_folder: Callable[[str], Path], tmp_path: Path) -> None:
    """40,960 rows, 300 labels, 12 to 66 tokens: probabilities of all would be 49 MB, of all tokens 2 GB.

    oneDNN keeps code for each size of matrices that it met: batches come in few sizes, which the first rows
    have met.
    """
    bundle = Bundle.load(model_folder("wordpiece"))
    labels = LabelSet(tuple(f"label {number}" for number in range(300)))
    bundle.add_head("classify", labels.names)
    bundle.network.heads["classify"].out.weight.data *= 20
    remember(bundle, Classify(labels))
    bundle.save(tmp_path / "model")
    model = ambos.load(tmp_path / "model", "cpu")
    short = [word for word, ids in zip(WORDS, model.tokenizer.ids_batch(WORDS), strict=True) if len(ids) == 3]
    assert len(short) > 2

    def rows(count: int) -> Iterator[TextRow]:
        chance = np.random.default_rng(0)
        for line in range(count):
            yield TextRow(
                " ".join(chance.choice(short, chance.integers(10, 65))),
                (labels.names[chance.integers(300)],),
                None,
                FILE,
                line,
            )

    sizes: list[int] = []
    evaluate_rows(model, rows(20_480), progress=lambda _: sizes.append(resident()))
    before = max(sizes)
    found = evaluate_rows(model, rows(40_960), progress=lambda _: sizes.append(resident()))
    assert found.rows == 40_960
    assert max(sizes) - before < 16_000
