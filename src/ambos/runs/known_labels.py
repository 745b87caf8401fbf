"""Which labels a model knows, and the error for those that it does not know."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ambos.data.label_set import Place, unknown_labels
from ambos.data.rows import WordsRow
from ambos.errors import InputError
from ambos.evaluate.entities import OUTSIDE, entity_types
from ambos.tasks.classify import Classify
from ambos.tasks.tag import Tag
from ambos.tasks.task import Task


class KnownLabels:
    """What rows may have: the labels of a model; of entities their types, since only these are compared.

    A model that neither classifies nor tags can be measured with all rows.

    Parameters
    ----------
    exact
        Whether tags of entities must be known, too: a loss needs that.

    Examples
    --------
    >>> known = KnownLabels(Tag(LabelSet(("O", "B-PER"))))  # doctest: +SKIP
    >>> row = WordsRow(("Rio", "Ana"), ("B-LOC", "I-PER"), Path("a.conll"), 1)  # doctest: +SKIP
    >>> list(known.missing(row))  # doctest: +SKIP
    [('LOC', 1)]
    """

    def __init__(self, task: Task[Any, Any], *, exact: bool = False) -> None:
        self.types = isinstance(task, Tag) and task.has_entities and not exact
        self._limited = isinstance(task, Classify | Tag)
        names = task.labels.names if isinstance(task, Classify | Tag) else ()
        self.names: Sequence[str] = entity_types(names) if self.types else names
        self._fine = {*names, OUTSIDE} if self.types else {*names}  # need not be looked at again

    def missing(self, row: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401 (a row of any task)
        """Yield what a row has that the model does not know, each with its line.

        Raises
        ------
        InputError
            If a tag is to be that of an entity, and is none.
        """
        if not self._limited:
            return
        is_sentence = isinstance(row, WordsRow)
        for place, label in enumerate(row.tags if is_sentence else row.labels):
            if label in self._fine:
                continue
            line = row.line_of(place) if is_sentence else row.line
            name = self._type_of(label, row, line) if self.types else label
            if name in self.names:
                self._fine.add(label)
            else:
                yield name, line

    def _type_of(self, tag: str, row: WordsRow, line: int) -> str:
        try:
            return _type_of(tag, row, line)
        except InputError as error:
            error.what = f"the tag {tag!r} is not that of an entity, as those of the model are"
            error.fix = (
                f"correct it, or take rows or a model of the same kind; it knows {', '.join(self.names)}"
            )
            raise

    def refusal(
        self, missing: Mapping[str, Place], *, learnt: bool = False, skippable: bool = False
    ) -> InputError:
        """Return the error for what the model does not know; `unknown_labels` explains the rest."""
        noun = "type" if self.types else "label"
        return unknown_labels(missing, self.names, noun=noun, learnt=learnt, skippable=skippable)

    def check(self, row: Any) -> None:  # noqa: ANN401
        """Raise `InputError`, with file and line, if a row has labels that the model does not know."""
        missing: dict[str, Place] = {}
        for name, line in self.missing(row):
            missing.setdefault(name, (row.file, line))
        if missing:
            raise self.refusal(missing)


def check_entities(rows: Iterable[WordsRow]) -> None:
    """Raise `InputError`, with file and line, for the first tag that cannot be that of an entity."""
    fine: set[str] = set()
    for row in rows:
        for place, tag in enumerate(row.tags):
            if tag not in fine and tag != OUTSIDE:
                _type_of(tag, row, row.line_of(place))
            fine.add(tag)


def _type_of(tag: str, row: WordsRow, line: int) -> str:
    """Return the type of a tag; say where it stands if it has none."""
    try:
        return entity_types([tag])[0]
    except InputError as error:
        error.file, error.line = str(row.file), line
        raise
