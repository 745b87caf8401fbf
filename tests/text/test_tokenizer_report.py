"""Figures of a tokenizer on a text, against counts made by hand."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import processors

from ambos.errors import InputError
from ambos.text import tokenizer_report
from ambos.text.readers import Document
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_report import report_tokenizer
from ambos.text.tokenizer_train import TrainOptions, train_tokenizer


def documents(*texts: str, language: str = "pt") -> list[Document]:
    return [Document(text, language, Path("a.txt"), number + 1) for number, text in enumerate(texts)]


@pytest.fixture(scope="module")
def small() -> Tokenizer:
    """Words: gato and rato whole, everything else in letters; x, y and z unknown."""
    return train_tokenizer(documents("gato rato, ot ra " * 50), TrainOptions("wordpiece", vocab_size=40))


def test_hand_counted(small: Tokenizer) -> None:
    assert small.encode("gato tora xgato,").tokens[1:-1] == ["gato", "t", "##o", "##r", "##a", "[UNK]", ","]
    report = report_tokenizer(small, documents("gato tora xgato,\nrato", "gato"))
    row = report.figures["pt"]
    assert (row.documents, row.words, row.tokens) == (2, 6, 9)
    assert row.fertility == pytest.approx(9 / 6)
    assert row.whole == pytest.approx(5 / 6)  # all but tora
    assert row.unknown == pytest.approx(1 / 9)
    assert row.coverage == pytest.approx(5 / 6)
    assert len(row.used) == 8
    assert [item.tokens for item in report.longest] == [8, 1]
    assert report.longest[0].beginning == "gato tora xgato, rato"
    assert report.longest[0].line == 1


def test_languages_and_their_sum(small: Tokenizer) -> None:
    report = report_tokenizer(small, documents("gato rato") + documents("tora", language="en"))
    assert list(report.figures) == ["all", "en", "pt"]
    assert report.figures["all"].tokens == report.figures["en"].tokens + report.figures["pt"].tokens
    assert report.as_dict()["languages"]["pt"]["fertility"] == 1.0


def test_sum_does_not_depend_on_batches(
    tokenizer: Tokenizer, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = (sample / "heldout" / "pt.txt").read_text().split("\n\n")
    whole = report_tokenizer(tokenizer, documents(*texts, "", " \u200b ")).as_dict()
    monkeypatch.setattr(tokenizer_report, "_AT_ONCE", 1)
    assert report_tokenizer(tokenizer, documents(*texts, "", " \u200b ")).as_dict() == whole
    counted = sum(len(re.findall(r"\w+|[^\w\s]", text)) for text in texts) + 1  # the zero-width space
    assert whole["languages"]["pt"]["words"] == counted


def test_nothing_to_report(small: Tokenizer) -> None:
    with pytest.raises(InputError, match="no text"):
        report_tokenizer(small, [])


def test_spans_that_cover_the_space_before_a_word(tokenizer_folder: Callable[[str], Path]) -> None:
    """A byte-level tokenizer whose spans are not trimmed counts the same."""
    trimmed, untrimmed = (Tokenizer.load(tokenizer_folder("bpe")) for _ in range(2))
    untrimmed.backend.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A $B", special_tokens=[]
    )
    texts = documents("O gato dorme. Ele ronca!", "A casa  azul")
    assert untrimmed.backend.encode("o gato").offsets[1][0] == 1
    assert report_tokenizer(untrimmed, texts).as_dict() == report_tokenizer(trimmed, texts).as_dict()
