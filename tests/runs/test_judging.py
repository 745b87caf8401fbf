"""What is right of a row: the same for every model that is measured with it."""

from pathlib import Path

import pytest

from ambos.data.rows import PairRow
from ambos.runs.judging import judge_of
from ambos.tasks.embed import Embed


def test_a_score_is_right_whatever_range_a_model_learnt() -> None:
    """So that models of other ranges are known to be measured with the same rows."""
    row = PairRow("o gato", "um gato", (), 3.0, Path("a.csv"), 2)
    narrow, wide = (judge_of(Embed(low=low, high=high)) for low, high in ((1.0, 4.0), (0.0, 5.0)))
    assert narrow.gold(row) == wide.gold(row) == 3.0
    assert (narrow.badness(row, 0.5), wide.badness(row, 0.5)) == pytest.approx((1 / 6, 0.1))
    assert wide.show(row, 0.5)["gold"] == 0.6
    labelled = PairRow("o gato", "um gato", ("sim",), None, Path("a.csv"), 2)
    assert [judge_of(Embed(positive=name)).gold(labelled) for name in ("sim", "no")] == [1.0, 0.0]
