"""How the lines of a CoNLL file are made, and which of their fields hold words and tags."""

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from ambos.data.rows import Columns, option
from ambos.errors import InputError
from ambos.suggest import did_you_mean
from ambos.text.sources import Source
from ambos.text.stream import ReadOptions, read_lines

DOCUMENT = "-DOCSTART-"
_CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_CONLLU_ID = re.compile(r"[0-9]+(?:([-.])[0-9]+)?")  # `1-2` is a contraction, `1.1` a word that is not there
_NUMBER = re.compile(r"[+-]?[0-9]+")

Field = int | str  # a number from 1, or a name that CoNLL-U has for it


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are made; `separator` is None for any white space, places are from 0."""

    separator: str | None
    fields: int
    word: int
    tag: int
    conllu: bool

    def split(self, line: str, *, begins: bool = False) -> list[str] | None:
        """Return the fields of a line, or None if it is no word: a comment, a contraction, an empty node.

        Where white space parts fields, a comment begins with `# `, stands where a sentence `begins`, and has
        a tab, or more or fewer fields than a word (MultiCoNER): `#` may be a word.
        """
        if self.separator and line.startswith("#") and (self.conllu or self.separator not in line):
            return None
        fields = [field.strip() for field in line.split(self.separator)]
        if not self.separator and begins and fields[0] == "#":
            unlike = "\t" in line or len(fields) != self.fields
            return None if unlike else fields
        number = _CONLLU_ID.fullmatch(fields[0]) if self.conllu else None
        return None if number and number[1] else fields

    def named(self, place: int) -> str:
        r"""Return a field in words.

        Examples
        --------
        >>> Layout("\t", 4, 0, 3, conllu=False).named(3), Layout("\t", 10, 1, 3, conllu=True).named(3)
        ('field 4 (the last)', 'field 4 (upos)')
        """
        if self.conllu:
            return f"field {place + 1} ({_CONLLU[place]})"
        last = " (the last)" if place + 1 == self.fields and place else ""
        return f"field {place + 1}{last}"


def find_layout(
    source: Source,
    options: ReadOptions,
    word: Field | None = None,
    tag: Field | None = None,
    *,
    labelled: bool = True,
) -> Layout:
    """Read off the first line with a word how the lines of a file are made.

    The first field is the word and the last its tag; in CoNLL-U, which is known by its ten fields and its
    numbers of words, the second and the fourth.

    Parameters
    ----------
    word, tag
        Which fields hold them, where that is not so.

    Raises
    ------
    InputError
        If there is no such field, or a word without a tag.
    """
    with closing(read_lines(source, options)) as lines:
        words = (item for item in lines if item[1].strip() and not item[1].startswith(("#", DOCUMENT)))
        found = next(words, None)
    if found is None:
        return Layout("\t", 2, 0, 1, conllu=False)  # there are no rows, and whoever reads them says so
    number, line = found
    separator = "\t" if "\t" in line else None
    fields = line.split(separator)
    if len(fields) < 2 and labelled:
        raise InputError(
            "a word without a tag",
            expected="lines with a word, a tab and its tag",
            found=line[:60],
            fix="write the tags; if this is running text, it is no tagged file",
            file=source.path,
            line=number,
        )
    conllu = bool(separator) and len(fields) == len(_CONLLU) and bool(_CONLLU_ID.fullmatch(fields[0]))
    places = []
    for role, given, usual in (
        ("words", word, 2 if conllu else 1),
        ("tags", tag, 4 if conllu else len(fields)),
    ):
        place = usual if given is None else _number_of(given, conllu=conllu)
        if place is None or not 1 <= place <= len(fields):
            raise _no_field(given, f"{option(role)} {usual}", fields, source, number, conllu=conllu)
        places.append(place - 1)
    return Layout(separator, len(fields), places[0], places[1], conllu)


def _number_of(given: Field, *, conllu: bool) -> int | None:
    """Return the number of a field, or None if it is a name that the file does not have."""
    text = str(given).strip()
    if _NUMBER.fullmatch(text):
        return int(text)
    return _CONLLU.index(text.lower()) + 1 if conllu and text.lower() in _CONLLU else None


def _no_field(
    given: Field | None, fix: str, fields: Sequence[str], source: Source, line: int, *, conllu: bool
) -> InputError:
    """Return the error for a field that is not there."""
    text = str(given)[:60]
    count = len(fields)
    is_number = _NUMBER.fullmatch(text.strip()) is not None
    what = f"there is no field {text}"
    expected = f"a number from 1 to {count}, as many as this line has fields"
    if conllu and not is_number:
        what, expected = (
            f"CoNLL-U has no field {text!r}",
            f"a number from 1 to {count}, or {', '.join(_CONLLU)}",
        )
        fix = did_you_mean(text.lower(), _CONLLU) or fix
    elif not is_number:
        what = f"the fields of a CoNLL file have no names: there is none called {text!r}"
    found = " ".join(fields)[:60]
    return InputError(what, expected=expected, found=found, fix=fix, file=source.path, line=line)


def said_fields(
    sources: Sequence[Source],
    options: ReadOptions,
    word: Field | None = None,
    tag: Field | None = None,
    *,
    labelled: bool = True,
) -> Columns:
    """Return in words which fields of CoNLL files are read; where files differ, all of them.

    Examples
    --------
    >>> print(said_fields(find_sources(["ner.conll"], formats=("conll",)), ReadOptions()))  # doctest: +SKIP
    words: field 1, tags: field 2 (the last)
    """
    layouts = [find_layout(source, options, word, tag, labelled=labelled) for source in sources]
    words = dict.fromkeys(layout.named(layout.word) for layout in layouts)
    tags = dict.fromkeys(layout.named(layout.tag) for layout in layouts)
    return Columns(words=" or ".join(words) or None, tags=(" or ".join(tags) or None) if labelled else None)
