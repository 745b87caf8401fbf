"""What a model was fine-tuned for, as a task that can decode its logits."""

from dataclasses import replace
from typing import Any

from ambos.bundle.bundle import TASKS, Bundle
from ambos.data.label_set import LabelSet
from ambos.errors import InputError
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.embed import Embed
from ambos.tasks.score import Score
from ambos.tasks.tag import Tag
from ambos.tasks.task import Reading, Task


def remember(bundle: Bundle, task: Task[Any, Any], reading: Reading | None = None) -> None:
    """Write into a bundle what it was fine-tuned for, and how it read texts, for vectors of them too."""
    read = {} if reading is None else {"max_length": reading.limit, "long": reading.long}
    if reading is not None and bundle.sentence is not None:
        bundle.sentence = replace(bundle.sentence, max_length=reading.limit)
    bundle.learnt = {"name": task.name, **task.settings, **read}


def task_of(bundle: Bundle) -> Task[Any, Any]:
    """Return the task of a model, ours or one that `transformers` saved.

    Raises
    ------
    InputError
        If the model was not fine-tuned for anything.
    """
    learnt = {"name": _name(bundle), **bundle.learnt}
    labels = LabelSet(bundle.labels)
    temperature = float(learnt.get("temperature", 1.0))
    pairs: bool | None = learnt.get("pairs")
    texts = int(learnt.get("texts", 2))
    if learnt["name"] == "embed" and bundle.sentence is not None:
        ends = {name: float(learnt[name]) for name in ("low", "high") if name in learnt}
        graded = bool(learnt.get("graded", True))
        return Embed(learnt.get("contrast", "cosine"), positive=learnt.get("positive"), graded=graded, **ends)
    if learnt["name"] == "score":
        spread = float(learnt.get("mean", 0.0)), float(learnt.get("variance", 1.0))
        return Score(*spread, pairs=pairs, texts=texts)
    if learnt["name"] == "classify":
        several = bool(learnt.get("several", _problem(bundle) == "multi_label_classification"))
        return Classify(labels, several=several, temperature=temperature, pairs=pairs, texts=texts)
    if learnt["name"] == "tag":
        return Tag(labels, temperature=temperature)
    if learnt["name"] == "answer":
        no_answers = bool(learnt.get("no_answers", True))
        threshold = float(learnt.get("threshold", 0.0))
        return Answer(no_answers=no_answers, threshold=threshold, temperature=temperature)
    raise InputError(
        "this model was not fine-tuned",
        expected="a model that classifies, scores, tags or answers",
        found=f"a model that {TASKS[bundle.task]}" if bundle.task != "embed" else TASKS["embed"],
        fix="train one: ambos finetune classify --train FILE --base MODEL --out RUN",
        file=bundle.source,
    )


def _name(bundle: Bundle) -> str:
    return "score" if bundle.task == "classify" and _problem(bundle) == "regression" else bundle.task


def _problem(bundle: Bundle) -> str:
    if bundle.raw.get("problem_type") is None and bundle.task == "classify" and len(bundle.labels) == 1:
        return "regression"  # as `transformers` guesses
    return str(bundle.raw.get("problem_type"))


def length_of(bundle: Bundle) -> int:
    """Return how many tokens of a text a model reads: as it was fine-tuned, else the least of its limits.

    Examples
    --------
    >>> length_of(Bundle.load("minilm"))  # doctest: +SKIP
    256
    """
    context, sentence, tokenizer = bundle.config.context, bundle.sentence, bundle.tokenizer
    if "max_length" in bundle.learnt:
        return min(context, int(bundle.learnt["max_length"]))
    limits = [context, tokenizer and tokenizer.max_length, sentence and sentence.max_length]
    return min(limit for limit in limits if limit)
