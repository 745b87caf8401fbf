"""Passages of facts with questions whose answers are spans of them, in the layout of SQuAD."""

from collections.abc import Sequence
from random import Random

from ambos.sample.grammar import Values
from ambos.sample.lexicon import Tongue
from ambos.sample.split import Item, LabelledSet, Part, Row
from ambos.sample.tokens import join, span_of

_DISTRACTOR = {
    "train": 0.3,
    "dev": 0.3,
    "test": 0.7,
}  # how often a passage holds a fact of the same kind about another
_OMITTED = 0.45  # how often a sentence is left out, so that its question has no answer
_UNANSWERABLE = 0.95  # how often such a question is then asked


def passage(
    tongue: Tongue, split: str, rng: Random, known: Values | None = None, family: Sequence[str] = ()
) -> tuple[str, str, list[Row]]:
    """Return a title, a context and its questions; `known` variables keep their values."""
    grammar = tongue.grammar
    lines = family or rng.choice(tongue.facts)
    sentences = [line[2:] for line in lines if line.startswith("s ")]
    values: Values = dict(known or {})
    grammar.bind(" ".join(sentences), rng, values, "fact")
    omitted = rng.randrange(1, len(sentences)) if rng.random() < _OMITTED else -1
    context = ""
    answers: dict[str, tuple[int, int]] = {}
    for index, sentence in enumerate(sentences):
        if index == omitted:
            continue
        tokens = grammar.realise(sentence, rng, values=values, topic="fact")
        text, spans = join(tokens)
        context += " " if context else ""
        for var in dict.fromkeys(token.var for token in tokens if token.var in values):
            start, end = span_of(var, tokens, spans)
            answers.setdefault(var, (len(context) + start, len(context) + end))
        context += text
    if rng.random() < _DISTRACTOR[split]:
        context += " " + grammar.text(
            rng.choice([line[2:] for line in lines if line.startswith("d ")]),
            rng,
            values=values,
            topic="fact",
        )
    questions: list[Row] = []
    for line in lines:
        if not line.startswith("q "):
            continue
        question, _, var = line[2:].partition(" | ")
        asked: dict[str, object] = {"question": grammar.text(question, rng, values=values, topic="fact")}
        if var in answers:
            start, end = answers[var]
            asked |= {
                "answers": [{"text": context[start:end], "answer_start": start}],
                "is_impossible": False,
            }
        elif rng.random() < _UNANSWERABLE:
            asked |= {"answers": [], "is_impossible": True}
        else:
            continue
        questions.append(asked)
    return grammar.text(lines[0][2:], rng, values=values, topic="fact"), context, questions


def _questions(tongue: Tongue, part: Part, label: str, rng: Random) -> Item:  # noqa: ARG001 - one signature for all sets
    title, context, questions = passage(tongue, part.name, rng)
    row = {"title": title, "context": context, "qas": questions, "language": tongue.code}
    return Item(row, context, weight=len(questions))


QUESTIONS = LabelledSet("questions", (2500, 300, 300), lambda _: ("",), _questions)
