"""Options that name the columns of tables, for the commands that read rows."""

from typing import Annotated

import typer

_PANEL = "Columns, where their names do not say it"


def _option(name: str, what: str) -> object:
    return typer.Option(f"--{name}", help=what, metavar="COLUMN", rich_help_panel=_PANEL, show_default=False)


Text = Annotated[str | None, _option("text", "Of the text.")]
TextA = Annotated[str | None, _option("text-a", "Of the first text of a pair.")]
TextB = Annotated[str | None, _option("text-b", "Of the second text of a pair.")]
TextC = Annotated[str | None, _option("text-c", "Of a third text, read after the other two.")]
TextD = Annotated[str | None, _option("text-d", "Of a fourth text.")]
Label = Annotated[str | None, _option("label", "Of the label.")]
Score = Annotated[str | None, _option("score", "Of the score.")]
Words = Annotated[
    str | None, _option("words", "Of the words, in a list; of CoNLL, the number of their field, from 1.")
]
Tags = Annotated[str | None, _option("tags", "Of the tags, in a list; of CoNLL, the number of their field.")]
Question = Annotated[str | None, _option("question", "Of the question.")]
Passage = Annotated[str | None, _option("passage", "Of the passage.")]
Answers = Annotated[str | None, _option("answers", "Of the answers.")]
Id = Annotated[str | None, _option("id", "Of an id that goes into the output.")]
