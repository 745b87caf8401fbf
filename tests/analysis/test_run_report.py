"""Reports say what the files of a run say, whatever state the run is in."""

import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ambos.analysis.run_files import read_run
from ambos.analysis.run_report import write_report
from ambos.errors import InputError, OutputError
from tests.analysis.test_page import Reader

ABOUT = {
    "started": "2026-03-04T09:12:44+00:00",
    "finished": "2026-03-04T09:45:14+00:00",
    "status": "finished",
    "seconds": 123.4,
    "steps": 400,
    "tokens": 1_638_400,
    "processes": 1,
    "threads": 2,
    "machine": {"cores": 2, "gflops": 310.0},
    "corpus": {
        "documents": 1200,
        "sentences": 56_000,
        "tokens": 819_200,
        "languages": ["en", "pt"],
        "sources": ["corpus/pt.txt", "corpus/en.txt"],
    },
    "heldout": {"documents": 12, "tokens": 9000, "how": "one document in a hundred"},
    "model": {"preset": "bert-mini", "parameters": 11_171_328, "vocab_size": 30_000, "width": 256},
    "recipe": "bert",
}


def lines(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def metrics() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for step in range(0, 401, 20):
        loss = 10 - step / 50
        found.append({"kind": "train", "step": step, "tokens": step * 4096, "loss": loss, "lr": 1e-4})
        found.append(
            {
                "kind": "heldout",
                "step": step,
                "tokens": step * 4096,
                "mlm_loss": loss + 0.5,
                "mlm_accuracy": step / 1000,
                "mlm_tokens": 15_000,
                "next_accuracy": 0.75,
                "next_pairs": 800,
            }
        )
        best = ["dorme", 0.61] if step == 400 else ["de", 0.3]
        sample = {"text": "O gato [MASK] no tapete.", "truth": "dorme", "candidates": [best, [",", 0.08]]}
        found.append({"kind": "fill", "step": step, "samples": [sample]})
    return found


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "pt mini"
    folder.mkdir()
    (folder / "metrics.jsonl").write_text(lines(metrics()))
    (folder / "speed.jsonl").write_text(
        lines([{"step": n, "tokens_per_second": 8000.0 + n, "limit_share": 0.61} for n in (100, 200, 300)])
    )
    (folder / "run.json").write_text(json.dumps(ABOUT))
    (folder / "recipe.toml").write_text('[model]\npreset = "bert-mini"  # <small>\n')
    return folder


def words(run: Path) -> str:
    """Return the text of the report, with plain spaces."""
    return "".join(Reader(write_report(run).read_text()).text).replace("\u00a0", " ")


def change(run: Path, **values: object) -> None:
    (run / "run.json").write_text(json.dumps({**ABOUT, **values}))


def test_the_first_paragraphs_have_the_key_numbers(run):
    text = words(run)
    assert (
        "bert-mini (11.2 million parameters, a vocabulary of 30,000 tokens) was trained with the recipe "
        "“bert” on 1,200 documents in English and Portuguese (819,200 tokens). It made 400 steps over "
        "1.6 million tokens (2 times the corpus) in 2 min 3 s.\n"
    ) in text
    assert "went from 10.50 at step 0 to 2.50 at step 400. Guessing blindly" in text
    assert f"ln(30,000) = {math.log(30_000):.2f}" in text
    assert f"perplexity of {math.exp(2.5):.1f}" in text
    assert "right in 40.0 % of 15,000 tokens (95 % interval 39.2–40.8 %)." in text
    assert "whether one sentence follows another in 75.0 % of 800 pairs (95 % interval 71.9–77.9 %)" in text


def test_it_writes_the_page_and_the_picture_and_nothing_else(run):
    before = {entry.name for entry in run.iterdir()}
    assert write_report(run) == run / "report.html"
    assert {entry.name for entry in run.iterdir()} - before == {"report.html", "curves.svg"}
    assert ET.fromstring((run / "curves.svg").read_text()).tag.endswith("svg")
    first = (run / "report.html").read_bytes()
    write_report(run)
    assert (run / "report.html").read_bytes() == first


def test_fill_ins_at_five_points_with_the_right_one_marked(run):
    text, html = words(run), (run / "report.html").read_text()
    for step in (0, 100, 200, 300, 400):
        assert f"step {step}" in text
    assert html.count("<strong>✓") == 1
    assert "<strong>✓\u00a0dorme\u00a061\u00a0%</strong>" in html
    assert "“,” 8 %" in text


def test_heldout_rows_are_at_most_twelve_with_both_ends(run):
    html = write_report(run).read_text()
    rows = html.split("<h2>Held-out text</h2>")[1].split("</table>")[0].split("<tr>")[2:]
    assert len(rows) == 12
    assert '<td class="right">0</td>' in rows[0]
    assert '<td class="right">400</td>' in rows[-1]


def test_facts_recipe_and_commands(run):
    text = words(run)
    for fact in ("11,171,328", "310 GFLOP/s", "8,200", "61 %", "2026-03-04 09:45 UTC", "corpus/pt.txt"):
        assert fact in text
    assert 'preset = "bert-mini"  # <small>' in text
    assert "ambos fill 'pt mini' 'O gato [MASK] no tapete.'" in text
    assert "ambos info 'pt mini'\nambos embed 'pt mini' FILE --out vectors.npy" in text
    snippet = text[text.index("from transformers") :]
    compile(snippet, "snippet", "exec")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("running", "is being trained"),
        ("running", "2 min 3 s so far."),
        ("stopped", "before it was stopped."),
    ],
)
def test_a_run_that_has_not_finished_says_so(run, status, said):
    change(run, status=status, finished=None)
    text = words(run)
    assert said in text
    assert "2026-03-04 09:12 UTC" in text


@pytest.mark.parametrize("missing", ["speed.jsonl", "run.json", "recipe.toml"])
def test_files_may_be_missing(run, missing):
    (run / missing).unlink()
    assert "2.50" in words(run)


@pytest.mark.parametrize("missing", list(ABOUT))
@pytest.mark.parametrize("value", [None, {}])
def test_keys_of_the_run_may_be_missing_or_empty(run, missing, value):
    change(run, **{missing: value})
    text = words(run)
    assert "None" not in text
    assert "{}" not in text
    assert "2.50" in text


@pytest.mark.parametrize("records", [[], [{"kind": "train", "step": 1}], [{"kind": "heldout", "step": 1}]])
def test_a_run_at_its_very_start_has_a_report(run, records):
    (run / "metrics.jsonl").write_text(lines(records))
    (run / "run.json").write_text("{}")
    (run / "speed.jsonl").unlink()
    text = words(run)
    assert ("No step has been recorded yet." in text) == (not records or records[0]["kind"] != "train")


@pytest.mark.parametrize("torn", [b'{"kind": "train", "ste', '{"kind": "fill", "a": "ã'.encode()[:-1], b"{}"])
def test_a_torn_last_line_is_passed_over(run, torn):
    whole = words(run)
    for name in ("metrics.jsonl", "speed.jsonl"):
        with (run / name).open("ab") as file:
            file.write(torn)
    assert words(run) == whole


def test_a_broken_line_in_the_middle_is_named(run):
    file = run / "metrics.jsonl"
    file.write_text("".join([*file.read_text().splitlines(keepends=True)[:2], "{oops\n", lines(metrics())]))
    with pytest.raises(InputError) as caught:
        write_report(run)
    assert (caught.value.file, caught.value.line) == (str(file), 3)
    assert not (run / "report.html").exists()


def test_steps_written_again_after_a_checkpoint_count_once(run):
    whole = words(run)
    file = run / "metrics.jsonl"
    again = [{**record, "loss": 3.0} if record["step"] == 200 else record for record in metrics()]
    file.write_text(lines(metrics()[:40]) + lines(metrics()[20:]))
    assert words(run) == whole
    file.write_text(lines(metrics()) + lines(again))
    losses = {record["step"]: record["loss"] for record in read_run(run).of("train")}
    assert len(losses) == 21
    assert losses[200] == 3.0


def test_a_loss_that_is_no_number_is_told(run):
    records = metrics()
    assert "stopped being a number" not in words(run)
    (run / "metrics.jsonl").write_text(lines([*records, {"kind": "train", "step": 420, "loss": math.nan}]))
    assert "The loss stopped being a number at step 420." in words(run)


def test_a_loss_that_rose_again_is_told(run):
    last = {"kind": "heldout", "step": 420, "mlm_loss": 2.75}
    (run / "metrics.jsonl").write_text(lines([*metrics(), last]))
    assert "to 2.75 at step 420. Its lowest was 2.50, at step 400." in words(run)


def test_text_out_of_files_stays_text(run):
    evil = "<script>[MASK]</script>"
    sample = {"text": evil, "truth": "<b>", "candidates": [["<b>", 0.5]]}
    (run / "metrics.jsonl").write_text(lines([{"kind": "fill", "step": 0, "samples": [sample]}]))
    change(run, recipe=evil, model={"preset": evil}, corpus={"sources": [evil], "languages": [evil]})
    found = Reader(write_report(run).read_text())
    assert found.named("script") == found.named("b") == []
    assert "".join(found.text).count(evil) >= 6


def test_what_is_no_run_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="not the folder of a training run"):
            write_report(folder)


def test_a_place_that_cannot_be_written_is_an_error_that_says_so(run):
    (run / "report.html").mkdir()
    with pytest.raises(OutputError):
        write_report(run)
    assert not (run / "report.html.tmp").exists()
