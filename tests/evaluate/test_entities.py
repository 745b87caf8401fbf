"""Entities: seqeval's spans and scores on any tags, well formed or not."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval import metrics as reference
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2, IOBES
from seqeval.scheme import Entities as SchemeEntities

from ambos.errors import InputError
from ambos.evaluate.entities import Entities, entity_types, spans

TYPES = ["LOC", "ORG-X", "PER"]
SCHEMES = {"BIO": IOB2, "BIOES": IOBES}


def tags_of(letters):
    return ["O", *(f"{letter}-{kind}" for letter in letters if letter != "O" for kind in TYPES)]


def sentences(letters, **options):
    """Pairs of gold and predicted tags, with O as likely as all else."""
    tag = st.one_of(st.just("O"), st.sampled_from(tags_of(letters)))
    sentence = st.lists(st.tuples(tag, tag), min_size=1, max_size=9)
    return st.lists(
        sentence.map(lambda pairs: tuple(map(list, zip(*pairs, strict=True)))), min_size=1, **options
    )


def split(pairs):
    return [gold for gold, _ in pairs], [predicted for _, predicted in pairs]


@pytest.mark.parametrize(
    ("tags", "lenient", "bioes"),
    [
        (["B-PER", "I-PER", "O", "B-LOC"], [("PER", 0, 2), ("LOC", 3, 4)], []),
        (["I-PER", "I-PER", "I-LOC"], [("PER", 0, 2), ("LOC", 2, 3)], []),
        (["B-PER", "B-PER", "I-PER"], [("PER", 0, 1), ("PER", 1, 3)], []),
        (
            ["B-PER", "I-PER", "E-PER", "S-LOC"],
            [("PER", 0, 3), ("LOC", 3, 4)],
            [("PER", 0, 3), ("LOC", 3, 4)],
        ),
        (["B-PER", "E-LOC"], [("PER", 0, 1), ("LOC", 1, 2)], []),
        (["E-PER", "E-PER"], [("PER", 0, 1), ("PER", 1, 2)], []),
        (["B-PER", "B-PER", "E-PER"], [("PER", 0, 1), ("PER", 1, 3)], [("PER", 1, 3)]),
        (["S-PER", "I-PER", "E-PER"], [("PER", 0, 1), ("PER", 1, 3)], [("PER", 0, 1)]),
        (["B", "I", "O"], [("_", 0, 2)], []),
        ([], [], []),
    ],
)
def test_spans_by_hand(tags, lenient, bioes):
    assert spans(tags) == lenient
    assert spans(tags, strict="BIOES") == bioes


@settings(max_examples=300)
@given(tags=st.lists(st.one_of(st.just("O"), st.sampled_from(tags_of("BIES")), st.sampled_from("BIES"))))
def test_spans_are_those_of_seqeval(tags):
    assert spans(tags) == [(kind, first, last + 1) for kind, first, last in get_entities(tags)]


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=200)
@given(data=st.data())
def test_strict_spans_are_those_of_seqeval(scheme, data):
    tags = data.draw(st.lists(st.one_of(st.just("O"), st.sampled_from(tags_of(scheme)))))
    (expected,) = SchemeEntities([tags], SCHEMES[scheme]).entities
    assert spans(tags, strict=scheme) == [(one.tag, one.start, one.end) for one in expected]


def seqeval_values(gold, predicted, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = reference.classification_report(
            gold, predicted, output_dict=True, zero_division=0, **options
        )
        micro = report["micro avg"]
        found = {
            "micro_f1": reference.f1_score(gold, predicted, zero_division=0, **options),
            "micro_precision": micro["precision"],
            "micro_recall": micro["recall"],
            "macro_f1": reference.f1_score(gold, predicted, average="macro", zero_division=0, **options),
            "token_accuracy": reference.accuracy_score(gold, predicted),
        }
    return found, {kind: report[kind] for kind in TYPES if kind in report}


@pytest.mark.parametrize(
    ("letters", "strict"), [("BIO", None), ("BIO", "BIO"), ("BIOES", None), ("BIOES", "BIOES")]
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_scores_are_those_of_seqeval(letters, strict, data):
    pairs = data.draw(sentences(letters, max_size=6))
    counts = data.draw(st.lists(st.integers(0, 2), min_size=len(pairs), max_size=len(pairs)))
    gold, predicted = split(pairs)
    entities = Entities(TYPES, strict=strict)
    for pair in zip(gold, predicted, strict=True):
        entities.add(*([one] for one in pair))
    found = entities.values()
    if not any(spans(tags, strict) for tags in gold + predicted):
        assert found.pop("token_accuracy") == pytest.approx(reference.accuracy_score(gold, predicted))
        assert set(found.values()) == {0.0}  # seqeval divides by zero
        return
    options = {"mode": "strict", "scheme": SCHEMES[strict]} if strict else {}
    expected, report = seqeval_values(gold, predicted, options)
    assert found == pytest.approx(expected)
    for score in entities.table():
        names = ("precision", "recall", "f1-score", "support")
        line = report.get(score.label, dict.fromkeys(names, 0))
        numbers = (score.precision, score.recall, score.f1, score.support)
        assert numbers == pytest.approx(tuple(line[name] for name in names))

    written = split([pair for pair, count in zip(pairs, counts, strict=True) for _ in range(count)])
    if any(spans(tags, strict) for tags in written[0] + written[1]):
        drawn = entities.measure(entities.rows(gold, predicted), np.array([counts], float))
        expected, _ = seqeval_values(*written, options)
        assert {name: value[0] for name, value in drawn.items()} == pytest.approx(expected)


def test_sentences_are_what_is_drawn():
    """Ten words of one sentence are one piece of evidence, not ten: the interval is wide."""
    together, apart = Entities(["PER"]), Entities(["PER"])
    right, wrong = (["S-PER"] * 10, ["S-PER"] * 10), (["S-PER"] * 10, ["O"] * 10)
    for gold, predicted in [right] * 20 + [wrong] * 20:
        together.add([gold], [predicted])
        apart.add([[tag] for tag in gold], [[tag] for tag in predicted])
    wide, narrow = (one.metrics()["micro_recall"] for one in (together, apart))
    assert wide.value == narrow.value == 0.5
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(np.sqrt(10), rel=0.15)


def test_types_come_from_tags():
    assert entity_types(["O", "B-PER", "I-PER", "S-ORG-X", "B"]) == ["ORG-X", "PER", "_"]


@pytest.mark.parametrize("tag", ["PER", "X-PER", "", "BPER", "B-", "BI-PER", "o"])
def test_what_is_no_tag_is_refused(tag):
    with pytest.raises(InputError, match="a tag cannot be read") as caught:
        spans(["O", tag])
    assert repr(tag) in str(caught.value)


def test_bilou_is_bioes_with_other_letters():
    tags = ["U-PER", "B-PER", "I-PER", "L-PER", "U-PER", "U-PER", "O", "L-LOC", "I-LOC"]
    other = [tag.replace("U-", "S-").replace("L-", "E-") for tag in tags]
    assert spans(tags) == spans(other)
    assert spans(tags)[:2] == [("PER", 0, 1), ("PER", 1, 4)]
    assert entity_types(tags) == ["LOC", "PER"]


def test_tags_of_another_scheme_are_refused_when_strict():
    with pytest.raises(InputError, match="a tag cannot be read"):
        spans(["S-PER"], strict="BIO")


def test_unlike_sentences_and_unknown_types_are_refused_and_nothing_is_counted():
    entities = Entities(["PERSON", "PLACE"])
    with pytest.raises(InputError, match="not one predicted tag") as caught:
        entities.add([["O"], ["O", "O"]], [["O"], ["O"]])
    assert "sentence 1" in str(caught.value)
    with pytest.raises(InputError, match="unknown type PERSN") as caught:
        entities.add([["B-PERSN"]], [["O"]])
    assert "did you mean PERSON?" in str(caught.value)
    with pytest.raises(ValueError, match="2 sentences"):
        entities.add([["O"], ["O"]], [["O"]])
    assert len(entities.tally) == 0
    assert set(entities.values().values()) == {0}
