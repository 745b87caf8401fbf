"""The commands for pairs: finetune pair, pairs compare, search, coherent."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ambos.bundle.bundle import Bundle
from ambos.encoder.combine import Twin
from ambos.predict.model import load
from tests.cli.conftest import Ran

FAST = ("--epochs", "1", "--set", "precision=fp32", "--set", "checks.rows=0", "--set", "checks.sequences=0")


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Premises and hypotheses, the columns in an order that could mislead; with labels, and with both."""
    folder = tmp_path_factory.mktemp("pairs")
    rows = [
        {"hypothesis": "gato", "label": label, "premise": f"o {word} dorme"}
        for word in ("gato", "dia")
        for label in ("sim", "não")
    ] * 8
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    both = [{**row, "score": float(place % 3)} for place, row in enumerate(rows)]
    (folder / "both.jsonl").write_text("\n".join(map(json.dumps, both)))
    (folder / "corpus.txt").write_text("o gato dorme\numa casa grande\n\na menina canta\n")
    return folder


def test_columns_are_known_by_name(
    ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    ran = ambos(
        *("finetune", "pair", "--train", pairs / "labels.jsonl", "--base", base, "--scheme", "combined"),
        *(*FAST, "--out", out, "--json"),
    )
    assert ran.code == 0, ran.err
    about = json.loads(ran.out)
    assert about["columns"] == {"text_a": "premise", "text_b": "hypothesis", "label": "label"}
    assert (about["task"], about["scheme"]) == ("classify", "combined")
    said = ambos(
        "predict",
        out,
        pairs / "labels.jsonl",
        "--out",
        tmp_path / "said.jsonl",
        "--text-a",
        "premise",
        "--text-b",
        "hypothesis",
        "--json",
    )
    assert said.code == 0, said.err
    assert set(json.loads((tmp_path / "said.jsonl").read_text().splitlines()[0])) >= {"label", "probability"}
    measured = ambos("evaluate", out, pairs / "labels.jsonl", "--json")
    answers = [json.loads(line)["label"] for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    gold = [json.loads(line)["label"] for line in (pairs / "labels.jsonl").read_text().splitlines()]
    right = [one == other for one, other in zip(answers, gold, strict=True)]
    assert json.loads(measured.out)["metrics"]["accuracy"]["value"] == pytest.approx(sum(right) / len(right))


def test_labels_and_scores_are_not_guessed(
    ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
) -> None:
    command = (
        "finetune",
        "pair",
        "--train",
        pairs / "both.jsonl",
        "--base",
        base,
        *FAST,
        "--out",
        tmp_path / "run",
    )
    labelled = ambos(*command).refused(3, "the pairs have labels and scores")
    assert "--label label, or --score score" in labelled["fix"]
    ran = ambos(*command, "--score", "score", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["task"] == "score"


def test_an_empty_side_is_refused_or_counted(
    ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
) -> None:
    lines = (pairs / "labels.jsonl").read_text().splitlines()
    lines[3] = json.dumps({"premise": " ", "hypothesis": "gato", "label": "sim"})
    file = tmp_path / "bad.jsonl"
    file.write_text("\n".join(lines))
    command = ("finetune", "pair", "--train", file, "--base", base, *FAST, "--out", tmp_path / "run")
    found = ambos(*command).refused(3, "1 row cannot be used")
    assert "line 4: empty text" in found["found"]
    ran = ambos(*command, "--skip-bad", "--json")
    assert json.loads(ran.out)["left_out"]["train"] == {"empty text": 1}


def test_embed_needs_a_positive_label(
    ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
) -> None:
    command = ("finetune", "pair", "--scheme", "embed", "--train", pairs / "labels.jsonl", "--base", base)
    command = (*command, *FAST, "--out", tmp_path / "run")
    assert "--positive" in ambos(*command).refused(3, "which label means")["fix"]
    assert not (tmp_path / "run").exists()
    ran = ambos(*command, "--positive", "sim", "--json")
    assert ran.code == 0, ran.err
    assert (tmp_path / "run" / "bundle" / "modules.json").is_file()


def test_embed_without_labels_is_measured_by_search(
    ambos: Callable[..., Ran], base: Path, tmp_path: Path
) -> None:
    words = ("gato", "dia", "casa", "menina", "livro", "rio")
    rows = [{"passage": f"a {two} {one}", "query": f"{one} {two}"} for one in words for two in words]
    train, dev = tmp_path / "train.jsonl", tmp_path / "dev.jsonl"
    train.write_text("\n".join(map(json.dumps, rows)))
    dev.write_text("\n".join(map(json.dumps, rows[:12])))
    run = tmp_path / "run"
    ran = ambos(
        *("finetune", "pair", "--scheme", "embed", "--train", train, "--dev", dev, "--base", base),
        *(*FAST, "--out", run, "--json"),
    )
    assert ran.code == 0, ran.err
    about = json.loads(ran.out)
    assert about["columns"] == {"text_a": "query", "text_b": "passage"}
    assert about["best"]["metric"] == "mrr"
    measured = ambos("evaluate", run, dev, "--out", tmp_path / "measured", "--json")
    assert measured.code == 0, measured.err
    metrics = json.loads(measured.out)["metrics"]
    assert list(metrics) == ["mrr", "recall@1", "recall@10"]
    vectors = load(run, "cpu").embed([row["query"] for row in rows[:12]])
    others = load(run, "cpu").embed([row["passage"] for row in rows[:12]])
    ranks = 1 + (vectors @ others.T > (vectors * others).sum(1)[:, None] + 1e-6).sum(1)
    assert metrics["mrr"]["value"] == pytest.approx((1 / ranks).mean(), abs=1e-3)
    again = ambos("compare", run, tmp_path / "measured", "--metric", "recall@10", "--json")
    assert again.code == 0, again.err


def test_rows_without_labels_have_no_correlation(
    ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
) -> None:
    """The model learnt from labels, and is measured with pairs that only belong together."""
    run, bare = tmp_path / "run", tmp_path / "bare.jsonl"
    bare.write_text(
        "\n".join(json.dumps({"query": f"{one} dorme", "passage": one}) for one in ("gato", "dia"))
    )
    command = ("finetune", "pair", "--scheme", "embed", "--positive", "sim", "--base", base, *FAST)
    ran = ambos(*command, "--train", pairs / "labels.jsonl", "--out", run, "--json")
    assert ran.code == 0, ran.err
    measured = ambos("evaluate", run, bare, "--out", tmp_path / "measured", "--json")
    assert measured.code == 0, measured.err
    assert list(json.loads(measured.out)["metrics"]) == ["mrr", "recall@1", "recall@10"]
    measured = ambos("evaluate", run, pairs / "labels.jsonl", "--json")
    assert "spearman" in json.loads(measured.out)["metrics"]


def test_the_lab(ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "lab"
    command = ("pairs", "compare", "--train", pairs / "labels.jsonl", "--base", base, *FAST, "--out", out)
    ran = ambos(*command, "--schemes", "joint,product", "--set", "pair.absolute=true")  # for others
    assert ran.code == 0, ran.err
    for word in ("joint", "product", "shared words", "Take ", "report.html", "params", "swapped"):
        assert word in ran.out
    wrong = ambos(*command, "--schemes", "joint,produkt").refused(2, "there is no scheme 'produkt'")
    assert "product" in wrong["fix"]
    ambos(*command, "--schemes", " , ").refused(2, "no scheme is named")
    ambos(*command, "--schemes", "embed").refused(2, "these pairs have labels")
    changed = ("--absolute", "--hidden", "--skip-bad", "--max-length", "16")
    given = ambos(*command, "--schemes", "joint", *changed).refused(4, "was made otherwise")
    # --absolute is what the run has by its setting, and so no difference.
    assert set(given["expected"].split("; ")) == {"max_length 16", "data.skip_bad True", "head.hidden True"}
    other = ambos(*command, "--schemes", "joint", "--absolute", "--lr", "0.01")
    other = other.refused(4, "made otherwise: learning.lr")
    assert "--force" in other["fix"]


class TestSearch:
    def test_the_nearest_first(self, ambos: Callable[..., Ran], base: Path, pairs: Path) -> None:
        ran = ambos("search", base, "o gato dorme", pairs / "corpus.txt", "--json")
        assert ran.code == 0, ran.err
        found = json.loads(ran.out)
        (result,) = found["results"]
        assert (found["texts"], found["exact"]) == (3, True)
        assert result["hits"][0]["text"] == "o gato dorme"
        assert result["hits"][0]["similarity"] == pytest.approx(1.0, abs=1e-5)
        assert {hit["text"]: hit["line"] for hit in result["hits"]}["a menina canta"] == 4  # blank ones count
        cosines = [hit["similarity"] for hit in result["hits"]]
        assert cosines == sorted(cosines, reverse=True)
        shown = ambos("search", base, "o gato dorme", pairs / "corpus.txt", "--top", "1")
        assert "corpus.txt:1" in shown.out

    def test_a_kept_index(self, ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path) -> None:
        index, queries = tmp_path / "kept", tmp_path / "queries.txt"
        queries.write_text("uma casa\n\na menina\n")
        first = ambos("search", base, queries, pairs / "corpus.txt", "--index", index, "--json")
        assert first.code == 0, first.err
        again = ambos("search", base, queries, "--index", index, "--json")
        assert json.loads(again.out)["results"] == json.loads(first.out)["results"]
        assert len(json.loads(first.out)["results"]) == 2
        other = tmp_path / "corpus.txt"
        other.write_text("outro texto\n")
        refused = ambos("search", base, "x", other, "--index", index).refused(
            2, "the index is of another corpus"
        )
        assert "--force" in refused["fix"]
        changed = tmp_path / "changed"  # other weights, whatever the folder is called
        bundle = Bundle.load(base)
        bundle.network.encoder.embeddings.token.weight.data += 1
        bundle.save(changed)
        refused = ambos("search", changed, "x", "--index", index).refused(
            2, "the index was made with another model"
        )
        assert "CORPUS, and --force" in refused["fix"]
        refused = ambos("search", base, "x", other, "--index", tmp_path).refused(4, "already there")
        assert "--index" in refused["fix"]
        assert "--out" not in refused["fix"]

    @pytest.mark.parametrize("option", [("--label", "zzz"), ("--candidates", "7")])
    def test_what_is_for_rerank_alone(
        self, ambos: Callable[..., Ran], base: Path, pairs: Path, option: tuple[str, str]
    ) -> None:
        ran = ambos("search", base, "o gato", pairs / "corpus.txt", *option)
        ran.refused(2, f"{option[0]} is for --rerank")

    def test_re_ranked(self, ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path) -> None:
        run = tmp_path / "run"
        ambos("finetune", "pair", "--train", pairs / "labels.jsonl", "--base", base, *FAST, "--out", run)
        command = ("search", base, "o gato", pairs / "corpus.txt", "--rerank", run)
        error = ambos(*command).refused(2, "which label of the --rerank model")
        assert "sim" in error["expected"]
        assert error["fix"] == "name it: --label LABEL"  # which one, nobody can tell
        ran = ambos(*command, "--label", "sim", "--json")
        hits = json.loads(ran.out)["results"][0]["hits"]
        judge = load(run, "cpu")
        said = judge.predict([("o gato", hit["text"]) for hit in hits])
        expected = [float(one.probabilities[judge.labels.index("sim")]) for one in said]
        assert [hit["score"] for hit in hits] == pytest.approx(expected, abs=1e-6)
        assert len({round(score, 6) for score in expected}) == 3  # so that there is an order to be right
        assert expected == sorted(expected, reverse=True)
        fewer = ambos(*command, "--label", "sim", "--candidates", "2", "--top", "3")
        assert fewer.refused(2, "fewer texts are re-ranked than shown")["found"] == "--candidates 2"
        other = ambos(*command, "--label", "não", "--json")
        turned = [hit["text"] for hit in json.loads(other.out)["results"][0]["hits"]]
        assert turned == [hit["text"] for hit in reversed(hits)]

    def test_an_index_remembers_how_it_was_read(
        self, ambos: Callable[..., Ran], base: Path, tmp_path: Path
    ) -> None:
        corpus, index = tmp_path / "corpus.jsonl", tmp_path / "kept"
        corpus.write_text('{"text": "o gato", "title": "a casa"}\n{"text": "o dia", "title": "a menina"}\n')
        command = ("search", base, "a casa", corpus, "--index", index)
        assert ambos(*command).code == 0
        refused = ambos(*command, "--text", "title").refused(2, "the index was made with another --text")
        assert (refused["expected"], refused["found"]) == ("--text text", "--text title")
        ambos(*command, "--encoding", "latin-1").refused(2, "made with another --encoding")
        assert ambos(*command, "--encoding", "UTF8").code == 0  # the same by another name
        anew = ambos(*command, "--text", "title", "--force", "--json")
        assert json.loads(anew.out)["results"][0]["hits"][0]["text"] == "a casa"

    def test_queries_in_another_encoding(
        self, ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
    ) -> None:
        queries = tmp_path / "queries.txt"
        queries.write_bytes("a menina\n\no pão\n".encode("latin-1"))
        refused = ambos("search", base, queries, pairs / "corpus.txt").refused(
            3, f"{queries}, line 3: not valid UTF-8"
        )
        assert "--encoding latin-1" in refused["fix"]
        ran = ambos("search", base, queries, pairs / "corpus.txt", "--encoding", "latin-1", "--json")
        assert [one["query"] for one in json.loads(ran.out)["results"]] == ["a menina", "o pão"]

    def test_twins_are_searched_with_the_pooling_they_learnt(
        self, ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
    ) -> None:
        bundle = Bundle.load(base)
        bundle.add_head("classify", ("sim", "não"), pooling="max", twin=Twin("product"))
        twin = bundle.save(tmp_path / "twin")
        ran = ambos("search", twin, "o gato", pairs / "corpus.txt", "--json")
        model = load(twin, "cpu")
        texts = ["o gato", *(hit["text"] for hit in json.loads(ran.out)["results"][0]["hits"])]
        found = [hit["similarity"] for hit in json.loads(ran.out)["results"][0]["hits"]]
        vectors = model.embed(texts, pool="max", normalize=True)
        assert found == pytest.approx((vectors[1:] @ vectors[0]).tolist(), abs=1e-5)
        mean = model.embed(texts, pool="mean", normalize=True)
        assert found != pytest.approx((mean[1:] @ mean[0]).tolist(), abs=1e-4)

    @pytest.mark.parametrize("scheme", [None, "joint", "attention", "product"])
    def test_vectors_that_were_not_learnt_are_noted(
        self, ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path, scheme: str | None
    ) -> None:
        bundle = Bundle.load(base)  # of masked tokens
        if scheme is not None:
            twin = None if scheme == "joint" else Twin(scheme, heads=1)
            bundle.add_head("classify", ("sim", "não"), twin=twin)
        ran = ambos("search", bundle.save(tmp_path / "model"), "o gato", pairs / "corpus.txt")
        said = "did not learn vectors to be compared" in " ".join(ran.err.split())
        assert said == (scheme != "product")

    def test_what_was_cut_is_said(
        self, ambos: Callable[..., Ran], base: Path, pairs: Path, tmp_path: Path
    ) -> None:
        run, corpus, long = tmp_path / "run", tmp_path / "corpus.txt", "que " * 100
        ambos("finetune", "pair", "--train", pairs / "labels.jsonl", "--base", base, *FAST, "--out", run)
        corpus.write_text(f"o gato dorme\n{long}\n{long}casa\n")
        command = (
            "search",
            base,
            long,
            corpus,
            "--rerank",
            run,
            "--label",
            "sim",
            "--index",
            tmp_path / "kept",
        )
        first = ambos(*command, "--json")
        assert first.code == 0, first.err
        found = json.loads(first.out)["long"]
        assert {name: (one["texts"], one["long_texts"]) for name, one in found.items()} == {
            "corpus": (3, 2),
            "queries": (1, 1),
            "rerank": (3, 3),
        }
        assert found["queries"]["cut_tokens"] == 100 + 2 - 64
        assert json.loads(ambos(*command, "--json").out)["long"] == found  # the index remembers it
        shown = " ".join(ambos(*command).out.split())
        for line in (
            "corpus: 2 of 3 texts were longer than 64 tokens",
            "queries: 1 of 1 texts were",
            "re-ranked: 3 of 3",
        ):
            assert line in shown
        short = ambos("search", base, "o gato", pairs / "corpus.txt").out
        assert "no text was longer than 64 tokens" in short

    def test_nothing_to_search_in(self, ambos: Callable[..., Ran], base: Path) -> None:
        ambos("search", base, "x").refused(2, "there is nothing to search in")


class TestCoherent:
    def test_with_a_head(self, ambos: Callable[..., Ran], base: Path, tmp_path: Path) -> None:
        bundle = Bundle.load(base)
        bundle.add_head("next")
        bundle.save(tmp_path / "next")
        ran = ambos("coherent", tmp_path / "next", "o gato dorme", "na casa", "--json")
        assert ran.code == 0, ran.err
        assert 0 < json.loads(ran.out)["probability"] < 1
        assert json.loads(ran.out)["long"]["summary"] is None
        shown = ambos("coherent", tmp_path / "next", "a", "b").out
        assert "follows the first" in shown
        assert "left out" not in shown
        long = ambos("coherent", tmp_path / "next", "que " * 50, "com " * 50)
        assert "longer than 64 tokens: 39 of 103 tokens were left out" in " ".join(long.out.split())
        for first, second, which in (("", "x", "first"), ("x", " ", "second")):
            empty = ambos("coherent", tmp_path / "next", first, second)
            assert empty.refused(2, f"the {which} text of pair 1 is empty")["expected"] == "something to read"

    def test_without_one(self, ambos: Callable[..., Ran], base: Path) -> None:
        refused = ambos("coherent", base, "a", "b").refused(3, "this model has no next head")
        assert refused["fix"] == "choose a model pretrained with next sentences, or with their order"
