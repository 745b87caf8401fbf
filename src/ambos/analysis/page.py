"""Pages for people: one HTML file with everything in it, which loads nothing and runs nothing."""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal


@dataclass(frozen=True)
class Span:
    """A piece of text that looks different from the text around."""

    text: str
    look: Literal["strong", "faint", "code"]


Text = str | Span | Sequence[str | Span]


def strong(text: str) -> Span:
    """Return text in bold."""
    return Span(text, "strong")


def faint(text: str) -> Span:
    """Return text that stands back."""
    return Span(text, "faint")


class Page:
    """A page that grows from top to bottom; whatever text it is given is shown as that text.

    Parameters
    ----------
    title, subtitle
        The first heading and the line below it.

    Examples
    --------
    >>> page = Page("A run", "400 steps")
    >>> page.paragraph(["Loss ", strong("3.2"), " < chance"])
    >>> page.table(["step", "loss"], [["100", "6.1"]], right=["step", "loss"])
    >>> "<p>Loss <strong>3.2</strong> &lt; chance</p>" in page.html()
    True
    """

    def __init__(self, title: str, subtitle: str = "") -> None:
        self._title = title
        below = f"\n<p>{escape(subtitle)}</p>" if subtitle else ""
        self._parts = [f"<header>\n<h1>{escape(title)}</h1>{below}\n</header>"]

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def paragraph(self, text: Text) -> None:
        """Add running text."""
        self._parts.append(f"<p>{_inline(text)}</p>")

    def warning(self, text: Text) -> None:
        """Add running text that must not be overlooked."""
        self._parts.append(f'<p class="warning">{_inline(text)}</p>')

    def code(self, text: str) -> None:
        """Add text as it stands, in a typewriter font."""
        self._parts.append(f"<pre>{escape(text)}</pre>")

    def facts(self, facts: Iterable[tuple[str, Text]]) -> None:
        """Add pairs of label and value."""
        rows = [f"<div><dt>{escape(label)}</dt><dd>{_inline(value)}</dd></div>" for label, value in facts]
        self._parts.append("\n".join(["<dl>", *rows, "</dl>"]))

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[Text]], *, right: Sequence[str] = ()
    ) -> None:
        """Add a table; columns named in `right` are aligned to the right, for numbers."""
        sides = [' class="right"' if column in right else "" for column in columns]
        head = "".join(
            f'<th scope="col"{side}>{escape(column)}</th>'
            for column, side in zip(columns, sides, strict=True)
        )
        body = [
            "<tr>"
            + "".join(f"<td{side}>{_inline(cell)}</td>" for cell, side in zip(row, sides, strict=True))
            + "</tr>"
            for row in rows
        ]
        self._parts.append(
            "\n".join(
                [
                    '<div class="wide"><table>',
                    f"<thead><tr>{head}</tr></thead>",
                    "<tbody>",
                    *body,
                    "</tbody>",
                    "</table></div>",
                ]
            )
        )

    def picture(self, svg: str, caption: str) -> None:
        """Add an SVG picture. As an image it cannot run scripts, fetch files or change the page's style."""
        data = base64.b64encode(svg.encode()).decode()
        self._parts.append(
            f'<figure><div class="wide"><img alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}">'
            f"</div><figcaption>{escape(caption)}</figcaption></figure>"
        )

    def html(self) -> str:
        """Return the page as it is so far."""
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self._title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
            + "\n".join(self._parts)
            + "\n</main>\n</body>\n</html>\n"
        )


def _inline(text: Text) -> str:
    """Return text as HTML; line ends are kept."""
    if isinstance(text, str):
        return escape(text).replace("\n", "<br>")
    if isinstance(text, Span):
        tag, attribute = {
            "strong": ("strong", ""),
            "faint": ("span", ' class="faint"'),
            "code": ("code", ""),
        }[text.look]
        return f"<{tag}{attribute}>{_inline(text.text)}</{tag}>"
    return "".join(map(_inline, text))


_STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1f2933; --faint: #5f6b76; --line: #e4e7eb; --block: #f5f7f9; --accent: #00609a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14191e; --ink: #e3e8ec; --faint: #9aa7b2; --line: #2e3840; --block: #1c242b; --accent: #6bbcf2;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
header { border-bottom: 3px solid var(--accent); margin-bottom: 1.5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
header p { color: var(--faint); margin: .4rem 0 1rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.75rem 0 .75rem; }
p { margin: .75rem 0; max-width: 44rem; }
.warning { border-left: 4px solid #d97706; padding-left: .8rem; }
.faint, figcaption, dt { color: var(--faint); }
strong { font-weight: 650; }
figure { margin: 1rem 0; }
figcaption { font-size: .9rem; margin-top: .5rem; max-width: 44rem; }
figure .wide { background: #fff; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; }
img { display: block; width: 100%; min-width: 36rem; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.45; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 600; border-bottom-width: 2px; vertical-align: bottom; }
th:first-child, td:first-child { padding-left: 0; }
td:not(.right) { min-width: 6.5rem; }
td:first-child:not(.right) { min-width: 9rem; }
.right { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
dl {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
  gap: 1rem 1.5rem; margin: 1rem 0;
}
dt { font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre {
  background: var(--block); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
  overflow-x: auto; font-size: .85rem; line-height: 1.5;
}
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --line: #ccc; --block: #fff; }
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  figure, tr, dl div { break-inside: avoid; }
  .wide { overflow: visible; }
  img { min-width: 0; }
  pre { white-space: pre-wrap; }
}
"""
