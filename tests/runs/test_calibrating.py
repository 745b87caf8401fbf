"""What is fitted on the dev rows: the likeliest temperature, the best threshold; and that runs keep it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, logsumexp

import ambos
from ambos.bundle.bundle import Bundle
from ambos.data.rows import QuestionRow, TextRow, WordsRow
from ambos.data.windows import Ledger
from ambos.errors import InputError
from ambos.evaluate.answers import score
from ambos.predict.rows import predict_rows
from ambos.recipe import load_recipe
from ambos.runs.calibrating import calibrate
from ambos.runs.evaluation import evaluate_rows
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_run import finetune
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.folder import read_run
from ambos.runs.log import Silent
from ambos.train.loop import State
from ambos.train.signals import Stop

HERE = Path("rows")
TOPICS = {
    "mar": ("porto", "barco", "onda"),
    "rua": ("carro", "casa", "praça"),
    "céu": ("lua", "sol", "nuvem"),
}
FILLER = ("o", "a", "muito", "dia", "hoje", "longe")


def recipe(task: str = "classify", **more: object) -> FinetuneRecipe:
    given = {"task": task, "batch": 8, "epochs": 3.0, "learning": {"lr": 3e-3, "dropout": 0.0}}
    return load_recipe(FinetuneRecipe, [given, more])


def topics(count: int, seed: int, *, several: bool = False, noise: float = 0.2) -> list[TextRow]:
    """Texts with a word for each of their labels; some labels are wrong, so that sure models err."""
    chance = np.random.default_rng(seed)
    rows = []
    for line in range(1, count + 1):
        labels = [str(name) for name in TOPICS if chance.random() < 0.5] if several else []
        labels = labels if several else [str(chance.choice(list(TOPICS)))]
        words = [str(chance.choice(TOPICS[name])) for name in labels]
        words += map(str, chance.choice(FILLER, chance.integers(1, 6)))
        chance.shuffle(words)
        if chance.random() < noise:
            labels = [str(chance.choice(list(TOPICS)))]
        rows.append(TextRow(" ".join(words), tuple(labels), None, HERE, line))
    return rows


def tagged(count: int, seed: int) -> list[WordsRow]:
    chance = np.random.default_rng(seed)
    names = {word: name for name, words in TOPICS.items() for word in words}
    rows = []
    for line in range(1, count + 1):
        words = [str(word) for word in chance.choice([*names, *FILLER], chance.integers(1, 9))]
        tags = [names.get(word, "nada") if chance.random() > 0.2 else "nada" for word in words]
        rows.append(WordsRow(tuple(words), tuple(tags), HERE, line))
    return rows


def questions(count: int, seed: int, *, unanswerable: float = 0.4) -> list[QuestionRow]:
    chance = np.random.default_rng(seed)
    names = list(TOPICS)
    rows = []
    for line in range(1, count + 1):
        asked, there = chance.choice(names, 2)
        there = there if chance.random() < unanswerable else asked
        passage = f"{' '.join(chance.choice(FILLER, 4))} {there} é {chance.choice(TOPICS[there])} hoje"
        answer = passage.split()[-2]
        answers = ((answer, passage.index(f" {answer} ") + 1),) if there == asked else ()
        rows.append(QuestionRow(str(line), f"o que é {asked}?", passage, answers, HERE, line))
    return rows


def trained(folder: Path, train: list, dev: list, how: FinetuneRecipe) -> Finetuning:
    work = Finetuning(Bundle.load(folder), train, dev, how)
    work.loop(Silent()).run(State(due=False), Stop())
    work.best.restore()
    work.bundle.network.eval()
    return work


def far(temperature: float) -> float:
    """How unlikely a temperature is before any row is seen: log T is normal, with a deviation of 0.5."""
    return float(np.log(temperature) ** 2 / (2 * 0.5**2))


@pytest.fixture
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


def test_one_label(base: Path, tmp_path: Path) -> None:
    work = trained(base, topics(160, 0), topics(150, 1), recipe())
    work.finish()
    record = work.calibration
    work.bundle.save(tmp_path / "model")
    model = ambos.load(tmp_path / "model", "cpu")
    predictions = model.predict([row.text for row in work.dev])
    logits = np.array([one.logits for one in predictions], np.float64)
    gold = work.task.target(work.dev)
    best = minimize_scalar(
        lambda t: -log_softmax(logits / t, -1)[np.arange(len(gold)), gold].sum() + far(t),
        bounds=(0.05, 20),
        method="bounded",
    )
    assert record["after"] == pytest.approx(best.x, rel=1e-3)
    assert (record["what"], record["before"], record["examples"]) == ("temperature", 1.0, 150)
    assert model.learnt.temperature == work.bundle.learnt["temperature"] == record["after"]
    found = evaluate_rows(model, work.dev, draws=10)
    assert found.calibration.error == pytest.approx(record["measure_after"], abs=1e-4)
    assert found.calibration.temperature == record["after"]
    right = logits.argmax(1) == gold
    assert found.metrics["accuracy"].value == right.mean()  # what it says is as before
    assert record["measure_before"] != record["measure_after"]


def test_several_labels(base: Path) -> None:
    work = trained(base, topics(160, 0, several=True), topics(150, 1, several=True), recipe(several=True))
    record = calibrate(work)
    model_logits = []
    for row in work.dev:  # one at a time, by another way
        examples = work.task.encode([row], work.reading, work.ledger, labelled=True)
        part = next(iter(examples.parts(np.arange(1), 1024)))
        model_logits.append(work.bundle.network(part.batch, "classify", None).detach().numpy()[0])
    logits, gold = np.array(model_logits, np.float64), work.task.target(work.dev)

    def loss(t: float) -> float:
        both = np.stack([np.zeros_like(logits), logits / t])
        return float(-(np.where(gold > 0.5, both[1], both[0]) - logsumexp(both, 0)).sum()) + far(t)

    best = minimize_scalar(loss, bounds=(0.05, 20), method="bounded")
    assert record["after"] == pytest.approx(best.x, rel=1e-3)


def test_tags(base: Path) -> None:
    work = trained(base, tagged(120, 0), tagged(100, 1), recipe("tag"))
    before = work.measure(work.dev)
    record = calibrate(work)
    assert record["examples"] == sum(len(row.words) for row in work.dev)
    assert work.task.temperature == record["after"] != 1.0
    assert record["measure_after"] < record["measure_before"] + 0.01
    assert work.measure(work.dev) == before


def test_nothing_to_fit(base: Path) -> None:
    rows = [TextRow(word, (name,), None, HERE, 1) for name, words in TOPICS.items() for word in words] * 4
    work = trained(base, rows, rows, recipe(epochs=12.0))
    assert work.measure(work.dev)["accuracy"].value == 1.0
    assert calibrate(work) is None  # all right: ever colder would seem better
    assert work.task.temperature == 1.0
    work.dev = []
    assert calibrate(work) is None
    scores = [TextRow(row.text, (), float(len(row.text)), HERE, 1) for row in rows]
    assert calibrate(Finetuning(Bundle.load(base), scores, scores, recipe("score"))) is None


def test_when_not_to_answer(base: Path) -> None:
    work = trained(base, questions(200, 0), questions(80, 1), recipe("answer"))
    record = calibrate(work)
    assert record["what"] == "threshold of no answer"
    assert work.task.threshold == record["after"]
    assert record["also"]["what"] == "temperature"
    found = work.measure(work.dev)
    assert found["f1"].value == pytest.approx(record["measure_after"])
    chosen = record["after"]
    for other in (chosen - 5, chosen - 1, chosen - 0.1, chosen + 0.1, chosen + 1, chosen + 5, 0.0):
        work.task.threshold = other
        f1 = work.measure(work.dev)["f1"].value
        assert f1 <= record["measure_after"] + 1e-9
        if other == 0.0:
            assert f1 == pytest.approx(record["measure_before"])


def test_no_question_stands_at_the_threshold(base: Path) -> None:
    """Else the last digits of the arithmetic would decide if it is answered."""
    work = trained(base, questions(200, 0), questions(80, 1), recipe("answer"))
    record = calibrate(work)
    found = predict_rows(
        work.bundle.network, work.task, work.dev, work.reading, Ledger(), device=torch.device("cpu")
    )
    doubt = np.array([one.no_answer for _, part in found for one in part])
    assert np.abs(doubt - record["after"]).min() > 1e-4


def test_questions_that_all_have_answers_leave_the_threshold(base: Path) -> None:
    how = recipe("answer", epochs=0.1)
    work = trained(base, questions(40, 0), questions(20, 1, unanswerable=0.0), how)
    assert all(score(row.answers[0][0], [row.answers[0][0]]) == (1, 1) for row in work.dev)
    assert work.task.no_answers
    assert calibrate(work)["what"] == "temperature"
    assert work.task.threshold == 0.0
    answered = trained(base, questions(40, 0, unanswerable=0.0), questions(20, 1), how)
    assert calibrate(answered)["what"] == "temperature"  # such a model always answers
    assert answered.task.threshold == 0.0


@pytest.mark.parametrize("unanswerable", [0.4, 0.0])
def test_how_sure_to_be_of_answers(base: Path, tmp_path: Path, unanswerable: float) -> None:
    """The temperature is the likeliest; the saved model says the same, with other probabilities."""
    rows = (questions(count, seed, unanswerable=unanswerable) for count, seed in ((200, 0), (80, 1)))
    work = trained(base, *rows, recipe("answer"))
    work.finish()
    record = work.calibration.get("also", work.calibration)
    work.bundle.save(tmp_path / "model")
    model = ambos.load(tmp_path / "model", "cpu")
    assert model.learnt.temperature == record["after"] == work.bundle.learnt["temperature"] != 1.0
    asked = [(row.question, row.passage) for row in work.dev]
    model.learnt.candidates = 20
    sure = model.predict(asked)
    model.learnt.temperature = 1.0
    plain = model.predict(asked)
    assert [one.best.text for one in sure] == [one.best.text for one in plain]

    def loss(t: float) -> float:
        lost = []
        for row, one in zip(work.dev, plain, strict=True):
            texts = [said.text for said in one.candidates]
            scores = [said.score for said in one.candidates]
            if unanswerable:
                texts.append("")
                scores.append(scores[0] + one.no_answer - model.learnt.threshold)
            gold = row.answers[0][0] if row.answers else ""
            right = max(
                (z for text, z in zip(texts, scores, strict=True) if text == gold), default=min(scores)
            )
            lost.append(logsumexp(np.array(scores) / t) - right / t)
        return float(np.mean(lost))

    best = minimize_scalar(loss, bounds=(0.05, 20), method="bounded")
    assert record["after"] == pytest.approx(best.x, rel=1e-2)
    model.learnt.temperature = record["after"]
    found = evaluate_rows(model, work.dev, draws=10)
    assert found.calibration.error == pytest.approx(record["measure_after"], abs=1e-4)
    assert found.calibration.temperature == record["after"]


def test_models_that_were_saved_without_a_temperature(base: Path, tmp_path: Path) -> None:
    work = trained(base, questions(40, 0), [], recipe("answer", epochs=0.1))
    work.finish()
    del work.bundle.learnt["temperature"]
    work.bundle.save(tmp_path / "model")
    model = ambos.load(tmp_path / "model", "cpu")
    assert (model.learnt.temperature, model.learnt.no_answers) == (1.0, True)
    (said,) = model.predict([("o que é mar?", "mar é onda hoje")])
    assert 0 <= said.no_answer_probability <= 1


def test_a_report_tells_of_all_that_was_fitted(base: Path, tmp_path: Path) -> None:
    files = {}
    for seed, name in enumerate(["train", "dev"]):
        lines = [
            {
                "id": row.id,
                "question": row.question,
                "passage": row.passage,
                "answers": [{"text": text, "answer_start": start} for text, start in row.answers],
            }
            for row in questions(80, seed)
        ]
        files[name] = [str(tmp_path / f"{name}.jsonl")]
        Path(files[name][0]).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert finetune(tmp_path / "run", recipe("answer", base=str(base), data=files))
    report = (tmp_path / "run" / "report.html").read_text()
    assert "the threshold of no answer was fitted" in report
    assert "the temperature was fitted" in report
    assert "How sure it is (dev)" in report


def write(file: Path, rows: list[TextRow]) -> str:
    lines = (json.dumps({"text": row.text, "label": row.labels[0]}, ensure_ascii=False) for row in rows)
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def test_a_run_keeps_calibration_and_evaluations(base: Path, tmp_path: Path) -> None:
    files = {
        name: [write(tmp_path / f"{name}.jsonl", topics(100, seed))]
        for seed, name in enumerate(["train", "dev", "test"])
    }
    out = tmp_path / "run"
    assert finetune(out, recipe(base=str(base), data=files))
    about = read_run(out)
    model = ambos.load(out, "cpu")
    assert model.learnt.temperature == about["calibration"]["after"] != 1.0
    for name in ("dev", "test"):
        values = json.loads((out / "evaluation" / f"{name}.json").read_text())
        assert values["file"] == files[name][0]
        assert values["model"] == "run"
        assert values["metrics"] == about["evaluation"][name]
        assert values["calibration"]["temperature"] == model.learnt.temperature
        assert (out / "evaluation" / f"{name}.npy").exists()
    assert "How good it is" in (out / "report.html").read_text()
    assert finetune(out, recipe(base=str(base), data=files, epochs=0.1), force=True)  # over what a run leaves
    assert read_run(out)["evaluation"] != about["evaluation"]


def test_labels_of_dev_and_test_that_are_not_learnt(base: Path, tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", topics(40, 0))
    strange = TextRow("fogo hoje", ("fogo",), None, HERE, 1)
    test = write(tmp_path / "test.jsonl", [*topics(10, 1), strange])
    values = {"base": str(base), "epochs": 0.2}
    with pytest.raises(InputError, match="fogo") as error:
        finetune(tmp_path / "run", recipe(**values, data={"train": [train], "test": [test]}))
    assert (error.value.file, error.value.line) == (test, 11)
    assert not (tmp_path / "run").exists()
    data = {"train": [train], "test": [test], "skip_bad": True}
    finetune(tmp_path / "run", recipe(**values, data=data))
    about = read_run(tmp_path / "run")
    assert (about["rows"]["test"], about["left_out"]["test"]) == (10, {"unknown label": 1})


def test_a_label_that_one_row_has_is_learnt(base: Path, tmp_path: Path) -> None:
    """Whichever rows are kept back to select by, no label is lost by it."""
    rows = [*topics(40, 0), TextRow("fogo", ("fogo",), None, HERE, 1)]
    train = write(tmp_path / "train.jsonl", rows)
    assert finetune(tmp_path / "run", recipe(base=str(base), epochs=0.1, data={"train": [train]}))
    about = read_run(tmp_path / "run")
    assert "fogo" in about["labels"]
    assert not about["left_out"]["dev"]
