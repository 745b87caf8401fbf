"""The page about a fine-tuned model: what it tells, and that it is safe to open."""

import base64
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import ambos
from ambos.analysis.evaluation_pictures import (
    draw_classes,
    draw_confusion,
    draw_reliability,
    draw_scores,
    draw_training,
    words,
)
from ambos.analysis.evaluation_report import write_evaluation_report, write_finetuning_report
from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.data.rows import TextRow
from ambos.errors import InputError
from ambos.predict.learnt import remember
from ambos.runs.evaluation import Evaluated, evaluate_rows
from ambos.runs.saved_evaluations import save_evaluation, write_folder
from ambos.tasks.classify import Classify
from tests.predict.models import TASKS, make_model
from tests.runs.test_evaluation import question_rows, text_rows, word_rows

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<img src=x onerror="alert(1)">'
NAMES = (EVIL, "a&b</td>", "plain")


class Tags(HTMLParser):
    """Counts the tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def pictures(page: str) -> list[ET.Element]:
    found = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)
    return [ET.fromstring(base64.b64decode(one)) for one in found]


def texts(svg: ET.Element | str) -> list[str]:
    element = ET.fromstring(svg) if isinstance(svg, str) else svg
    return [one.text or "" for one in element.iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def evil(model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """An evaluation whose texts, labels and file names are HTML."""
    bundle = Bundle.load(model_folder("wordpiece"))
    bundle.add_head("classify", NAMES, seed=3)
    bundle.network.heads["classify"].out.weight.data *= 20
    remember(bundle, Classify(LabelSet(NAMES)))
    folder = tmp_path_factory.mktemp("evil")
    bundle.save(folder / "model")
    file = folder / "<b>.csv"
    file.write_text("x")
    rows = [
        TextRow(f"{EVIL} banco {row.text}", (NAMES[row.line % 3],), None, file, row.line)
        for row in text_rows(60)
    ]
    rows[7] = TextRow("longo " * 90, (NAMES[0],), None, file, 8)
    return evaluate_rows(ambos.load(folder / "model", "cpu"), rows, name=EVIL, files=[str(file)], draws=50)


def make_run(folder: Path, **about: object) -> Path:
    folder.mkdir()
    metrics = [
        {"kind": "train", "step": n, "loss": 2 - n / 50, "lr": 1e-4, "task_loss": 1, "epoch": 0}
        for n in range(1, 61)
    ]
    for step, value in ((20, 0.5), (40, 0.7), (60, 0.6)):
        estimate = {"value": value, "low": value - 0.1, "high": value + 0.1}
        best = step < 60
        metrics.append(
            {"kind": "dev", "step": step, "accuracy": estimate, "metric": "accuracy", "best": best}
        )
    (folder / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in metrics))
    values = {
        "task": "classify",
        "base": EVIL,
        "status": "finished",
        "finished": "2026-05-04T10:20:00+00:00",
        "labels": list(NAMES),
        "rows": {"train": 1200, "dev": 60, "test": 60},
        "steps": 60,
        "tokens": 60_000,
        "epochs": 2.0,
        "seconds": 75.0,
        "best": {"step": 40, "metric": "accuracy"},
        "truncation": {
            "how": "cut", "limit": 64, "texts": 1200, "tokens": 30_100, "long_texts": 1, "cut_tokens": 100,
            "windows": 0, "named": [{"number": 3, "file": "<b>/train.csv", "line": 5}], "summary": "long",
        },
        "calibration": {
            "what": "temperature", "before": 1.0, "after": 1.62, "measure": "calibration error",
            "measure_before": 0.091, "measure_after": 0.024, "examples": 60,
        },
        "texts": [{"file": "/somewhere/<i>train.csv"}],
        **about,
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(values))
    (folder / "recipe.toml").write_text('task = "classify" # <script>\n')
    return folder


def test_every_figure_of_a_label_and_of_calibration_has_its_interval(evil: Evaluated, tmp_path: Path) -> None:
    values = json.loads(json.dumps(evil.as_dict()))
    write_evaluation_report(tmp_path / "new.html", values)
    shown = Tags((tmp_path / "new.html").read_text()).text.replace("\u00a0", " ")
    for one in values["classes"]:
        for name in ("precision", "recall", "f1"):
            ends = one["intervals"][name]
            assert ends["low"] <= one[name] <= ends["high"]
            assert f"{one[name]:.3f} {ends['low']:.3f} – {ends['high']:.3f}" in shown
    assert "A line along a bar is the interval of F1" in shown
    error = values["calibration"]
    assert error["low"] <= error["error"] <= error["high"]
    assert re.search(r"the expected calibration error \(95 % interval [\d.]+ %–[\d.]+ %\)", shown)


def test_evaluations_from_before_classes_had_intervals_are_shown(evil: Evaluated, tmp_path: Path) -> None:
    values = json.loads(json.dumps(evil.as_dict()))
    for one in values["classes"]:
        del one["intervals"]
    del values["calibration"]["low"], values["calibration"]["high"]
    write_evaluation_report(tmp_path / "old.html", values)
    shown = Tags((tmp_path / "old.html").read_text()).text
    assert "the expected calibration error." in shown
    assert "interval of F1" not in shown


def test_a_whole_run(evil: Evaluated, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    for name in ("dev", "other", "test"):
        save_evaluation(run / "evaluation", name, evil)
    page = write_finetuning_report(run).read_text()
    seen = Tags(page)
    for part in (
        "1,200 rows 2 times, in 60 steps and 1\u00a0min\u00a015\u00a0s",
        "The weights of step 40 were kept, the best of 3 by accuracy on 60 dev rows.",
        "the temperature was fitted: 1.62 instead of 1.00",
        "from 0.091 to 0.024",
        "The dev rows chose the weights",
        "What is taken for what (test)",
        "How sure it is (test)",
        "What it is most wrong about (test)",
        "Too long in train: train.csv: line 5.",
        "Too long in test: <b>.csv: line 8.",
        "ambos evaluate run FILE",
    ):
        assert part in seen.text, part
    columns = seen.text[seen.text.index("metric") :]
    assert columns.index("test") < columns.index("other") < columns.index("dev")
    titles = [text for picture in pictures(page) for text in texts(picture)]
    assert {"Loss", "Accuracy on the dev rows", "predicted", "gold"} <= set(titles)
    assert (run / "curves.svg").read_text().startswith("<svg")
    assert write_finetuning_report(run).read_text() == page  # the same files, the same bytes


@pytest.mark.parametrize("name", ["test.json", "test.npy"])
def test_a_damaged_evaluation_is_named(evil: Evaluated, tmp_path: Path, name: str) -> None:
    run = make_run(tmp_path / "run")
    save_evaluation(run / "evaluation", "test", evil)
    file = run / "evaluation" / name
    file.write_bytes(file.read_bytes()[:90])
    with pytest.raises(InputError, match=r"not .* evaluation") as caught:
        write_finetuning_report(run)
    assert (caught.value.file, bool(caught.value.fix)) == (str(file), True)


def test_nothing_in_a_page_is_html_but_the_page(evil: Evaluated, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    save_evaluation(run / "evaluation", "test", evil)
    (tmp_path / "alone").mkdir()
    write_folder(tmp_path / "alone", evil)
    for page in (write_finetuning_report(run).read_text(), (tmp_path / "alone" / "report.html").read_text()):
        seen = Tags(page)
        images = [attributes for tag, attributes in seen.seen if tag == "img"]
        assert all(one["src"].startswith("data:image/svg+xml;base64,") for one in images)
        assert not any(name.startswith("on") for _, attributes in seen.seen for name in attributes)
        assert not {"script", "b", "i", "iframe", "link"} & {tag for tag, _ in seen.seen}
        assert EVIL in seen.text
        assert "a&b</td>" in seen.text
        drawn = [text for picture in pictures(page) for text in texts(picture)]
        assert "a&b</td>" in drawn
        for picture in pictures(page):
            assert not list(picture.iter(f"{SVG}script"))
            for element in picture.iter():
                href = element.get("{http://www.w3.org/1999/xlink}href")
                assert href is None or href.startswith("#")


def test_a_run_without_test_rows_says_so(evil: Evaluated, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", kept_back=True, left_out={"train": {"empty text": 2}}, ended_early=True)
    save_evaluation(run / "evaluation", "dev", evil)
    text = Tags(write_finetuning_report(run).read_text()).text
    assert "There are no test rows" in text
    assert "kept back from the training file" in text
    assert "Rows were left out: 2 for empty text." in text
    assert "Training ended early" in text
    assert "What is taken for what (dev)" in text


def test_a_run_that_was_stopped_early(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "metrics.jsonl").write_text(
        '{"kind": "train", "step": 1, "loss": 0.7, "lr": 0.1}\n{"kind": "tr'
    )
    (folder / "run.json").write_text('{"task": "tag", "base": "minilm", "status": "stopped"}')
    seen = Tags(write_finetuning_report(folder).read_text())
    assert "Fine-tuning run stopped before its end" in seen.text
    assert "How good it is" not in seen.text
    (folder / "evaluation").mkdir()
    (folder / "evaluation" / "dev.json").write_text("[1")
    with pytest.raises(InputError, match="not an evaluation"):
        write_finetuning_report(folder)


@pytest.mark.parametrize("task", list(TASKS))
def test_an_evaluation_alone(model_folder: Callable[[str], Path], tmp_path: Path, task: str) -> None:
    rows = {
        "tag": word_rows(40, ("O", "B-LOC", "I-PER")),
        "pos": word_rows(40, ("ADJ", "NOUN", "VERB")),
        "answer": question_rows(30),
        "several": text_rows(40, several=True),
    }.get(task) or text_rows(40)
    data = tmp_path / "data.jsonl"
    data.write_text("x")
    model = ambos.load(make_model(model_folder("wordpiece"), task, tmp_path / "model"), "cpu")
    found = evaluate_rows(model, rows, name="m", files=[str(data)], draws=50)
    write_evaluation_report(tmp_path / "page.html", found.as_dict(), found.examples)
    page = (tmp_path / "page.html").read_text()
    seen = Tags(page)
    assert "m on data.jsonl" in seen.text
    assert "What it is most wrong about" in seen.text
    count = {"classify": 3, "several": 2, "score": 1, "tag": 2, "pos": 3, "answer": 1}[task]
    assert len(pictures(page)) == count
    if task in {"tag", "pos"}:
        start, end = found.worst[0]["mark"]
        assert f"<strong>{found.worst[0]['text'][start:end]}</strong>" in page


def test_a_model_that_is_always_right(tmp_path: Path, evil: Evaluated) -> None:
    values = evil.as_dict() | {"worst": []}
    write_evaluation_report(tmp_path / "page.html", values)
    assert "Nothing is wrong." in (tmp_path / "page.html").read_text()


def test_hundreds_of_labels_are_drawn_in_part() -> None:
    chance = np.random.default_rng(0)
    labels = [f"label {number} with a very long name" for number in range(300)]
    counts = chance.integers(0, 3, (300, 300))
    counts[7] += 50
    shown = texts(draw_confusion(labels, counts))
    names = {text for text in shown if text.startswith("label")}
    assert len(names) == 30
    assert "label 7 with a very lo…" in names or "label 7 with a very l…" in names
    classes = [
        {"label": name, "precision": 0.5, "recall": 0.5, "f1": n / 300} for n, name in enumerate(labels)
    ]
    drawn = [text for text in texts(draw_classes(classes)) if text.startswith("label")]
    assert len(drawn) == 30
    assert drawn[0].startswith("label 0 ")


def test_pictures_of_little() -> None:
    assert "3" in texts(draw_confusion(["$x$", "y"], np.array([[3, 0], [0, 0]])))
    one = {"low": 0.9, "high": 1.0, "count": 2, "confidence": 0.95, "accuracy": 1.0}
    assert "calibration error 0.050" in texts(draw_reliability([one], 0.05))
    assert "gold" in texts(draw_scores(np.array([1.0]), np.array([1.0])))
    assert len(draw_scores(np.arange(1e5), np.arange(1e5))) < 400_000
    assert draw_training([], []).startswith("<svg")
    broken = [{"kind": "dev", "step": 1, "metric": "f1", "f1": {"value": float("nan"), "low": 0, "high": 1}}]
    assert draw_training(broken, []).startswith("<svg")


def test_metrics_have_names() -> None:
    assert [words(name) for name in ("micro_f1", "token_accuracy", "rmse")] == [
        "micro F1",
        "token accuracy",
        "root mean squared error",
    ]
