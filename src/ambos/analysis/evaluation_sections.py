"""The parts of a page about an evaluation: metrics, confusions, reliability, classes, errors, cut texts."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from ambos.analysis.evaluation_pictures import (
    FEW,
    MOST,
    draw_classes,
    draw_confusion,
    draw_reliability,
    draw_scores,
    words,
)
from ambos.analysis.numbers import SPACE, listed, percent
from ambos.analysis.page import Page, Span, Text, faint, strong

Values = Mapping[str, Any]
_CLASSES = 200  # rows of a table
_PAIRS = 10
_NAMED = 10
_NOTHING = "–"


def show_metrics(page: Page, evaluations: Mapping[str, Values]) -> None:
    """Show all metrics of evaluations side by side, in the order given."""
    columns, right = ["metric"], []
    for name in evaluations:
        columns += [name, f"95{SPACE}% interval ({name})"]
        right += columns[-2:]
    names = dict.fromkeys(metric for values in evaluations.values() for metric in values["metrics"])
    main = {values["main"] for values in evaluations.values()}
    rows: list[list[Text]] = []
    for metric in names:
        row: list[Text] = [strong(words(metric)) if metric in main else words(metric)]
        for values in evaluations.values():
            found = values["metrics"].get(metric)
            row += [strong(_figure(found["value"])), _interval(found)] if found else [_NOTHING, _NOTHING]
        rows.append(row)
    page.table(columns, rows, right=right)
    sizes = listed([f"{values['rows']:,} rows ({name})" for name, values in evaluations.items()])
    page.paragraph(
        faint(
            f"Measured on {sizes}. An interval is what the figure could have been with other examples of the "
            "same kind: examples are drawn again, with replacement, 1,000 times."
        )
    )
    for name, values in evaluations.items():
        if values["left_out"]:
            reasons = listed([f"{count:,} for {why}" for why, count in values["left_out"].items()])
            page.paragraph(f"Rows of {name} that could not be used were left out: {reasons}.")


def _figure(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def _interval(found: Values) -> str:
    return f"{_figure(found['low'])}{SPACE}–{SPACE}{_figure(found['high'])}"


def show_evaluation(page: Page, name: str, values: Values, examples: np.ndarray | None = None) -> None:
    """Show what there is behind the metrics of one evaluation; `examples` are (gold, predicted) scores."""
    if examples is not None and "pearson" in values["metrics"]:  # else there is but one gold score
        page.heading(f"Scores ({name})")
        page.picture(
            draw_scores(*examples[~np.isnan(examples[:, 0]), :2].T), "Predicted scores against gold ones."
        )
    if values["confusion"]:
        _show_confusion(page, name, values["confusion"])
    if values["classes"]:
        _show_classes(page, name, values["classes"])
    if values["calibration"]:
        _show_calibration(page, name, values["calibration"])
    _show_worst(page, name, values)


def _show_confusion(page: Page, name: str, confusion: Values) -> None:
    labels, counts = confusion["labels"], np.array(confusion["counts"])
    page.heading(f"What is taken for what ({name})")
    some = f" The {MOST} labels with most errors of {len(labels):,}." if len(labels) > MOST else ""
    page.picture(
        draw_confusion(labels, counts),
        f"Rows are gold labels, columns predicted ones; the darker, the larger the share of the row.{some}",
    )
    wrong = counts - np.diag(counts.diagonal())
    order = np.argsort(-wrong, axis=None, kind="stable")[:_PAIRS]
    pairs = [divmod(int(place), len(labels)) for place in order]
    rows: list[list[Text]] = [
        [
            labels[gold],
            labels[said],
            f"{wrong[gold, said]:,}",
            percent(wrong[gold, said] / counts[gold].sum()),
        ]
        for gold, said in pairs
        if wrong[gold, said]
    ]
    if rows and len(labels) > 2:
        page.table(["gold", "taken for", "times", "of that label"], rows, right=["times", "of that label"])


def _show_classes(page: Page, name: str, classes: Sequence[Values]) -> None:
    page.heading(f"Label by label ({name})")
    certain = any(one.get("intervals") for one in classes)  # older evaluations have none
    if len(classes) > 1:
        line = " A line along a bar is the interval of F1." if certain else ""
        page.picture(draw_classes(classes), f"The worst first.{line}")
    columns = ["label", "precision", "recall", "F1", "examples"]
    shown = sorted(classes, key=lambda one: -one["support"])[:_CLASSES]
    page.table(
        columns,
        [
            [
                one["label"],
                *(_with_interval(one, key) for key in ("precision", "recall", "f1")),
                f"{one['support']:,}",
            ]
            for one in shown
        ],
        right=columns[1:],
    )
    if certain:
        page.paragraph(
            faint(
                "Beside each figure stands its 95 % interval, from the same draws of examples. Where a draw "
                "has nothing of a label, its figures are 0: intervals of rare labels are wide."
            )
        )
    if len(classes) > len(shown):
        page.paragraph(faint(f"The {len(shown)} most frequent of {len(classes):,} labels."))


def _with_interval(score: Values, key: str) -> Text:
    """Return a figure of a class, and its interval if there is one."""
    found = (score.get("intervals") or {}).get(key)
    figure = f"{score[key]:.3f}"
    return [figure, faint(f" {_interval(found)}")] if found else figure


def _show_calibration(page: Page, name: str, calibration: Values) -> None:
    if not calibration["bins"]:
        return
    page.heading(f"How sure it is ({name})")
    temperature = calibration["temperature"]
    fitted = (
        f" Logits are divided by {temperature:.2f}, the temperature that was fitted on the dev rows."
        if temperature != 1
        else ""
    )
    between = (
        f" (95{SPACE}% interval {percent(calibration['low'])}–{percent(calibration['high'])})"
        if "low" in calibration  # older evaluations have none
        else ""
    )
    page.picture(
        draw_reliability(calibration["bins"], calibration["error"]),
        "Among the predictions of which the model is, say, 80 % sure, 80 % should be right: on the dashed "
        f"line. Pale bars stand for fewer than {FEW} predictions. The lower picture shows which share of the "
        "predictions is how sure.",
    )
    page.paragraph(
        [
            "What the model says and how often it is right differ by ",
            strong(percent(calibration["error"])),
            f" on average, the expected calibration error{between}.{fitted}",
        ]
    )


def _show_worst(page: Page, name: str, values: Values) -> None:
    worst = values["worst"]
    page.heading(f"What it is most wrong about ({name})")
    if not worst:
        page.paragraph("Nothing is wrong.")
        return
    how = {
        "score": "The largest errors.",
        "embed": "Cosines furthest from what they should be.",
        "answer": "Answers without a word of a right one, the likeliest first.",
    }
    default = "Wrong ones that the model was surest of. Labels in the file may be wrong, too: look at them."
    page.paragraph(how.get(values["task"], default))
    last = "error" if values["task"] in {"score", "embed"} else "sure"
    alone = len(values["files"]) == 1
    where = "id" if values["task"] == "answer" else "line" if alone else "file and line"
    page.table(
        ["text", "gold", "predicted", last, where],
        [
            [
                _marked(item),
                _said(item["gold"]),
                _said(item["predicted"]),
                f"{item['error']:+.3g}" if last == "error" else percent(item["confidence"]),
                faint(str(item.get("id") or (f"{item['line']:,}" if alone else _where(item)))),
            ]
            for item in worst
        ],
        right=[last, *(["line"] if where == "line" else [])],
    )


def _marked(item: Values) -> list[str | Span]:
    """Return the text of an example, below its question if it has one, with the place in question in bold."""
    text, (start, end) = item["text"], item.get("mark", (0, 0))
    marked: list[str | Span] = [text[:start], strong(text[start:end]), text[end:]] if end > start else [text]
    return [strong(f"{item['question']}\n"), *marked] if "question" in item else marked


def _said(value: Any) -> Text:  # noqa: ANN401 (labels, a tag, a number, answers)
    if isinstance(value, float):
        return f"{value:.3g}"
    text = "\n".join(value) if isinstance(value, list) else str(value)
    return text or faint("nothing")


def show_truncation(page: Page, truncations: Mapping[str, Values]) -> None:
    """Show how many texts were too long and what became of them, by the name of the rows."""
    page.heading("Long texts")
    columns = ["rows", "texts", "tokens", "longest read", "too long", "tokens left out", "windows"]
    keys = ("texts", "tokens", "limit", "long_texts", "cut_tokens", "windows")
    rows = [[name, *(f"{found[key]:,}" for key in keys)] for name, found in truncations.items()]
    page.table(columns, rows, right=columns[1:])
    for name, found in truncations.items():
        if not found["long_texts"]:
            continue
        places: dict[str, list[str]] = {}
        for one in found["named"][:_NAMED]:
            file = PurePath(one["file"]).name
            places.setdefault(file, []).append(
                f"question {one['id']}" if "id" in one else f"line {one['line']:,}"
            )
        more = found["long_texts"] - len(found["named"][:_NAMED])
        rest = f" and {more:,} more" if more > 0 else ""
        shown = "; ".join(f"{file}: {', '.join(lines)}" for file, lines in places.items())
        page.paragraph([f"Too long in {name}: ", faint(f"{shown}{rest}"), "."])
    if not any(found["long_texts"] for found in truncations.values()):
        page.paragraph("No text was too long: nothing was cut.")


def _where(item: Values) -> str:
    return f"{PurePath(item['file']).name}:{item['line']}"
