"""Errors say where, what was expected, what was found and how to fix it, and cross process borders whole."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from ambos.errors import AmbosError, InputError, OutputError, UsageError
from ambos.suggest import did_you_mean

FULL = {
    "what": "not valid UTF-8",
    "expected": "UTF-8 text",
    "found": "byte 0xFF",
    "fix": "--encoding latin-1",
    "file": "a.txt",
    "line": 3,
}


def test_message_has_every_part_in_order():
    assert str(InputError(**FULL)).splitlines() == [
        "a.txt, line 3: not valid UTF-8",
        "  expected  UTF-8 text",
        "  found     byte 0xFF",
        "  fix       --encoding latin-1",
    ]


@pytest.mark.parametrize(
    ("place", "head"),
    [({}, "bad"), ({"file": Path("a/b.txt")}, "a/b.txt: bad"), ({"line": 3}, "bad")],
)
def test_message_says_as_much_of_the_place_as_is_known(place, head):
    assert str(AmbosError("bad", **place)) == head


def test_each_kind_has_its_exit_code():
    assert [kind.exit_code for kind in (AmbosError, UsageError, InputError, OutputError)] == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", [AmbosError, UsageError, InputError, OutputError])
def test_pickling_keeps_kind_and_fields(kind):
    copy = pickle.loads(pickle.dumps(kind(**FULL)))
    assert type(copy) is kind
    assert copy.as_dict() == FULL


def raise_full():
    raise InputError(**FULL)


def test_an_error_of_a_worker_process_arrives_whole():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        future = pool.submit(raise_full)
        with pytest.raises(InputError) as caught:
            future.result()
    assert caught.value.as_dict() == FULL


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("wordpeice", "did you mean wordpiece?"),
        ("txt", "did you mean text?"),
        ("zzz", None),
        ("", None),
    ],
)
def test_did_you_mean(name, answer):
    assert did_you_mean(name, ["bpe", "text", "wordpiece"]) == answer


def test_did_you_mean_names_at_most_three_nearest_first():
    known = ["train1", "train2", "train3", "train4", "train"]
    answer = did_you_mean("train", known)
    assert answer.startswith("did you mean train or ")
    assert answer.count(" or ") == 2
