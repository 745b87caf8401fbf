"""The engine on small templates: agreement, contraction, articles, conjugation, spacing."""

from random import Random

import pytest

from ambos.sample import english, portuguese
from ambos.sample.grammar import Grammar
from ambos.sample.language import Lexicon, Noun
from ambos.sample.tokens import join, span_of

PT = Grammar(
    portuguese.PORTUGUESE,
    Lexicon(
        {"fruit": [Noun("manga", "mangas", "f")]},
        {"taste": ["doce"]},
        {},
        {"vp": ["comer {um F=fruit}"], "t.vp": ["ver {F=fruit.p}"]},
    ),
)
EN = Grammar(english.ENGLISH, Lexicon({"fruit": [Noun("apple", "apples", "n")]}, {}, {"eat": ["eat"]}, {}))


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("gosto de+ {o X=fruit.p maduro}.", "Gosto das mangas maduras."),
        ("vou a+ {o X=fruit} e a+ {aquele X}.", "Vou à manga e àquela manga."),
        ("{X=fruit} e {#taste @X}", "Manga e doce"),
        ("{N=word:2-2 X=fruit.p} [X ser pres] {bonito @X}.", "Duas mangas são bonitas."),
        ("{o X=fruit} [X comer neg.pass.past].", "A manga não foi comida."),
        ("{o X=fruit} <vp X past>!", "A manga comeu uma manga!"),
        ("chegou o Sr. Silva. ela riu…", "Chegou o Sr. Silva. Ela riu…"),
        ("— quem veio? — perguntou ele.", "— Quem veio? — perguntou ele."),
    ],
)
def test_portuguese(template, expected):
    assert PT.text(template, Random(0)) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{a X=fruit} and {a new X}", "An apple and a new apple"),
        ("{a X=fruit.p} [X be past] here at 7 a.m.", "Some apples were here at 7 a.m."),
        ("{the X=fruit} [X V=%eat neg.past] it.", "The apple did not eat it."),
        ("“it cost $5,” [X say past] {the X=fruit}.", "“It cost $5,” said the apple."),
    ],
)
def test_english(template, expected):
    assert EN.text(template, Random(0)) == expected


def test_a_topic_hides_the_common_list():
    assert PT.text("{o X=fruit} <vp X pres>", Random(0), topic="t") == "A manga vê mangas"


def test_spans_are_exact():
    tokens = PT.realise("“{o X=fruit.p maduro},” disse.", Random(0))
    text, spans = join(tokens)
    assert [text[start:end] for start, end in spans] == [token.text for token in tokens]
    start, end = span_of("X", tokens, spans)
    assert text[start:end] == "mangas"


@pytest.mark.parametrize(
    ("lemma", "tense", "number", "expected"),
    [
        ("cantar", "past", "p", "cantaram"),
        ("sair", "past", "p", "saíram"),
        ("construir", "pres", "s", "constrói"),
        ("passear", "pres", "p", "passeiam"),
        ("produzir", "pres", "s", "produz"),
        ("ter", "pres", "p", "têm"),
        ("ficar", "past", "1", "fiquei"),
        ("conhecer", "pres", "1", "conheço"),
        ("compor", "ger", "s", "compondo"),
        ("se_sentar", "plu", "p", "tinham se sentado"),
        ("vir", "neg.past", "s", "não veio"),
    ],
)
def test_portuguese_verbs(lemma, tense, number, expected):
    assert " ".join(word for word, _ in portuguese.conjugate(lemma, tense, number, "m")) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("leão", "leões"),
        ("animal", "animais"),
        ("hotel", "hotéis"),
        ("túnel", "túneis"),
        ("fácil", "fáceis"),
        ("gentil", "gentis"),
        ("jardim", "jardins"),
        ("luz", "luzes"),
        ("português", "portugueses"),
        ("lápis", "lápis"),
        ("azul", "azuis"),
    ],
)
def test_portuguese_plurals(word, expected):
    assert portuguese.plural(word) == expected


@pytest.mark.parametrize(
    ("lemma", "tense", "number", "expected"),
    [
        ("carry", "pres", "s", "carries"),
        ("stop", "past", "s", "stopped"),
        ("write", "ger", "s", "writing"),
        ("see", "ger", "s", "seeing"),
        ("be", "neg.past", "p", "were not"),
        ("take", "pass.past", "p", "were taken"),
        ("go", "fut", "s", "will go"),
        ("watch", "neg.pres", "s", "does not watch"),
    ],
)
def test_english_verbs(lemma, tense, number, expected):
    assert " ".join(word for word, _ in english.conjugate(lemma, tense, number, "n")) == expected
