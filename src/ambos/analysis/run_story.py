"""The story of a training run in a few sentences: what was done, what came of it, against chance."""

import math
from collections.abc import Iterable, Iterator, Sequence

from ambos.analysis.numbers import SPACE, count, duration, interval, listed, percent, perplexity
from ambos.analysis.page import Page, Span, strong
from ambos.analysis.run_files import Record, Run, finite

_LANGUAGES = {"en": "English", "pt": "Portuguese"}
PAIRS = {  # what the accuracies of sentence pairs are about
    "next": "whether one sentence follows another",
    "order": "which of two sentences came first",
}


def tell(page: Page, run: Run) -> None:
    """Say in a few sentences what was done and what came of it."""
    page.paragraph(_joined(_sentences_of_work(run)))
    heldout = [record for record in run.of("heldout") if finite(record.get("mlm_loss")) is not None]
    if heldout:
        page.paragraph(_joined(_sentences_of_loss(run, heldout)))
    for name, what in PAIRS.items():
        records = [
            record for record in run.of("heldout") if finite(record.get(f"{name}_accuracy")) is not None
        ]
        if records:
            accuracy = _accuracy(records[-1], f"{name}_accuracy", f"{name}_pairs", "pairs")
            page.paragraph([f"It is right about {what} in ", *accuracy, f"; chance is 50{SPACE}%."])
    broken = [
        record["step"] for record in run.of("train") if "loss" in record and finite(record["loss"]) is None
    ]
    if broken:
        page.paragraph(
            [
                strong("The loss stopped being a number"),
                f" at step {broken[0]:,}. A lower learning rate or a longer warm-up usually helps.",
            ]
        )


def _joined(sentences: Iterable[Sequence[str | Span]]) -> list[str | Span]:
    """Return sentences as one text, with spaces between them."""
    return [part for sentence in sentences for part in (" ", *sentence)][1:]


def _sentences_of_work(run: Run) -> Iterator[Sequence[str | Span]]:
    """Say what was trained on what, and for how long."""
    train = run.of("train")
    parameters, vocab = run.number("model", "parameters"), run.number("model", "vocab_size")
    sizes = [f"{count(parameters)} parameters"] if parameters else []
    sizes += [f"a vocabulary of {count(vocab)} tokens"] if vocab else []
    preset, recipe = run.get("model", "preset"), run.get("recipe")
    model = [strong(str(preset)) if preset else "A model", f" ({', '.join(sizes)})" if sizes else ""]
    done = "is being trained" if run.get("status") == "running" else "was trained"
    how = f" with the recipe “{recipe}”" if recipe else ""
    yield [*model, f" {done}{how}{_corpus(run)}."]
    steps = finite(train[-1].get("step")) if train else run.number("steps")
    if steps is None:
        yield ["No step has been recorded yet."]
        return
    tokens = (finite(train[-1].get("tokens")) if train else None) or run.number("tokens")
    seconds, whole = run.number("seconds"), run.number("corpus", "tokens")
    parts: list[str | Span] = [
        "It has made " if run.get("status") == "running" else "It made ",
        strong(f"{steps:,.0f} step{'' if steps == 1 else 's'}"),
    ]
    if tokens:
        parts += [" over ", strong(f"{count(tokens)} tokens")]
        times = tokens / whole if whole else 0.0
        parts += [f" ({times:{'.2g' if times < 9.95 else ',.0f'}} times the corpus)"] if times else []
    if seconds:
        parts += [" in ", strong(duration(seconds))]
    yield [
        *parts,
        {"running": " so far.", "stopped": " before it was stopped."}.get(str(run.get("status")), "."),
    ]


def _corpus(run: Run) -> str:
    tongue = languages(run)
    documents, tokens = run.number("corpus", "documents"), run.number("corpus", "tokens")
    sizes = [f"{count(documents)} documents"] if documents else []
    sizes += [f"{count(tokens)} tokens"] if tokens else []
    if not sizes:
        return f" on text in {tongue}" if tongue else ""
    return f" on {sizes[0]}{' in ' + tongue if tongue else ''}{f' ({sizes[1]})' if len(sizes) > 1 else ''}"


def _sentences_of_loss(run: Run, heldout: Sequence[Record]) -> Iterator[Sequence[str | Span]]:
    """Say how well the model guesses hidden tokens of text it never saw."""
    first, last = heldout[0], heldout[-1]
    loss, vocab = last["mlm_loss"], run.number("model", "vocab_size")
    if first is last:
        yield ["On held-out text its loss at masked positions is ", strong(f"{loss:.2f}"), "."]
    else:
        start = f"{first['mlm_loss']:.2f} at step {first['step']:,}"
        yield [
            f"On held-out text its loss at masked positions went from {start} to ",
            strong(f"{loss:.2f}"),
            f" at step {last['step']:,}.",
        ]
    best = min(heldout, key=lambda record: float(record["mlm_loss"]))
    if best is not last:
        yield [f"Its lowest was {best['mlm_loss']:.2f}, at step {best['step']:,}."]
    if vocab and vocab > 1:
        yield [
            f"Guessing blindly among {vocab:,.0f} tokens would give ln({vocab:,.0f}) = {math.log(vocab):.2f}."
        ]
    yield [
        "The loss means a perplexity of ",
        strong(perplexity(loss)),
        ": the model is as unsure as if it had to choose among so many equally likely tokens.",
    ]
    if finite(last.get("mlm_accuracy")) is not None:
        yield ["Its first guess is right in ", *_accuracy(last, "mlm_accuracy", "mlm_tokens", "tokens"), "."]


def _accuracy(record: Record, name: str, trials: str, things: str) -> list[str | Span]:
    """Return `41.2 % of 15,000 tokens (95 % interval 40.4–42.0 %)`."""
    share, number = record[name], finite(record.get(trials))
    parts: list[str | Span] = [strong(percent(share))]
    if number:
        parts += [f" of {number:,.0f} {things} (95{SPACE}% interval {interval(share, number)})"]
    return parts


def languages(run: Run) -> str:
    """Return the languages of the corpus as a sentence names them."""
    return listed([_LANGUAGES.get(str(one), str(one)) for one in run.get("corpus", "languages") or []])
