"""Writes the whole sample into a folder: the corpus, the labelled sets and a page that explains them."""

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambos.errors import OutputError, UsageError
from ambos.sample.agreement import AGREEMENT
from ambos.sample.corpus import documents
from ambos.sample.labels import SENTIMENT, TOPIC
from ambos.sample.lexicon import tongues
from ambos.sample.pairs import ENTAILMENT, PARAPHRASE
from ambos.sample.questions import QUESTIONS
from ambos.sample.readme import readme
from ambos.sample.senses import SENSES
from ambos.sample.split import SPLITS, LabelledSet, Row, fill
from ambos.sample.tagged import NER, POS

_DEV_SHARE = 0.05
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class SampleFile:
    """One file of the sample: where it is, how much it holds, what it is."""

    path: str
    rows: int
    bytes: int
    description: str


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """All files of the sample, in the order they were written."""

    files: tuple[SampleFile, ...]


def _jsonl(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _conll(rows: Sequence[Row]) -> str:
    return "".join(
        "".join(f"{word}\t{tag}\n" for word, tag in zip(_list(row, "words"), _list(row, "tags"), strict=True))
        + "\n"
        for row in rows
    )


def _list(row: Row, key: str) -> list[Any]:
    value = row[key]
    if not isinstance(value, list):
        raise TypeError(f"{key} is not a list")
    return value


def _squad(rows: Sequence[Row]) -> str:
    articles: dict[str, list[dict[str, object]]] = {}
    number = 0
    for row in rows:
        asked = []
        for question in _list(row, "qas"):
            asked.append({"id": f"{row['language']}-{number:05d}", **question})
            number += 1
        articles.setdefault(str(row["title"]), []).append({"context": row["context"], "qas": asked})
    data = [{"title": title, "paragraphs": paragraphs} for title, paragraphs in articles.items()]
    return json.dumps({"version": "1.1", "data": data}, ensure_ascii=False, indent=1) + "\n"


def _count(rows: Sequence[Row]) -> int:
    return sum(len(_list(row, "qas")) if "qas" in row else 1 for row in rows)


@dataclass(frozen=True)
class _Format:
    extension: str
    text: Callable[[Sequence[Row]], str]
    description: str


_JSONL, _CONLL = ".jsonl", ".conll"
_SETS: Mapping[LabelledSet, _Format] = {
    SENTIMENT: _Format(_JSONL, _jsonl, "reviews, positive or negative"),
    TOPIC: _Format(_JSONL, _jsonl, "notes on eight topics"),
    PARAPHRASE: _Format(_JSONL, _jsonl, "pairs that say the same or not"),
    ENTAILMENT: _Format(_JSONL, _jsonl, "premise and hypothesis"),
    NER: _Format(_CONLL, _conll, "people, organisations, places"),
    POS: _Format(_CONLL, _conll, "parts of speech"),
    QUESTIONS: _Format(".json", _squad, "questions about passages"),
    SENSES: _Format(_JSONL, _jsonl, "words in one of their senses"),
    AGREEMENT: _Format(_JSONL, _jsonl, "subject and verb, near and far"),
}


ENTRIES = frozenset({"corpus", "heldout", "README.md", *(labelled.name for labelled in _SETS)})


class _Writer:
    def __init__(self, out: Path, progress: Callable[[int, int], None] | None) -> None:
        self._out = out
        self._progress = progress
        self._total = 2 * len(tongues()) + len(SPLITS) * len(_SETS) + 1
        self.files: list[SampleFile] = []

    def write(self, path: str, text: str, rows: int, description: str) -> None:
        data = unicodedata.normalize("NFC", text).encode()
        target = self._out / path
        try:
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            raise OutputError(
                "cannot write the sample",
                found=error.strerror or type(error).__name__,
                fix="choose another folder or free some space",
                file=target,
            ) from error
        self.files.append(SampleFile(path, rows, len(data), description))
        if self._progress is not None:
            self._progress(len(self.files), self._total)


def write_sample(
    out: Path, *, seed: int = 0, corpus_mb: float = 5.0, progress: Callable[[int, int], None] | None = None
) -> SampleSummary:
    """Write the sample corpus and the labelled samples.

    Parameters
    ----------
    out
        An existing, empty folder.
    seed
        The same seed gives the same bytes on every machine.
    corpus_mb
        Size of the raw text in megabytes (10^6 bytes), both languages and the held-out part together.
    progress
        Called with files done and files in all.

    Returns
    -------
    SampleSummary
        Every file with its rows (documents, sentences, questions), bytes and a phrase on it.
    """
    if not 0 < corpus_mb <= 1000:
        raise UsageError(
            "the corpus size is out of range",
            expected="above 0 and at most 1000 megabytes",
            found=str(corpus_mb),
        )
    writer = _Writer(out, progress)
    budget = corpus_mb * _MEGABYTE / len(tongues())
    heldout = round(budget * _DEV_SHARE)
    texts = {tongue.code: documents(tongue, seed, round(budget) - heldout, heldout) for tongue in tongues()}
    for part, (folder, description) in enumerate(
        (("corpus", "text to pretrain on"), ("heldout", "text held out"))
    ):
        for code, parts in texts.items():
            text = "\n\n".join(parts[part]) + "\n"
            writer.write(f"{folder}/{code}.txt", text, len(parts[part]), description)
    for labelled, form in _SETS.items():
        for split, rows in fill(labelled, seed).items():
            path = f"{labelled.name}/{split}{form.extension}"
            writer.write(path, form.text(rows), _count(rows), form.description)
    table = [(file.path, file.rows, file.description) for file in writer.files]
    writer.write("README.md", readme(table, seed, corpus_mb), 1, "what these files are")
    return SampleSummary(tuple(writer.files))
