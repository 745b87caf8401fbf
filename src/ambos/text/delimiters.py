"""What parts the fields of CSV and TSV, and whether quotes around them are a part of them."""

import re
from contextlib import closing

from ambos.text.sources import Source
from ambos.text.stream import ReadOptions, read_lines

_MARKS = ",;\t|"  # the first of equally many
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LOOKED_AT = 1 << 20  # characters of a file


def separator(source: Source, options: ReadOptions) -> str:
    """Return a tab; of CSV the mark that its header has most of: comma, semicolon, tab or bar.

    Spreadsheets write semicolons where the comma is for decimals, and programs tabs whatever the ending says.
    """
    if source.format == "tsv":
        return "\t"
    with closing(read_lines(source, options)) as lines:
        _, header = next(lines, (0, ""))
    return max(_MARKS, key=_QUOTED.sub("", header).count)


def has_quotes(source: Source, options: ReadOptions) -> bool:
    r"""Tell whether quotes around a field are there to part it from others, and no part of the text.

    In CSV they are. TSV often has none: a text that begins with a quotation is written as it is (GLUE). That
    is seen where no name in the header is quoted, every line, as far as is looked, has as many tabs as the
    header, and a field begins with a quote without being a whole quoted one: `"Go," he said`.
    """
    if source.format != "tsv":
        return True
    looked_at, tabs, bare = 0, 0, False
    with closing(read_lines(source, options)) as lines:
        for number, line in lines:
            fields = line.split("\t")
            opened = [field for field in fields if field.startswith('"')]
            if number == 1:
                tabs = len(fields) - 1
            if line and (not tabs or len(fields) - 1 != tabs or (number == 1 and opened)):
                return True
            bare = bare or not all(map(_QUOTED.fullmatch, opened))
            looked_at += len(line)
            if looked_at > _LOOKED_AT:
                break
    return not bare
