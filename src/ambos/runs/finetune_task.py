"""From a recipe and training rows to a task, and to a base with the head that the task needs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.data.rows import PairRow, TextRow
from ambos.errors import InputError, UsageError
from ambos.runs.finetune_settings import FinetuneRecipe
from ambos.runs.known_labels import check_entities
from ambos.runs.pair_settings import PairSettings
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.embed import Embed
from ambos.tasks.score import LABELS, Score
from ambos.tasks.tag import Tag
from ambos.tasks.task import Reading, Task
from ambos.tasks.texts import pairs_in


def make_task(recipe: FinetuneRecipe, rows: Sequence[Any], labels: LabelSet | None = None) -> Task[Any, Any]:
    """Return the task of a recipe; what it must know, labels if none are given, comes from training rows."""
    if recipe.task == "embed":
        _refuse_equal_scores([row for row in rows if row.score is not None])
        embed = Embed.of(rows, recipe.pair.contrast, recipe.pair.positive, recipe.pair.scale)
        _refuse_lone_pairs(embed, recipe)
        _refuse_scale(embed, recipe.pair)
        return embed
    if recipe.task == "score":
        _refuse_equal_scores(rows)
        return Score.of(rows)
    if recipe.task == "answer":
        return Answer(no_answers=any(not row.answers for row in rows))
    if labels is None:
        labels = LabelSet.from_rows(rows)
    weights = _class_weights(recipe, labels, rows)
    smoothing = recipe.learning.smoothing
    if recipe.task == "tag":
        task = Tag(labels, class_weights=weights, smoothing=smoothing)
        if task.has_entities:
            check_entities(rows)
        return task
    pairs, texts = pairs_in(rows)
    return Classify(
        labels,
        several=recipe.several,
        class_weights=weights,
        smoothing=smoothing,
        pairs=pairs,
        texts=texts,
    )


def _refuse_equal_scores(rows: Sequence[TextRow | PairRow]) -> None:
    """Raise `InputError` if there is but one score, however many rows have it."""
    scores = {row.score for row in rows}
    if len(scores) == 1:
        many = "all scores are the same" if len(rows) > 1 else "there is but one sample"
        raise InputError(
            f"{many}: there is nothing to learn",
            expected="at least two different scores",
            found=f"the score {scores.pop():g} in every row to learn from",
            fix="add rows with other scores, or name the column that holds the scores with --score COLUMN",
            file=rows[0].file,
        )


def _refuse_lone_pairs(task: Embed, recipe: FinetuneRecipe) -> None:
    """Raise `UsageError` if a pair is learnt beside the others of its step, and a step has no others."""
    if task.whole_steps and recipe.batch < 2:
        raise UsageError(
            f"each pair is {'told from' if task.ranks else 'put in order with'} the others of its step, "
            "and a step of one pair has none",
            expected="a batch of 2 pairs or more",
            found=f"batch {recipe.batch}",
            fix="--batch 32; docs/pairs.md says what is learnt",
        )


def _refuse_scale(task: Embed, pair: PairSettings) -> None:
    """Raise `UsageError` for a factor of cosines where they are learnt as they are."""
    if task.contrast == "cosine" and pair.scale != PairSettings().scale:
        raise UsageError(
            "cosines shall equal the scores, and no factor comes into that",
            expected="pair.contrast = in-batch or order beside pair.scale",
            found=f"pair.scale = {pair.scale:g}",
            fix="leave it out, or --set pair.contrast=order (docs/pairs.md)",
        )


def _class_weights(recipe: FinetuneRecipe, labels: LabelSet, rows: Sequence[Any]) -> list[float] | None:
    """Return a weight for each label, or None: n / (L n_label) where they shall balance."""
    wanted = recipe.learning.class_weights
    if wanted == "none":
        return None
    if wanted != "balanced":
        if len(wanted) != len(labels):
            raise UsageError(
                "the class weights do not fit the labels",
                expected=f"{len(labels)} numbers, for {', '.join(labels.names)}",
                found=f"{len(wanted)} numbers",
            )
        return list(wanted)
    counts = Counter(label for row in rows for label in (row.tags if recipe.task == "tag" else row.labels))
    total = sum(counts.values())
    return [total / (len(labels) * max(1, counts[name])) for name in labels.names]


def attach_head(bundle: Bundle, task: Task[Any, Any], recipe: FinetuneRecipe) -> None:
    """Give a base the new head that a task needs; of vectors, how they are made."""
    if isinstance(task, Embed):
        bundle.bare(recipe.head.pooling)
        return
    labels: tuple[str, ...] = ()
    if isinstance(task, Classify | Tag):
        labels = task.labels.names
    elif isinstance(task, Score):
        labels = LABELS
    pooling = recipe.head.pooling if task.head == "classify" else None
    twin = recipe.pair.twin if task.pairs else None
    bundle.add_head(
        task.head, labels, pooling=pooling, hidden=recipe.head.hidden, twin=twin, seed=recipe.seed
    )
    if isinstance(task, Score):
        task.begin()
    bundle.sentence = None  # how its vectors are made belongs to the old weights


def reading_of(bundle: Bundle, recipe: FinetuneRecipe) -> Reading:
    """Return how rows become sequences for a base; for vectors no longer than it made them of so far."""
    if bundle.tokenizer is None:
        raise UsageError("the base has no tokenizer", expected="tokenizer files beside its weights")
    context = bundle.config.context
    known = [context, bundle.tokenizer.max_length]
    if recipe.task == "embed" and bundle.sentence is not None:
        known.append(bundle.sentence.max_length)
    limit = recipe.max_length or min(512, *(one for one in known if one))
    if limit > context:
        raise UsageError(
            "the sequences would be longer than the base can read",
            expected=f"at most {context} tokens",
            found=f"max_length {limit}",
            fix=f"--max-length {context}",
        )
    return Reading(bundle.tokenizer, limit, recipe.long, apart=bundle.apart)
