import importlib
import os
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambos.text import sentences as module
from ambos.text.sentences import sentence_ends, split_sentences, word_shape

# `|` is where a sentence must end; nowhere else may one.
CASES = """
O gato dormiu. | A chuva parou.
The cat slept. | The rain stopped.
Chegou tarde! | Ninguém reclamou.
Who is there? | Nobody answered.
Não acredito?! | Pois acredite!
What?! | You heard me.
O Sr. Lima e a Dra. Souza chegaram. | Foram bem recebidos.
Mr. Brown met Mrs. White at noon. | They had tea.
Moro na Av. Brasil, perto da Pça. Mauá. | Venha!
We live on St. James St. near the river.
It is on Main St. | The shop closes at six.
Veja o art. 5º, inc. II, e as fls. 12 do proc. 344.
O art. IV trata disso. | O vol. II também.
See fig. 3 and vol. 2 for details. | Then read p. 40.
Comprou frutas, p. ex. bananas, e saiu.
Bring something warm, e.g. a coat, i.e. not a shirt.
Trouxe pão, leite, etc. | Depois dormiu.
Trouxe pão, leite, etc. e dormiu.
We sell pens, paper, etc. | Come in.
The train left at 8 a.m. | Nobody saw it.
The train left at 8 a.m. on Monday.
Roma caiu em 476 d.C. e nada foi como antes.
César morreu em 44 a.C. | O senado festejou.
The U.S. Army arrived. | It was late.
He moved to the U.S. | The weather was better.
J. R. R. Tolkien wrote it. | C. S. Lewis read it.
O autor é J. M. Machado de A. Silva.
O romance de D. João VI agrada. | S. Paulo também.
The D.C. Circuit heard Roe v. Wade again.
It was plan B. | The rest is history.
It was I. | Mary knew.
Ele tem 3.14 metros. | Custou R$ 1.250,00 à vista.
It costs 3.50 today. | Yesterday it cost 1,000.00 euros.
Nasceu em 12.05.1990. | Morreu em 2020.
She was born in 1990. | In 2010 she left.
Custa R$ 15. | Paguei ontem.
"Vem cá!" disse ela.
"Vem." | Ela foi.
«Não sei.» | O velho calou-se.
“Come here!” he said. | She came.
"Who is it?" Mary asked.
"Come in." | Mary smiled.
Ele disse: "Não vou." | E não foi.
Pensei... pensei muito. | Pensei… mas nada fiz.
Pensei muito... | Depois fui.
I thought… | Then I left.
Wait... what is this?
— Vem cá! — disse ele.
— Não sei. — disse ele.
— Não sei. | — Ele saiu.
– Quem é? – perguntou a moça. | – Sou eu.
—Já vou! —gritou.
He left. | — She stayed.
(Ele riu.) | Ninguém mais riu.
He laughed (really!) and left. | (Nobody saw.) | We did.
Foi assim (ver p. 3). | Acabou.
1. Primeiro ponto. | 2. Segundo ponto.
Faça isto: 1. Abra a porta.
a) Compre pão. | b) Volte cedo.
9.2. Aplicar a multa. | 9.3. Arquivar.
Visite www.exemplo.com.br hoje. | Escreva para ana@exemplo.org. | Obrigado.
Go to example.com. | It works.
ATENÇÃO. | PROIBIDO FUMAR. | Obrigado.
Ele saiu; ela ficou: ninguém falou.
One thing; then another: no end here.
Ele gritou: «Fora! » | Todos saíram.
Ele disse “vou. ” | Depois foi.
He stopped. | " Stop there," he said.
Thanks! :) | See you soon.
Ótimo! 😀 | Até amanhã.
thanks!! | see you
it rained. | we stayed home.
where are you? | i am here.
Ah! que pena.
Oh! how lovely it was.
Nasceu em jan. de 1990. | Casou em dez. | Morreu velho.
He arrived on Sept. 11 with Capt. Smith.
A Silva & Cia. Ltda. faliu. | A Lima Ltda. | O juiz decidiu.
Acme Inc. announced it. | Acme Corp. Chairman Bob Jones agreed.
V. Exa. sabe disso. | V. Sa. também.
Leu tudo. | [...] Não gostou.
O filme tem 90 min. e é bom.
Brasil vs. Argentina foi ontem.
P. — Por que saiu? | R. — Não digo.
Fim de linha
¿Qué pasa? | ¡Nada! | Vamos.
Il est parti. | Elle est restée.
वह गया। | वह आया।
Он ушёл. | Она осталась.
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    expected = [part.strip() for part in case.split("|")]
    text = " ".join(expected)
    assert [text[start:end] for start, end in split_sentences(text)] == expected


def test_new_lines_are_borders_and_spans_point_into_the_text():
    text = "  um dois\r\n\n três.  Quatro\t\n\rcinco "
    assert [text[a:b] for a, b in split_sentences(text)] == ["um dois", "três.", "Quatro", "cinco"]


@pytest.mark.parametrize("text", ["", " ", "\n\r\n", "\t \u2003"])
def test_nothing_to_split(text):
    assert split_sentences(text) == []


def test_abbreviation_lists_do_not_contradict_each_other():
    words = [word for listed in module._ABBREVIATIONS.values() for word in listed.split()]
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words)


def test_kinds_fit_the_shape():
    assert module.EITHER < 16
    assert module.QUOTE < 16


# Text rich in what the rules look at, and any text at all (lone surrogates and NUL included).
MARKS = ["!", "»", '"', "—", "...", "…", "(...)", ":)", "\x00", "\n"]
ABBREVIATED = ["Sr.", "etc.", "U.S.", "J.", "I.", "VI", "3.", "12"]
WORDS = [
    "fim.",
    "fim",
    "Ele",
    "disse",
    "Ana",
    "ela",
    "Quem?”",
    "—disse",
    "veja:",
    "«Não",
    "vem!",
    'Who?"',
    "said",
]
PIECES = st.sampled_from([*MARKS, *ABBREVIATED, *WORDS])
RICH = st.lists(PIECES, max_size=30).map(" ".join)
ANY = st.text(st.characters(exclude_categories=())) | RICH


@given(ANY)
def test_spans_cover_the_text_once(text):
    spans = split_sentences(text)
    assert spans == split_sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert not any("\n" in text[start:end] or "\r" in text[start:end] for start, end in spans)


@given(st.lists(RICH.map(lambda text: text.split()).filter(bool), max_size=8))
def test_a_concatenation_is_split_as_its_paragraphs(paragraphs):
    shapes = [np.array([word_shape(word) for word in words], dtype=np.uint8) for words in paragraphs]
    apart = [sentence_ends(part) for part in shapes]
    together = np.concatenate([*shapes, np.zeros(0, dtype=np.uint8)])
    last = np.zeros(len(together), dtype=np.bool_)
    last[np.cumsum([len(part) for part in shapes], dtype=np.intp) - 1] = True
    before = last.copy()
    ends = sentence_ends(together, last)
    assert ends.tolist() == [end for part in apart for end in part.tolist()]
    assert np.array_equal(last, before)
    assert all(part[-1] for part in apart)


@given(st.lists(PIECES.map(str.strip).filter(bool), min_size=1, max_size=12), st.data())
def test_a_border_depends_on_its_neighbourhood_only(words, data):
    padded = ["x", *words, "x", "x"]
    at = data.draw(st.integers(1, len(words)))
    low = max(0, at - 2)
    ends = sentence_ends(np.array([word_shape(word) for word in padded], dtype=np.uint8))
    window = sentence_ends(np.array([word_shape(word) for word in padded[low : at + 3]], dtype=np.uint8))
    assert ends[at] == window[at - low]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.int64])
def test_any_integer_type_of_shapes(dtype):
    shapes = [word_shape(word) for word in ["O", "Sr.", "Lima", "saiu.", "Chove."]]
    assert sentence_ends(np.array(shapes, dtype=dtype)).tolist() == [False, False, False, True, True]


@given(st.text(min_size=1).map(lambda text: "".join(text.split())).filter(bool))
def test_shapes_are_bytes(word):
    assert 0 <= word_shape(word) < 256


# Measured on test by benchmarks/sentences.py, less 0.01.
FLOORS = {
    ("pt", "all"): 0.921,
    ("pt", "terminated"): 0.987,
    ("en", "all"): 0.787,
    ("en", "terminated"): 0.968,
}


@pytest.mark.skipif(
    "AMBOS_DATA" not in os.environ, reason="AMBOS_DATA is not set: no gold sentences to measure on"
)
@pytest.mark.parametrize("language", ["pt", "en"])
def test_accuracy_on_gold_sentences_does_not_fall(language, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    monkeypatch.delitem(sys.modules, "sentences", raising=False)
    benchmark = importlib.import_module("sentences")

    gold = benchmark.read_gold(Path(os.environ["AMBOS_DATA"]) / benchmark.GOLD[language] / "test.conll")
    terminated = [sentence for sentence in gold if benchmark.TERMINATED.search(sentence)]
    for kind, chosen in (("all", gold), ("terminated", terminated)):
        counted = benchmark.counts(benchmark.build_groups(chosen), benchmark.ours(language))
        assert benchmark.prf(counted)[2] >= FLOORS[language, kind]
