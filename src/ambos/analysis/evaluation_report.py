"""The report of a fine-tuned model on one page: what it learnt from, how good it is, where it errs."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ambos.analysis.evaluation_pictures import draw_training, words
from ambos.analysis.evaluation_sections import Values, show_evaluation, show_metrics, show_truncation
from ambos.analysis.numbers import count, duration, listed
from ambos.analysis.page import Page, Span, faint, strong
from ambos.analysis.run_files import Run, read_run
from ambos.analysis.run_report import moment, subtitle
from ambos.errors import InputError
from ambos.files import write_file
from ambos.write_errors import output_errors

_DOES = {
    "classify": "classify texts",
    "score": "give texts a score",
    "embed": "tell how alike texts are",
    "tag": "tag words",
    "answer": "find answers in a passage",
}


def write_finetuning_report(run: Path) -> Path:
    """Write `curves.svg` and `report.html` into the folder of a fine-tuning run, each whole or not at all.

    Parameters
    ----------
    run
        A folder with `metrics.jsonl` and, as far as they are there, `run.json`, `recipe.toml` and
        `evaluation/*.json`. What is behind the figures is shown of the test rows, else of the dev rows.

    Returns
    -------
    Path
        The page. The same files give the same page, byte for byte.
    """
    found = read_run(run)
    evaluations = _read_evaluations(run / "evaluation")
    curves = draw_training(found.metrics, found.speed)
    page = Page(found.name, subtitle(found, "Fine-tuning run"))
    for one in found.get("warnings") or []:
        page.warning([strong(f"{one['kind'].capitalize()}. "), one["what"], faint(f" Try {one['try']}.")])
    _tell(page, found)
    if evaluations:
        page.heading("How good it is")
        show_metrics(page, evaluations)
        if "test" not in evaluations:
            page.paragraph(
                "There are no test rows: the dev rows chose the weights, so these figures flatter."
            )
        elif "dev" in evaluations:
            page.paragraph(faint("The dev rows chose the weights: their figures flatter a little."))
    if found.of("train") or found.of("dev"):
        page.heading("How training went")
        page.picture(
            curves,
            "Above: the loss of each training batch (thin) and averaged (thick), and of the dev rows (dots). "
            "Below: what was measured with the dev rows, with 95 % intervals; a ring marks the weights that "
            "were kept.",
        )
        _show_review(page, found)
    for name, values in list(evaluations.items())[:1]:
        show_evaluation(page, name, values, read_examples(run / "evaluation" / f"{name}.npy"))
    if cut := truncations(run):
        show_truncation(page, cut)
    _show_facts(page, found)
    _show_use(page, found)
    with output_errors(run, instead="make the folder of the run writable"):
        write_file(run / "curves.svg", curves.encode())
        write_file(run / "report.html", page.html().encode())
    return run / "report.html"


def truncations(run: Path) -> dict[str, Values]:
    """Return what became of long texts in a fine-tuning run: those learnt from, and those measured with."""
    learnt = read_run(run).get("truncation")
    measured = _read_evaluations(run / "evaluation")
    return {
        **({"train": learnt} if learnt else {}),
        **{name: values["truncation"] for name, values in measured.items()},
    }


def write_evaluation_report(file: Path, values: Values, examples: np.ndarray | None = None) -> None:
    """Write a page about one evaluation, whole or not at all.

    Parameters
    ----------
    file
        The page.
    values
        What `Evaluated.as_dict` gives.
    examples
        Of scores, (n, 2): gold and predicted.
    """
    name = Path(values["files"][0]["file"]).name if values["files"] else "rows"
    page = Page(f"{values['model']} on {name}", f"A model that learnt to {_DOES[values['task']]}")
    page.heading("How good it is")
    show_metrics(page, {name: values})
    show_evaluation(page, name, values, examples)
    show_truncation(page, {name: values["truncation"]})
    with output_errors(file):
        write_file(file, page.html().encode())


def _read_evaluations(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the evaluations of a run: test first, dev last."""
    order = {"test": 0, "dev": 2}
    found = {}
    for file in sorted(folder.glob("*.json"), key=lambda file: (order.get(file.stem, 1), file.stem)):
        try:
            found[file.stem] = dict(json.loads(file.read_bytes()))
        except (ValueError, TypeError) as error:
            raise InputError("not an evaluation", found=str(error), fix="remove it", file=file) from error
    return found


def read_examples(file: Path) -> np.ndarray | None:
    """Read what the metrics of an evaluation ask of each example, (n, d); None if that was not kept."""
    try:
        return np.load(file, mmap_mode="r", allow_pickle=False) if file.is_file() else None
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            "not the examples of an evaluation", found=str(error), fix="evaluate the model again", file=file
        ) from error


def _tell(page: Page, run: Run) -> None:
    """Say in a few sentences what was learnt from what."""
    page.paragraph([part for sentence in _sentences(run) for part in (*sentence, " ")][:-1])
    for note in run.get("notes") or []:
        page.paragraph(said(note))
    calibration = run.get("calibration")
    while calibration:
        page.paragraph(
            f"On the dev rows the {calibration['what']} was fitted: {calibration['after']:.2f} instead of "
            f"{calibration['before']:.2f}. There it changes the {calibration['measure']} from "
            f"{calibration['measure_before']:.3f} to {calibration['measure_after']:.3f}."
        )
        calibration = calibration.get("also")


def said(note: str) -> str:
    """Return a note of a run as a sentence.

    Examples
    --------
    >>> said("the base's 2 segments were made 3")
    "The base's 2 segments were made 3."
    """
    return f"{note[:1].upper()}{note[1:]}."


def _often(times: float) -> str:
    """Return how often something was read.

    >>> _often(1.0), _often(2.96), _often(0.0)
    (' once', ' 3 times', '')
    """
    shown = f"{times:.2g}"
    return "" if not times else " once" if shown == "1" else f" {shown} times"


def _sentences(run: Run) -> Iterator[list[str | Span]]:
    parameters, rows = run.number("model", "parameters"), run.number("rows", "train")
    labels, steps, seconds = run.get("labels") or [], run.number("steps"), run.number("seconds")
    size = f" ({count(parameters)} parameters)" if parameters else ""
    task = str(run.get("task"))
    of = f" ({len(labels):,} labels)" if task in {"classify", "tag"} and labels else ""
    yield [strong(str(run.get("base"))), f"{size} learnt to ", strong(f"{_DOES.get(task, task)}"), f"{of}."]
    if rows and steps is not None:
        yield [
            "It read ",
            strong(f"{rows:,.0f} rows"),
            _often(run.number("epochs") or 0.0),
            f", in {steps:,.0f} steps",
            f" and {duration(seconds)}." if seconds else ".",
        ]
    best, dev = run.number("best", "step"), run.number("rows", "dev")
    if best is not None and best >= 0 and dev:
        whence = " that were kept back from the training file" if run.get("kept_back") else ""
        metric = words(str(run.get("best", "metric")))
        early = " Training ended early: there was no better measurement." if run.get("ended_early") else ""
        yield [
            f"The weights of step {best:,.0f} were kept, the best of {len(run.of('dev')):,} by {metric} on ",
            f"{dev:,.0f} dev rows{whence}.{early}",
        ]
    elif dev == 0:
        yield ["No row could be kept back to choose by: the weights are those of the last step."]
    left_out: Counter[str] = Counter()
    for split in (run.get("left_out") or {}).values():
        left_out.update(split)
    if left_out:
        yield [f"Rows were left out: {listed([f'{n:,} for {why}' for why, n in left_out.items()])}."]


def _show_review(page: Page, run: Run) -> None:
    """Say how well training rows are known, and what was forgotten."""
    learnt, forgotten = run.get("training_rows"), run.get("forgetting")
    if learnt:
        page.paragraph(
            f"On {learnt['rows']:,} of the training rows the main metric is {learnt['value']:.3f} "
            f"({learnt['low']:.3f} to {learnt['high']:.3f}) with the weights that were kept."
        )
    if forgotten:
        rise = forgotten["rise"]
        page.paragraph(
            f"What was forgotten: at {forgotten['tokens']:,} hidden tokens of {forgotten['sequences']:,} dev "
            f"texts the masked-LM head of the base had a loss of {forgotten['before']:.3f} nats, and has "
            f"{forgotten['after']:.3f} with the fine-tuned encoder: {rise['value']:+.3f} "
            f"({rise['low']:.3f} to {rise['high']:.3f})."
        )


def _show_facts(page: Page, run: Run) -> None:
    files = [Path(one["file"]).name for one in run.get("texts") or []]
    columns = run.get("columns") or {}
    rate = run.number("lr")
    facts = [
        ("base", run.get("base")),
        ("files", ", ".join(files)),
        ("columns", ", ".join(f"{role}: {name}" for role, name in columns.items())),
        ("labels", ", ".join(map(str, (run.get("labels") or [])[:40]))),
        ("peak learning rate", None if rate is None else f"{rate:.3g}"),
        ("precision", run.get("precision")),
        ("threads", run.get("threads")),
        ("started", moment(run.get("started"))),
        ("finished", moment(run.get("finished"))),
    ]
    page.heading("Settings")
    page.facts([(label, str(value)) for label, value in facts if value not in (None, "")])
    if run.recipe.strip():
        page.code(run.recipe.strip())


def _show_use(page: Page, run: Run) -> None:
    """Show commands that can be pasted."""
    name = shlex.quote(run.name)
    page.heading("How to use the model")
    page.paragraph("In the folder that holds this run:")
    page.code(f"ambos evaluate {name} FILE\nambos predict {name} FILE --out predictions.jsonl")
