"""Small models with a head for each task, weights random: what they say is arbitrary, and always the same."""

from pathlib import Path

from ambos.bundle.bundle import Bundle
from ambos.data.label_set import LabelSet
from ambos.predict.learnt import remember
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.score import Score
from ambos.tasks.tag import Tag
from ambos.tasks.task import Task

LABELS = LabelSet(("arte", "b/c", "ciência"))
TASKS: dict[str, Task] = {
    "classify": Classify(LABELS, temperature=2.0),
    "several": Classify(LABELS, several=True),
    "score": Score(),
    "tag": Tag(LabelSet(("O", "B-LOC", "I-LOC", "B-PER", "I-PER"))),
    "pos": Tag(LabelSet(("ADJ", "NOUN", "VERB"))),
    "answer": Answer(no_answers=True),
}


def make_model(base: Path, name: str, out: Path) -> Path:
    """Save a model of a task in a folder."""
    bundle, task = Bundle.load(base), TASKS[name]
    labels = task.labels.names if isinstance(task, Classify | Tag) else ("score",) * (name == "score")
    bundle.add_head(task.head, labels, seed=3)
    head = bundle.network.heads[task.head]
    head.out.weight.data *= 20  # what it says should differ from text to text
    remember(bundle, task)
    bundle.save(out)
    return out
