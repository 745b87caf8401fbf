"""Pictures of runs: the same bytes every time, all of the data, nothing from outside."""

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest

from ambos.analysis.curves import _smoothed, _thinned, draw_curves

SVG = "{http://www.w3.org/2000/svg}"


def train(step: int, **values: object) -> dict[str, object]:
    return {"kind": "train", "step": step, "loss": 9 - step / 100, "lr": 1e-4, **values}


def heldout(step: int, **values: object) -> dict[str, object]:
    return {
        "kind": "heldout",
        "step": step,
        "mlm_loss": 9 - step / 100,
        "mlm_accuracy": step / 1000,
        **values,
    }


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def titles(svg: str) -> list[str]:
    return [text.split(" (")[0] for text in texts(svg) if text[:1].isupper()]


def full_run(steps: int = 300) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    metrics: list[dict[str, object]] = [
        train(n, mlm_loss=8 - n / 100, next_loss=0.7 - n / 1000) for n in range(1, steps)
    ]
    metrics += [heldout(n, next_accuracy=0.6, next_pairs=800) for n in range(0, steps, 50)]
    speed = [{"step": n, "tokens_per_second": 12_345.0 + n} for n in range(100, steps, 100)]
    return metrics, speed


def test_the_same_records_give_the_same_bytes_whatever_the_users_settings():
    first = draw_curves(*full_run())
    with mpl.rc_context({"svg.fonttype": "path", "lines.linewidth": 9, "font.size": 30}):
        assert draw_curves(*full_run()) == first
        assert mpl.rcParams["font.size"] == 30  # the user's own settings are back


def test_panels_and_labels_of_a_full_run():
    svg = draw_curves(*full_run())
    assert titles(svg) == [
        "Loss at masked positions", "Other training losses", "Accuracy on held-out text",
        "Learning rate", "Tokens per second",
    ]  # fmt: skip
    found = texts(svg)
    assert "held-out 6.50" in found
    assert "next sentence 60 %" in found
    assert "chance for pairs" in found
    assert "masked tokens 25 %" in found
    assert "Tokens per second (median 12,495)" in found
    assert found.count("step") == 1


def test_panels_without_data_are_left_out():
    assert titles(draw_curves([train(1), train(2)], [])) == ["Loss", "Learning rate"]
    only = draw_curves([heldout(5)], [{"step": 5, "tokens_per_second": None}])
    assert titles(only) == ["Loss", "Accuracy on held-out text"]
    assert "chance for pairs" not in texts(only)
    assert texts(draw_curves([], [])) == []


def test_thousands_are_separated():
    found = texts(draw_curves([train(n * 1000) for n in range(21)], []))
    assert {"5,000", "20,000"} <= set(found)


@pytest.mark.parametrize("bad", [math.nan, math.inf, None, "x", True])
def test_what_is_no_number_is_left_out(bad):
    metrics = [train(n) for n in range(1, 6)]
    assert draw_curves([*metrics, train(99, loss=bad, lr=bad)], []) == draw_curves(metrics, [])
    assert draw_curves([train(n, loss=bad, lr=bad) for n in range(9)], []) == draw_curves([], [])


def test_one_record_is_a_dot():
    svg = draw_curves([train(7)], [])
    assert len(re.findall("<use ", svg)) == 2  # loss and learning rate
    assert "training 8.93" in texts(svg)


def test_nothing_refers_outside():
    svg = draw_curves(*full_run())
    assert svg.startswith("<svg")
    assert set(re.findall(r'https?://[^"\s]*', svg)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    references = re.findall(r'(?:href="|url\()([^")]*)', svg)
    assert references
    assert all(one.startswith("#") for one in references)
    assert "<script" not in svg
    assert "<metadata" not in svg


def test_long_runs_stay_small_and_keep_their_extremes():
    metrics: list[dict[str, object]] = [
        train(n, mlm_loss=math.sin(n) + 3, next_loss=math.cos(n) + 1, lr=1e-4 * (n % 7))
        for n in range(1, 100_001)
    ]
    metrics += [heldout(n, mlm_loss=3.0, next_accuracy=0.5) for n in range(0, 100_001, 10)]
    svg = draw_curves(metrics, [{"step": n, "tokens_per_second": 100.0 + n % 9} for n in range(100_000)])
    assert len(svg.encode()) < 300_000
    values = np.zeros(100_000)
    values[54_321], values[65_432] = 5.0, -5.0
    x, y = _thinned(np.arange(100_000.0), values)
    assert len(x) <= 602
    assert (x[0], x[-1]) == (0, 99_999)
    assert (x[y.argmax()], x[y.argmin()]) == (54_321, 65_432)
    assert (np.diff(x) > 0).all()


def test_smoothing_by_hand():
    few = np.arange(79.0)
    assert _smoothed(few) is few
    values = np.zeros(160)  # a window of two places to each side
    values[[0, 80, 159]] = 5.0
    smooth = _smoothed(values)
    assert smooth[0] == 5.0  # the start is not flattened
    assert smooth[1] == pytest.approx(5 / 3)
    assert smooth[78:83] == pytest.approx([1.0] * 5)
    assert smooth[[77, 83]] == pytest.approx([0.0, 0.0])
    assert smooth[159] == pytest.approx(5 / 3)  # the last three


def test_labels_of_lines_that_end_together_do_not_overlap():
    record = heldout(10, mlm_accuracy=0.9, next_accuracy=0.9, order_accuracy=0.9)
    svg = draw_curves([heldout(0, mlm_accuracy=0.9), record], [])
    wanted = ("masked tokens 90 %", "next sentence 90 %", "sentence order 90 %", "chance for pairs")
    heights = sorted(
        float(element.get("y", "nan"))
        for element in ET.fromstring(svg).iter(f"{SVG}text")
        if element.text in wanted
    )
    assert len(heights) == 4
    assert min(np.diff(heights)) > 11  # points; the letters have 9
    assert heights[0] > 0


def test_names_of_losses_are_text_not_formulas():
    svg = draw_curves([train(n, **{"$x$_loss": 1.0, "span_boundary_loss": 2.0}) for n in (1, 2)], [])
    assert {"$x$ 1.00", "span boundary 2.00"} <= set(texts(svg))


def test_the_records_order_does_not_matter():
    metrics, speed = full_run()
    assert draw_curves(metrics[::-1], speed[::-1]) == draw_curves(metrics, speed)


def test_no_window_system_is_touched_and_importing_is_light():
    code = (
        "import sys; from ambos.analysis.curves import draw_curves; assert 'matplotlib' not in sys.modules;"
        "draw_curves([{'kind': 'train', 'step': 1, 'loss': 1.0}], []);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
