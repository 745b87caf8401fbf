"""The page that explains the sample to whoever opens its folder."""

from collections.abc import Sequence

_PAGE = """\
# The ambos sample

Text in Portuguese and English to try every part of ambos on: a corpus to pretrain on and nine labelled sets.
It was written by `ambos sample` from grammars made for this project (word lists, templates, rules of
agreement); no text was taken from anywhere else, and the people, organisations and events are invented.
Seed {seed}, {corpus_mb:g} MB of raw text: the same seed gives the same bytes on every machine.
All files are UTF-8 (NFC) with `\\n` line ends.

| file | rows | what |
|---|---:|---|
{table}

## Formats

- `corpus/*.txt`, `heldout/*.txt`: one paragraph a line, a blank line between documents.
- `sentiment`, `topic` (JSON lines): `text`, `label`, `language`.
- `paraphrase`, `entailment`: `text_a`, `text_b`, `label`, `language`. The second text alone does not tell
  the label.
- `ner`, `pos` (CoNLL): a word, a tab and its tag on each line, a blank line between sentences. Entities in
  BIO (`PER`, `ORG`, `LOC`); parts of speech in UPOS, Portuguese contractions such as *do* as one `ADP`.
- `questions` (JSON): the layout of SQuAD 1.1, with unanswerable questions as in 2.0 (`is_impossible`).
- `senses`: `text`, `word`, `start`, `end` (characters), `sense`, `language`.
- `agreement`: `text`, `subject_start`, `subject_end`, `verb_start`, `verb_end` (characters), `right` (the
  verb in the text), `wrong` (in the other number), `number`, `distance` (words strictly between subject and
  verb), `attractors` (nouns of the other number between them), `language`. Six bins of distance, 0, 1-3, 4-6,
  7-10, 11-15, 16 and more, each half singular, half plural.

## Splits

`train`, `dev` and `test` share no text (or pair, or passage), and labels are balanced in each. Beyond that,
combinations are held out: an adjective in its clause and frame (sentiment), verb phrases and remarks (topic),
people within a family of pairs (paraphrase, entailment), names and sentence patterns (ner), sentence
patterns (pos, senses), subject and verb (agreement).

The sentences are simpler and more regular than real text: good for trying, teaching and testing, not for
claims about language.

Licence: Apache-2.0, as ambos.
"""


def readme(files: Sequence[tuple[str, int, str]], seed: int, corpus_mb: float) -> str:
    """Return the page for the files written."""
    table = "\n".join(f"| `{path}` | {rows:,} | {description} |" for path, rows, description in files)
    return _PAGE.format(seed=seed, corpus_mb=corpus_mb, table=table)
