"""Pages are well-formed, show text as text, and neither load nor run anything."""

import base64
import re
from html.parser import HTMLParser

import pytest

from ambos.analysis.page import Page, Span, faint, strong

HOSTILE = '<script>alert("1")</script> & \' </td></table>'
VOID = {"meta", "br", "img"}


class Reader(HTMLParser):
    """Checks that every element is closed in order, and keeps tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def page() -> Page:
    page = Page(HOSTILE, HOSTILE)
    page.heading(HOSTILE)
    page.paragraph([HOSTILE, strong(HOSTILE), faint(HOSTILE), Span(HOSTILE, "code")])
    page.facts([(HOSTILE, HOSTILE)])
    page.table([HOSTILE, "n"], [[HOSTILE, ["1", strong("2")]]], right=["n"])
    page.code(HOSTILE)
    page.picture("<svg><!-- é --></svg>", HOSTILE)
    return page


def test_whatever_text_comes_is_shown_as_that_text(page):
    found = Reader(page.html())
    assert found.named("script") == []
    # title, h1, subtitle, h2, four in the paragraph, two facts, head, cell, code, caption
    assert sum(text.count("</td></table>") for text in found.text) == 14
    assert found.named("img")[0]["alt"] == HOSTILE
    assert len(found.named("table")) == 1


def test_nothing_is_loaded_from_anywhere(page):
    html = page.html()
    found = Reader(html)
    policy = [one["content"] for one in found.named("meta") if one.get("http-equiv")]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert not re.search(r"https?:|url\(|@import|<link|<iframe|\son\w+=", html)
    assert all(one["src"].startswith("data:image/svg+xml;base64,") for one in found.named("img"))


def test_pictures_come_back_byte_for_byte(page):
    source = Reader(page.html()).named("img")[0]["src"]
    assert base64.b64decode(source.split(",")[1]).decode() == "<svg><!-- é --></svg>"


def test_language_width_of_phones_darkness_and_print_are_thought_of(page):
    html = page.html()
    assert html.startswith('<!doctype html>\n<html lang="en">')
    assert 'name="viewport"' in html
    assert "@media (prefers-color-scheme: dark)" in html
    assert "@media print" in html


def test_columns_of_numbers_stand_right_and_line_ends_are_kept():
    page = Page("t")
    page.table(["a", "n"], [["x\ny", "1"]], right=["n"])
    assert '<th scope="col">a</th><th scope="col" class="right">n</th>' in page.html()
    assert '<td>x<br>y</td><td class="right">1</td>' in page.html()


def test_a_row_that_does_not_fit_its_columns_is_refused():
    with pytest.raises(ValueError, match="zip"):
        Page("t").table(["a", "b"], [["only one"]])


def test_a_page_can_be_read_while_it_grows():
    page = Page("t", "")
    before = page.html()
    assert "<header>\n<h1>t</h1>\n</header>" in before
    page.paragraph("more")
    assert page.html() == before.replace("</header>", "</header>\n<p>more</p>")
