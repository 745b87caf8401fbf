"""The commonest prediction is counted among what is said and what should be said."""

from ambos.evaluate.commonest import Commonest, Sayings


def test_the_commonest_prediction_need_not_be_right_ever():
    sayings = Sayings()
    assert sayings.commonest is None
    sayings.add(zip("aabbc", "ddddd", strict=True))
    sayings.add([("d", "a")])
    assert sayings.commonest == Commonest("d", said=5, gold=1, examples=6)
