# ruff: noqa: SIM905 - word lists read best as running text
"""The raw text: rich, without repetition, and grammatical as far as a pattern can tell."""

import re
from collections import Counter

import pytest

from ambos.sample.english import article
from ambos.sample.lexicon import tongues

LANGUAGES = ("pt", "en")
ABBREVIATION = re.compile(r"\b(Sra?|Dra?|Profa?|Av|Mrs?|Ms|St|No|a\.m|p\.m)\.")


def sentences(text):
    plain = ABBREVIATION.sub(r"\1", text)
    return [s.strip() for line in plain.split("\n") for s in re.split(r"(?<=[.!?…])\s+", line) if s.strip()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_vocabulary_is_rich(sample, language):
    forms = set(re.findall(r"[^\W\d_]+", sample.corpus(language).lower()))
    assert len(forms) > 3000


@pytest.mark.parametrize("language", LANGUAGES)
def test_long_sentences_seldom_repeat(sample, language):
    long = [s for s in sentences(sample.corpus(language)) if len(s.split()) > 6]
    assert 1 - len(set(long)) / len(long) < 0.02


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_are_distinct_and_well_formed(sample, language):
    documents = [
        d for part in ("corpus", "heldout") for d in sample.corpus(language, part).strip("\n").split("\n\n")
    ]
    assert len(set(documents)) == len(documents)
    for document in documents:
        assert 2 <= len(document.split("\n")) <= 6
        assert not re.search(r"  | $|^ |[{}\[\]<>|#@=_+]| [,.;!?]", document, re.MULTILINE), document


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_begin_with_a_capital_and_end(sample, language):
    for line in sample.corpus(language).split("\n"):
        assert not line or line[-1] in ".!?…”", line
        assert not line or line.lstrip("— “")[0].isupper() or line[0].isdigit(), line


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_keep_their_people(sample, language):
    """A name that opens a document comes back in it: what next-sentence prediction learns from."""
    names = {
        first
        for tongue in tongues()
        if tongue.code == language
        for g in "mf"
        for first in tongue.names.given[g]
    }
    kept = total = 0
    for document in sample.corpus(language).split("\n\n"):
        head, _, rest = document.partition(". ")
        opening = [word for word in re.findall(r"\w+", head) if word in names]
        if opening and len(rest) > 500:
            total += 1
            kept += opening[0] in rest
    assert total > 500
    assert kept / total > 0.8


def test_both_senses_occur(sample):
    portuguese, english = sample.corpus("pt").lower(), sample.corpus("en").lower()
    for pattern in (
        r"bancos? (cobr|emprest)",
        r"bancos? de (madeira|pedra)",
        r"mangas? madura",
        r"mangas? (do|da) (camisa|paletó|casaco)",
    ):
        assert re.search(pattern, portuguese), pattern
    for pattern in (
        r"banks? lent",
        r"banks? of the (river|stream)",
        r"springs? of (the|steel)",
        r"in spring",
        r"drank .* the spring",
    ):
        assert re.search(pattern, english), pattern


def test_typography(sample):
    portuguese, english = sample.corpus("pt"), sample.corpus("en")
    assert re.search(r"R\$ \d+,\d\d", portuguese)
    assert re.search(r"\$\d+\.\d\d", english)
    assert "— " in portuguese
    assert "“" in english
    assert all(mark in portuguese for mark in ("Sr. ", "Dra. ", "Av. ", "…"))
    assert all(mark in english for mark in ("Mr. ", "Dr. ", " St.", "…"))


@pytest.mark.parametrize(
    "wrong",
    [
        r"\bde [oa]s? (?=\w{3})",
        r"\bem [oa]s? \w",
        r"\bem uma? \w",
        r"\bpor [oa]s? \w",
        r"\bde (ele|ela|eles|elas|este|esta|esse|essa|aquele|aquela)\b",
        r"\bem (ele|ela|este|esta|esse|essa|aquele|aquela)\b",
        r"\ba os? \w",
        r"\ba as? (?!\d)\w",
        r"\b(o|um|do|no|ao|pelo|num|este|aquele) [oa]s?\b",
    ],
)
def test_portuguese_contracts(sample, wrong):
    text = sample.all_text("pt")
    assert not [text[found.start() - 30 : found.end() + 30] for found in re.finditer(wrong, text)][:5]


def noun_genders():
    portuguese = tongues()[0].grammar.lexicon
    genders = {}
    for nouns in portuguese.nouns.values():
        for noun in nouns:
            if noun.tag == "NOUN" and " " not in noun.sg:
                for form in (noun.sg, noun.pl):
                    genders.setdefault(form, set()).add(noun.gender)
    # "o final" of a film, "a final" of a cup; "o rádio" that plays, "a Rádio" that broadcasts
    return genders | {"final": {"m", "f"}, "rádio": {"m", "f"}}


def test_portuguese_articles_agree(sample):
    genders = noun_genders()
    masculine = (
        "o um os alguns do dos no nos ao aos pelo pelos num este estes esse esses aquele aqueles".split()
    )
    feminine = (
        "a uma as algumas da das na nas à às pela pelas numa esta estas essa essas aquela aquelas".split()
    )
    wrong = Counter()
    for article_, noun in re.findall(r"(?<!\w)(\w+) (\w[\w-]*)", sample.all_text("pt").lower()):
        if noun in genders and article_ in masculine and genders[noun] == {"f"}:
            wrong[article_, noun] += 1
        if noun in genders and article_ in feminine and article_ != "a" and genders[noun] == {"m"}:
            wrong[article_, noun] += 1
    assert not wrong


def test_portuguese_numerals_agree(sample):
    genders = noun_genders()
    for numeral, noun in re.findall(r"\b(dois|duas) (\w[\w-]*)", sample.all_text("pt").lower()):
        assert genders.get(noun, {"m" if numeral == "dois" else "f"}) >= {
            "m" if numeral == "dois" else "f"
        }, (numeral, noun)


def test_english_articles(sample):
    vowel_sound, consonant_sound = (
        {"hour", "honest"},
        {"uniform", "university", "user", "used", "useless", "useful", "one", "european"},
    )
    for found, word in re.findall(r"\b([Aa]n?) ([A-Za-z][\w-]*)", sample.all_text("en")):
        lower = word.lower()
        an = lower.startswith(tuple(vowel_sound)) or (lower[0] in "aeiou" and lower not in consonant_sound)
        assert found.lower() == ("an" if an else "a"), (found, word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("apple", "an"),
        ("hour", "an"),
        ("uniform", "a"),
        ("uninvited", "an"),
        ("18", "an"),
        ("8", "an"),
        ("80", "an"),
        ("one", "a"),
    ],
)
def test_article_by_sound(word, expected):
    assert article(word) == expected


def test_english_verbs_agree(sample):
    text = sample.all_text("en")
    assert not re.search(r"\b(He|She|he|she) (are|were|do|have)\b", text)
    assert not re.search(r"\b(did not|does not|do not) \w+(ed|ought)\b(?<!need)(?<!feed)", text)
