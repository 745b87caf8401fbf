"""The report of a training run: what was trained, how good it became, and how to use it, on one page."""

import json
import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import median

from ambos.analysis.curves import draw_curves
from ambos.analysis.numbers import SPACE, count, interval, percent, perplexity, spread
from ambos.analysis.page import Page, Span, Text, faint, strong
from ambos.analysis.run_files import Record, Run, finite, read_run
from ambos.analysis.run_story import PAIRS, languages, tell
from ambos.files import write_file
from ambos.write_errors import output_errors

_FILL_STEPS, _FILL_ROWS, _HELDOUT_ROWS, _CANDIDATES = 5, 20, 12, 3
_NOTHING = "–"


def write_report(run: Path) -> Path:
    """Write `curves.svg` and `report.html` into a run's folder, each whole or not at all.

    The run may be going on or have been stopped; the report tells how far it came.

    Parameters
    ----------
    run
        A folder with `metrics.jsonl` and, as far as they are there, `speed.jsonl`, `run.json`, `recipe.toml`.

    Returns
    -------
    Path
        The page. The same files give the same page, byte for byte.
    """
    found = read_run(run)
    curves = draw_curves(found.metrics, found.speed)
    page = Page(found.name, subtitle(found, "Pretraining run"))
    tell(page, found)
    if found.of("train") or found.of("heldout"):
        page.heading("How training went")
        page.picture(
            curves,
            "Training values are measured on the batches themselves (thin: each, thick: averaged), held-out "
            "ones on text that training never saw.",
        )
    _show_fills(page, found.of("fill"))
    _show_heldout(page, found.of("heldout"))
    _show_facts(page, found)
    if found.recipe.strip():
        page.heading("Recipe")
        page.code(found.recipe.strip())
    _show_use(page, found)
    with output_errors(run, instead="make the folder of the run writable"):
        write_file(run / "curves.svg", curves.encode())
        write_file(run / "report.html", page.html().encode())
    return run / "report.html"


def subtitle(run: Run, what: str) -> str:
    """Return what a run is, how far it came, and when."""
    states = {"finished": "finished", "running": "still running", "stopped": "stopped before its end"}
    state = states.get(str(run.get("status")))
    when = moment(run.get("finished")) or moment(run.get("started"))
    return ", ".join(filter(None, [" ".join(filter(None, [what, state])), when]))


def _show_fills(page: Page, fills: Sequence[Record]) -> None:
    """Show what the model put in the place of masks as training went on."""
    chosen = spread([record for record in fills if record.get("samples")], _FILL_STEPS)
    if not chosen:
        return
    guesses = [
        {(sample.get("text"), sample.get("truth")): sample.get("candidates") for sample in record["samples"]}
        for record in chosen
    ]
    rows: list[list[Text]] = [
        [
            [f"{text}\n", faint(f"hidden: {truth}")],
            *(_guess(found.get((text, truth)), str(truth)) for found in guesses),
        ]
        for text, truth in list(guesses[-1])[:_FILL_ROWS]
    ]
    page.heading("What it puts in the place of [MASK]")
    page.paragraph("The likeliest tokens after some steps, with their probabilities; ✓ marks the hidden one.")
    page.table(["sentence", *(f"step{SPACE}{record['step']:,}" for record in chosen)], rows)


def _guess(candidates: Sequence[tuple[str, float]] | None, truth: str) -> list[str | Span]:
    """Return candidates one below the other, the right one marked, the unlikely ones pale."""
    parts: list[str | Span] = []
    for rank, (token, probability) in enumerate((candidates or [])[:_CANDIDATES]):
        shown = token if any(map(str.isalnum, token)) else f"“{token}”"  # a lone comma is easily overlooked
        line = f"{shown}{SPACE}{percent(probability, 0)}"
        if token.strip() == truth.strip():
            parts.append(strong(f"✓{SPACE}{line}"))
        else:
            parts.append(faint(line) if rank else line)
        parts.append("\n")
    return parts[:-1] or [faint(_NOTHING)]


def _show_heldout(page: Page, heldout: Sequence[Record]) -> None:
    names = [name for name in ("mlm", *PAIRS) if any(f"{name}_accuracy" in record for record in heldout)]
    if not heldout:
        return
    trials = {"mlm": "mlm_tokens", **{name: f"{name}_pairs" for name in PAIRS}}
    titles = {"mlm": "accuracy", "next": "next sentence", "order": "sentence order"}
    columns = ["step", "tokens read", "loss", "perplexity"]
    for name in names:
        columns += [titles[name], f"95{SPACE}% interval"]
    rows = []
    for record in spread(heldout, _HELDOUT_ROWS):
        loss, tokens = finite(record.get("mlm_loss")), finite(record.get("tokens"))
        row = [f"{record['step']:,}", _NOTHING if tokens is None else count(tokens)]
        row += [_NOTHING, _NOTHING] if loss is None else [f"{loss:.3f}", perplexity(loss)]
        for name in names:
            row += _share(record, f"{name}_accuracy", trials[name])
        rows.append(row)
    page.heading("Held-out text")
    page.table(columns, rows, right=columns)
    page.paragraph(
        faint(
            f"The 95{SPACE}% intervals (Wilson score) take every guess as independent. Those within one text "
            "are not quite, so the true intervals are somewhat wider."
        )
    )


def _share(record: Record, name: str, trials: str) -> tuple[str, str]:
    """Return an accuracy and its interval as cells of a table."""
    share, number = finite(record.get(name)), finite(record.get(trials))
    if share is None:
        return _NOTHING, _NOTHING
    return percent(share), interval(share, number) if number else _NOTHING


def _show_facts(page: Page, run: Run) -> None:
    rates = [rate for record in run.speed if (rate := finite(record.get("tokens_per_second"))) is not None]
    limits = [share for record in run.speed if (share := finite(record.get("limit_share"))) is not None]
    gflops, sources = run.number("machine", "gflops"), run.get("corpus", "sources")
    facts = {
        "Model": [
            ("preset", run.get("model", "preset")),
            ("parameters", run.number("model", "parameters")),
            ("vocabulary", run.number("model", "vocab_size")),
            ("width", run.number("model", "width")),
            ("depth (layers)", run.number("model", "depth")),
            ("attention heads", run.number("model", "heads")),
            ("longest input (tokens)", run.number("model", "context")),
        ],
        "Data": [
            ("documents", run.number("corpus", "documents")),
            ("sentences", run.number("corpus", "sentences")),
            ("tokens", run.number("corpus", "tokens")),
            ("languages", languages(run)),
            ("sources", "\n".join(map(str, sources or []))),
            ("held-out documents", run.number("heldout", "documents")),
            ("held-out tokens", run.number("heldout", "tokens")),
            ("how they were held out", run.get("heldout", "how")),
        ],
        "Machine and speed": [
            ("started", moment(run.get("started"))),
            ("finished", moment(run.get("finished"))),
            ("cores", run.number("machine", "cores")),
            ("processes", run.number("processes")),
            ("threads each", run.number("threads")),
            ("matrix products", None if gflops is None else f"{gflops:,.0f}{SPACE}GFLOP/s"),
            ("tokens per second (median)", median(rates) if rates else None),
            ("share of the speed of matrix products alone", percent(median(limits), 0) if limits else None),
        ],
    }
    for title, pairs in facts.items():
        known = [
            (label, f"{value:,.0f}" if isinstance(value, float) else str(value))
            for label, value in pairs
            if value not in (None, "")
        ]
        if known:
            page.heading(title)
            page.facts(known)


def moment(text: object) -> str:
    """Return a time of ISO 8601 to the minute, empty if there is none."""
    try:
        return f"{datetime.fromisoformat(str(text)):%Y-%m-%d %H:%M %Z}".strip()
    except ValueError:
        return ""


def _show_use(page: Page, run: Run) -> None:
    """Show commands that can be pasted."""
    samples = [sample for record in run.of("fill") for sample in record.get("samples") or []]
    text = str(samples[0].get("text")) if samples else "O gato [MASK] no tapete."
    name = shlex.quote(run.name)
    page.heading("How to use the model")
    page.paragraph("In the folder that holds this run:")
    page.code(
        f"ambos fill {name} {shlex.quote(text)}\nambos info {name}\nambos embed {name} FILE --out vectors.npy"
    )
    page.paragraph("With transformers:")
    page.code(
        "from transformers import pipeline\n\n"
        f'fill = pipeline("fill-mask", model={json.dumps(run.name + "/bundle", ensure_ascii=False)})\n'
        f'fill({json.dumps(text, ensure_ascii=False)}.replace("[MASK]", fill.tokenizer.mask_token))'
    )
