"""Every way of reading pairs: learnt, kept, opened again, and the same answers for n x m pairs."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel

from ambos.bundle.bundle import Bundle
from ambos.data.rows import PairRow, TextRow
from ambos.data.windows import Ledger
from ambos.encoder.combine import Twin
from ambos.encoder.heads import TwinHead
from ambos.errors import InputError, UsageError
from ambos.predict import grid
from ambos.predict.model import Model, load
from ambos.recipe import load_recipe
from ambos.runs.finetune import Finetuning
from ambos.runs.finetune_settings import TRIED, FinetuneRecipe
from ambos.runs.log import Silent
from ambos.runs.pair_costs import joint_tokens
from ambos.tasks.embed import Embed
from ambos.tasks.score import Score
from ambos.tasks.task import Reading
from ambos.text.tokenizer import Tokenizer
from ambos.train.loop import State
from ambos.train.signals import Stop

HERE = Path("pairs")
WORDS = ("que", "com", "uma", "por")
OTHERS = dict(zip(WORDS, ("the", "of", "and", "in"), strict=True))
TWINS = ("concat", "difference", "product", "combined", "attention")


def same_or_not(count: int) -> list[PairRow]:
    """Whether both texts are the same: nothing that one of them could tell alone."""
    chance, rows = np.random.default_rng(0), []
    for line in range(count):
        same = bool(chance.integers(2))
        first = str(chance.choice(WORDS))
        second = first if same else str(chance.choice([one for one in WORDS if one != first]))
        rows.append(PairRow(first, second, (str(same),), float(same), HERE, line + 1))
    return rows


def recipe(scheme: str, task: str = "classify", **values: object) -> FinetuneRecipe:
    given = {
        "task": task,
        "batch": 16,
        "epochs": 10.0,
        "learning": {"lr": 2e-3, "dropout": 0.0},
        "pair": {"scheme": scheme},
        "precision": "fp32",
    }
    return load_recipe(FinetuneRecipe, [given, values])


def train(base: Path, rows: list[PairRow], how: FinetuneRecipe, kept: int = 80) -> Finetuning:
    work = Finetuning(Bundle.load(base), rows[:-kept], rows[-kept:], how)
    work.loop(Silent()).run(State(due=False), Stop())
    work.finish()
    return work


@pytest.fixture(scope="module")
def base(model_folder: Callable[[str], Path]) -> Path:
    return model_folder("wordpiece")


@pytest.fixture(scope="module")
def models(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Model]:
    """A trained model of a scheme, saved and opened again; once."""
    made: dict[str, Model] = {}

    def model(scheme: str) -> Model:
        if scheme not in made:
            task = "embed" if scheme == "embed" else "classify"
            own = {"difference": {"absolute": True}, "embed": {"contrast": "cosine"}}
            how = recipe(scheme, task, pair=own.get(scheme, {}))
            folder = tmp_path_factory.mktemp(scheme) / "bundle"
            rows = same_or_not(400)
            train(base, rows, how).bundle.save(folder)
            made[scheme] = load(folder, "cpu")
        return made[scheme]

    return model


@pytest.mark.parametrize("scheme", ["difference", "combined", "attention"])
def test_what_needs_both_texts_is_learnt(models: Callable[[str], Model], scheme: str) -> None:
    model, rows = models(scheme), same_or_not(400)[-80:]
    found = model.predict([(row.text_a, row.text_b) for row in rows])
    assert np.mean([one.labels == row.labels for one, row in zip(found, rows, strict=True)]) > 0.9


def test_cosines_are_learnt(models: Callable[[str], Model]) -> None:
    model, rows = models("embed"), same_or_not(400)[-80:]
    found = np.array(model.predict([(row.text_a, row.text_b) for row in rows]))
    same = np.array([row.score for row in rows]) == 1.0
    assert found[same] == pytest.approx(1.0, abs=1e-5)
    assert found[~same].mean() < 0.3


@pytest.mark.parametrize("scheme", TWINS)
def test_the_head_that_is_kept(models: Callable[[str], Model], scheme: str) -> None:
    """transformers opens the encoder; ambos.json knows the rest."""
    model = models(scheme)
    manifest = json.loads((model.source / "ambos.json").read_text())
    assert (manifest["pair"], manifest["head"]["twin"]["scheme"]) == (scheme, scheme)
    head = Bundle.load(model.source).network.heads["classify"]
    assert isinstance(head, TwinHead)
    width = {"concat": 64, "difference": 32, "product": 32, "combined": 128, "attention": 64}[scheme]
    assert head.out.weight.shape == (2, width)
    peer = AutoModel.from_pretrained(model.source)
    assert peer.config.hidden_size == 32


@pytest.mark.parametrize("scheme", [*TWINS, "embed"])
def test_n_by_m_is_what_pairs_are(models: Callable[[str], Model], scheme: str) -> None:
    model = models(scheme)
    first, second = ["que", "com uma", "por que com"], ["uma", "que", "com uma que", "o", "por"]
    found = model.grid(first, second)
    pairs = model.predict([(a, b) for a in first for b in second])
    if scheme == "embed":
        assert found.ravel() == pytest.approx(np.array(pairs), abs=1e-5)
    else:
        assert found.reshape(15, 2) == pytest.approx(np.stack([one.probabilities for one in pairs]), abs=1e-5)
    kept = model.read(second)  # read once, used twice
    assert model.grid(first, kept) == pytest.approx(found, abs=1e-6)
    assert kept.tokens == sum(len(model.tokenizer.encode(text)) for text in second)


@pytest.mark.parametrize("scheme", ["combined", "attention"])
def test_a_grid_of_many_pairs_takes_little_memory(
    models: Callable[[str], Model], scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A head is given some pairs at a time, also of one text with many; where it attends, some tokens."""
    model = Model(Bundle.load(models(scheme).source), "cpu")
    first, second = ["que", "com uma por"], [f"{'com ' * (number % 5)}uma" for number in range(300)]
    expected = model.grid(first, second)
    head = model._network.heads["classify"]
    given: list[int] = []
    if scheme == "attention":
        most = 128
        monkeypatch.setattr(grid, "budget_of", lambda _: most)

        def count(_: object, args: tuple) -> None:
            given.append(int(np.asarray(args[1].lengths)[args[2].numpy()].sum()))

        head.attention.register_forward_pre_hook(count)
    else:
        most = 100
        monkeypatch.setattr(grid, "_PAIRS", most)
        head.out.register_forward_pre_hook(lambda _, args: given.append(len(args[0])))
    for some in (first, first[:1]):
        assert model.grid(some, second) == pytest.approx(expected[: len(some)], abs=1e-5)
    assert max(given) <= most


def test_a_grid_counts_what_was_cut(models: Callable[[str], Model]) -> None:
    model, ledger = models("combined"), Ledger()
    model.grid(["que " * 100, "com"], ["uma", "por " * 63], ledger)
    assert (ledger.texts, ledger.long_texts, ledger.cut_tokens) == (4, 2, 100 + 2 - 64 + 63 + 2 - 64)


@pytest.mark.parametrize("scheme", ["combined", "attention", "embed"])
def test_a_grid_of_nothing(models: Callable[[str], Model], scheme: str) -> None:
    model = models(scheme)
    labels = () if scheme == "embed" else (2,)
    assert model.grid([], ["que", "com"]).shape == (0, 2, *labels)
    assert model.grid(["que"], []).shape == (1, 0, *labels)
    assert model.grid(model.read([]), []).shape == (0, 0, *labels)


@pytest.mark.parametrize("scheme", ["joint", "combined", "embed"])
def test_an_empty_side_is_refused_with_its_number(models: Callable[[str], Model], scheme: str) -> None:
    model = models(scheme)
    with pytest.raises(UsageError, match="the first text of pair 2 is empty"):
        model.predict([("que", "com"), ("", "com")])
    with pytest.raises(UsageError, match="the second text of pair 1 is empty"):
        model.predict([("que", " \n")])
    if scheme != "joint":
        with pytest.raises(UsageError, match="text 2 of the second list is empty"):
            model.grid(["que"], ["com", "", "uma"])
        with pytest.raises(UsageError, match="text 1 of the list is empty"):
            model.read(["\t"])


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("que", "the first list is one text"),
        (7, "the first list is no list"),
        (None, "the first list is no list"),
        (["que", 7], "text 2 of the first list is no text"),
        ([None], "text 1 of the first list is no text"),
        (b"que", "text 1 of the first list is no text"),
    ],
)
def test_what_is_no_list_of_texts_is_refused(
    models: Callable[[str], Model], first: object, said: str
) -> None:
    model = models("embed")
    with pytest.raises(UsageError, match=said):
        model.grid(first, ["com"])
    with pytest.raises(UsageError, match=said.replace("first ", "")):
        model.read(first)


def test_texts_that_come_one_by_one(models: Callable[[str], Model]) -> None:
    model, texts = models("embed"), ["que", "com uma"]
    assert model.grid(iter(texts), ["o"]) == pytest.approx(model.grid(texts, ["o"]), abs=1e-6)


@pytest.mark.parametrize(("scheme", "other"), [("embed", "combined"), ("attention", "concat")])
def test_a_side_belongs_to_the_model_that_read_it(
    models: Callable[[str], Model], scheme: str, other: str
) -> None:
    model, side = models(scheme), models(other).read(["que", "com uma"])
    with pytest.raises(UsageError, match="the second list was read by another model"):
        model.grid(["que"], side)
    with pytest.raises(UsageError, match="the first list was read by another model"):
        model.grid(side, model.read(["que"]))
    same = load(model.source, "cpu").read(["que"])  # the same model, opened again
    assert model.grid(["que"], same) == pytest.approx(model.grid(["que"], ["que"]), abs=1e-6)


@pytest.mark.parametrize("part", ["encoder.layers", "encoder.embeddings"])
def test_other_weights_are_another_model(models: Callable[[str], Model], part: str) -> None:
    model = models("embed")
    bundle = Bundle.load(model.source)
    for name, weights in bundle.network.named_parameters():
        if name.startswith(part) and weights.ndim == 2:
            weights.data += 0.1
            break
    else:
        pytest.fail(f"no weights in {part}")
    with pytest.raises(UsageError, match="another model"):
        model.grid(["que"], Model(bundle, "cpu").read(["que"]))


@pytest.mark.parametrize("scheme", ["joint", "combined", "product", "embed"])
def test_identical_sides_are_pairs_like_any(models: Callable[[str], Model], scheme: str) -> None:
    model = models(scheme)
    twice = model.predict([("que com", "que com"), ("que com", "uma por")])
    alone = model.predict([("que com", "que com")])
    if scheme == "embed":
        assert twice[0] == pytest.approx(1.0, abs=1e-5)
        assert alone[0] == pytest.approx(twice[0], abs=1e-6)
        return
    assert alone[0].probabilities == pytest.approx(twice[0].probabilities, abs=1e-5)
    if scheme == "combined":
        assert model.predict([("uma", "uma")])[0].labels == ("True",)


def test_a_million_pairs_of_two_thousand_texts(models: Callable[[str], Model]) -> None:
    """At least 100 times fewer tokens go through the encoder than if every pair were read."""
    bundle, chance = Bundle.load(models("combined").source), np.random.default_rng(0)
    model = Model(bundle, "cpu")
    first, second = (
        [" ".join(chance.choice(WORDS, chance.integers(3, 12))) for _ in range(1000)] for _ in range(2)
    )
    read: list[int] = []
    bundle.network.encoder.register_forward_pre_hook(lambda _, given: read.append(given[0].tokens))
    assert model.grid(first, second).shape == (1000, 1000, 2)
    assert 100 * sum(read) < joint_tokens(model, first, second)
    assert sum(read) == sum(len(model.tokenizer.encode(text)) for text in (*first, *second))


def test_a_joint_model_has_no_sides(models: Callable[[str], Model]) -> None:
    with pytest.raises(UsageError, match="reads both texts of a pair together"):
        models("joint").grid(["a"], ["b"])


@pytest.mark.parametrize("scheme", ["difference", "product"])
def test_order_does_not_count_where_algebra_says_so(models: Callable[[str], Model], scheme: str) -> None:
    """|a - b| and a * b are the same either way; [a; b] is not."""
    pairs = [("que uma", "com"), ("por", "uma que com"), ("com", "com")]
    onward, back = (
        np.stack([one.probabilities for one in models(scheme).predict(some)])
        for some in (pairs, [(b, a) for a, b in pairs])
    )
    assert onward == pytest.approx(back, abs=1e-6)
    other = models("concat")
    onward, back = (
        np.stack([one.probabilities for one in other.predict(some)])
        for some in (pairs[:2], [(b, a) for a, b in pairs[:2]])
    )
    assert np.abs(onward - back).max() > 1e-4


def test_a_text_of_several_pairs_is_read_once(tokenizer: Tokenizer) -> None:
    rows = [PairRow("que com", word, (), 1.0, HERE, 1) for word in WORDS] + [
        PairRow("uma", "uma", (), 1.0, HERE, 5)
    ]
    ledger = Ledger()
    examples = Score().encode(rows, Reading(tokenizer, 16, apart=True), ledger, labelled=True)
    assert (len(examples), len(examples.lengths)) == (5, 5)  # five pairs, five different texts
    part = examples.part(np.arange(5))
    assert len(part.batch.lengths) == 5
    assert part.places.shape == (5, 2)
    lengths = np.array(part.batch.lengths)
    for row, sides in zip(rows, part.places.numpy(), strict=True):
        assert lengths[sides].tolist() == [len(tokenizer.encode(text)) for text in (row.text_a, row.text_b)]
    assert ledger.texts == 5


def test_a_long_side_is_cut_and_named(tokenizer: Tokenizer) -> None:
    rows = [
        PairRow("que", "com", (), 1.0, HERE, 1),
        PairRow("que", "uma com " * 30, (), 1.0, HERE, 2),
    ]
    ledger = Ledger()
    examples = Score().encode(rows, Reading(tokenizer, 12, apart=True), ledger, labelled=False)
    assert max(examples.lengths) == 12
    assert (ledger.texts, ledger.long_texts, ledger.named) == (2, 1, [1])
    assert ledger.cut_tokens == len(tokenizer.encode("uma com " * 30)) - 12
    with pytest.raises(InputError, match="a text of a pair is longer than the model can read") as refused:
        Score().encode(rows, Reading(tokenizer, 12, "error", apart=True), Ledger(), labelled=False)
    assert (refused.value.line, refused.value.fix) == (2, "shorten it, or --long cut")  # windows are refused
    with pytest.raises(UsageError, match="cannot be read with --long windows"):
        Score().encode(rows, Reading(tokenizer, 12, "windows", apart=True), Ledger(), labelled=False)


@pytest.mark.parametrize("scheme", ["joint", "combined", "attention"])
def test_how_a_step_is_divided_does_not_count(base: Path, scheme: str) -> None:
    rows = same_or_not(16)
    found = []
    for tokens in (4096, 12):
        how = recipe(scheme, epochs=1.0, part_tokens=tokens, schedule={"warmup": 0.0}, learning={"eps": 1e-3})
        work = Finetuning(Bundle.load(base), rows, [], how)
        work.loop(Silent()).run(State(due=False), Stop())
        found.append(torch.cat([weight.detach().ravel() for weight in work.bundle.network.parameters()]))
    assert (found[0] - found[1]).abs().max() < 1e-6


class TestInBatch:
    def rows(self) -> list[PairRow]:
        return [
            PairRow(f"{one} {two}", f"{OTHERS[third]} {OTHERS[two]}", (label,), None, HERE, 1)
            for place, one in enumerate(WORDS)
            for two in WORDS
            for label, third in (("yes", one), ("no", WORDS[place - 1]))
        ]

    def test_the_loss_by_hand(self) -> None:
        """-log softmax over the second texts of the batch, at its own one."""
        vectors = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 1.0, 1.0]])
        task = Embed("in-batch", positive="yes", scale=2.0)

        class Part:
            places = None
            targets = None

        half = 2**-0.5
        expected = [
            -np.log(np.exp(2) / (np.exp(2) + np.exp(2 * half))),
            -np.log(np.exp(2 * half) / (np.exp(0) + np.exp(2 * half))),
        ]
        assert task.losses(vectors, Part()).tolist() == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("texts", "left"),
        [
            ([[0, 2], [1, 2], [3, 4]], [[0, 2], [1, 2], [0, 1, 2]]),  # the same second text
            ([[0, 2], [1, 3], [0, 4]], [[0, 1], [0, 1, 2], [1, 2]]),  # another right answer
            ([[0, 1], [1, 0], [2, 3]], [[0, 2], [1, 2], [0, 1, 2]]),  # its own first text
            (
                [[0, 2], [0, 3], [1, 3]],
                [[0], [1], [0, 2]],
            ),  # the copy of another right answer, of another row
            ([[0, 0], [1, 2], [3, 4]], [[0, 1, 2]] * 3),  # twice the same text is a pair, too
        ],
    )
    def test_what_belongs_together_is_no_negative(
        self, texts: list[list[int]], left: list[list[int]]
    ) -> None:
        class Part:
            places = torch.tensor(texts)

        vectors = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
        first, second = (torch.nn.functional.normalize(side, dim=-1) for side in vectors.chunk(2, -1))
        scores = first @ second.T
        expected = [
            float(torch.logsumexp(scores[row, kept], 0) - scores[row, row]) for row, kept in enumerate(left)
        ]
        found = Embed("in-batch", scale=1.0).losses(vectors, Part()).tolist()
        assert found == pytest.approx(expected, abs=1e-6)

    def test_where_no_text_comes_again_the_loss_is_that_of_sentence_transformers(self) -> None:
        losses = pytest.importorskip("sentence_transformers.sentence_transformer.losses")

        class Part:
            places = torch.tensor([[4, 0], [1, 3], [5, 2], [7, 6]])

        vectors = torch.randn(4, 16, generator=torch.Generator().manual_seed(0))
        peer = losses.MultipleNegativesRankingLoss(torch.nn.Identity())
        expected = float(peer.compute_loss_from_embeddings(list(vectors.chunk(2, -1)), None))
        assert float(Embed("in-batch").losses(vectors, Part()).mean()) == pytest.approx(expected, abs=1e-6)

    def test_only_pairs_that_belong_together_are_learnt_from(self, base: Path) -> None:
        work = Finetuning(
            Bundle.load(base), self.rows(), [], recipe("embed", "embed", pair={"positive": "yes"})
        )
        assert len(work.train) == 16
        assert work.task.contrast == "in-batch"
        with pytest.raises(InputError, match="which label means"):
            Finetuning(Bundle.load(base), self.rows(), [], recipe("embed", "embed"))
        for more in ({}, {"contrast": "cosine"}):
            for said, fix in (("si", "--positive LABEL"), ("yess", "did you mean yes?")):
                settings = recipe("embed", "embed", pair={"positive": said, **more})
                with pytest.raises(InputError, match="no pairs that belong together") as refused:
                    Finetuning(Bundle.load(base), self.rows(), [], settings)
                assert refused.value.fix == fix

    def test_pairs_without_labels_all_belong_together(self, base: Path) -> None:
        rows = [replace(row, labels=()) for row in self.rows() if row.labels == ("yes",)]
        work = Finetuning(Bundle.load(base), rows, [], recipe("embed", "embed"))
        assert (len(work.train), work.task.contrast) == (16, "in-batch")
        assert any("belong together" in note for note in work.notes)
        with pytest.raises(InputError, match="no pairs that belong together") as refused:
            Finetuning(Bundle.load(base), rows, [], recipe("embed", "embed", pair={"positive": "yes"}))
        assert "--label COLUMN" in refused.value.fix
        with pytest.raises(InputError, match="neither scores nor labels"):
            Finetuning(Bundle.load(base), rows, [], recipe("embed", "embed", pair={"contrast": "cosine"}))

    def test_a_step_of_one_pair_has_no_negatives(self, base: Path) -> None:
        for rows, pair in ((self.rows(), {"positive": "yes"}), (same_or_not(8), {"contrast": "in-batch"})):
            with pytest.raises(UsageError, match="a step of one pair has none") as refused:
                Finetuning(Bundle.load(base), rows, [], recipe("embed", "embed", batch=1, pair=pair))
            assert (refused.value.found, "--batch" in str(refused.value.fix)) == ("batch 1", True)
        alone = recipe("embed", "embed", batch=1, pair={"contrast": "cosine"})
        assert Finetuning(Bundle.load(base), same_or_not(8), [], alone).task.contrast == "cosine"
        two = recipe("embed", "embed", batch=2, pair={"positive": "yes"})
        assert Finetuning(Bundle.load(base), self.rows(), [], two).task.contrast == "in-batch"

    def test_a_step_is_whole(self, base: Path) -> None:
        """In parts, each would have other negatives."""
        found = []
        for tokens in (4096, 12):
            how = recipe("embed", "embed", epochs=1.0, part_tokens=tokens, pair={"positive": "yes"})
            work = Finetuning(Bundle.load(base), self.rows(), [], how)
            work.loop(Silent()).run(State(due=False), Stop())
            found.append(torch.cat([one.detach().ravel() for one in work.bundle.network.parameters()]))
        assert torch.equal(*found)

    def test_it_learns(self, base: Path, tmp_path: Path) -> None:
        how = recipe("embed", "embed", epochs=30.0, pair={"positive": "yes"}, learning={"lr": 1e-3})
        work = train(base, self.rows() * 4, how, kept=32)
        assert work.metric(work.measure(work.dev)) == "mrr"
        found = {name: one.value for name, one in work.measure(work.dev).items()}
        assert 0.9 < found["mrr"] <= 1.0  # 16 texts: by chance 0.21
        assert found["recall@1"] <= found["recall@10"]
        assert "spearman" in found
        work.bundle.save(tmp_path / "bundle")
        model = load(tmp_path / "bundle", "cpu")
        words = [f"{word} {word}" for word in WORDS]
        others = [f"{OTHERS[word]} {OTHERS[word]}" for word in WORDS]
        assert (model.grid(words, others).argmax(1) == np.arange(4)).all()


def test_sentence_transformers_opens_what_embed_makes(models: Callable[[str], Model]) -> None:
    library = pytest.importorskip("sentence_transformers")
    model = models("embed")
    texts = ["que com", "uma por que", "o"]
    theirs = library.SentenceTransformer(str(model.source), device="cpu").encode(texts)
    assert model.embed(texts) == pytest.approx(theirs, abs=1e-5)
    assert np.linalg.norm(theirs, axis=1) == pytest.approx(1.0, abs=1e-5)


class TestStartingFromNext:
    @pytest.fixture(scope="class")
    @classmethod
    def neighbours(cls, base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        bundle = Bundle.load(base)
        bundle.add_head("mlm")
        bundle.add_head("next")
        folder = tmp_path_factory.mktemp("next") / "bundle"
        return bundle.save(folder)

    @pytest.mark.parametrize(
        ("pairs", "what"),
        [
            ("um gato", "one text instead of a list"),
            (["um", "ab"], "pair 1 cannot be read"),
            ([("a", "b"), "ab"], "pair 2 cannot be read"),
            ([("a", "b", "c")], "pair 1 cannot be read"),
            ([("a",)], "pair 1 cannot be read"),
            ([("a", None)], "pair 1 cannot be read"),
            ([{"a": "um", "b": "dois"}], "pair 1 cannot be read"),
            ([3], "pair 1 cannot be read"),
            ([("a", " ")], "the second text of pair 1 is empty"),
        ],
    )
    def test_what_is_no_pair(self, neighbours: Path, pairs: Any, what: str) -> None:
        """A text of two letters is none either."""
        with pytest.raises(UsageError, match=what):
            load(neighbours).coherence(pairs)

    def test_coherence_is_what_transformers_says(self, neighbours: Path) -> None:
        from transformers import BertForPreTraining  # noqa: PLC0415

        pairs = [("que com", "uma por"), ("o gato", "dorme na casa")]
        model = load(neighbours, "cpu")
        peer = BertForPreTraining.from_pretrained(neighbours).eval()
        for (first, second), found in zip(pairs, model.coherence(pairs), strict=True):
            encoded = model.tokenizer.encode(first, second)
            with torch.no_grad():
                logits = peer(
                    input_ids=torch.tensor([encoded.ids]), token_type_ids=torch.tensor([encoded.segments])
                ).seq_relationship_logits
            assert found == pytest.approx(float(logits.softmax(-1)[0, 0]), abs=1e-5)

    def test_labels_begin_as_next_or_not(self, neighbours: Path) -> None:
        base = Bundle.load(neighbours)
        rows = same_or_not(64)
        before = Bundle.load(neighbours).network.heads["next"].out.weight.detach()
        work = Finetuning(base, rows, [], recipe("joint", pair={"start": "nsp"}))
        out = work.bundle.network.heads["classify"].out.weight.detach()
        found = [next(place for place in (0, 1) if torch.equal(row, before[place])) for row in out]
        assert sorted(found) == [0, 1]
        model = load(neighbours, "cpu")
        odds = np.array(model.coherence([(row.text_a, row.text_b) for row in rows]))
        odds = np.log(odds / (1 - odds))
        same = np.array([row.labels[0] == "True" for row in rows])
        higher = int(odds[same].mean() > odds[~same].mean())  # labels are False, True
        assert found[higher] == 0
        assert "as next" in work.notes[0]

    def test_scores_begin_on_a_line(self, neighbours: Path) -> None:
        """What the head says first is the least-squares line of scores over odds."""
        rows = same_or_not(64)
        work = Finetuning(Bundle.load(neighbours), rows, [], recipe("joint", "score", pair={"start": "nsp"}))
        model = load(neighbours, "cpu")
        chances = np.array(model.coherence([(row.text_a, row.text_b) for row in rows]))
        odds = np.log(chances / (1 - chances))
        scores = np.array([row.score for row in rows])
        slope, level = np.polyfit(odds, scores, 1)
        parts = work.examples.part(np.arange(64))
        with torch.no_grad():
            said = work.bundle.network.eval()(parts.batch, "classify")[:, 0]
        said = said.numpy() * work.task.variance**0.5 + work.task.mean
        assert said == pytest.approx((slope * odds + level)[parts.numbers], abs=1e-4)

    def test_a_base_without_such_a_head(self, base: Path) -> None:
        with pytest.raises(InputError, match="has no next head") as refused:
            Finetuning(Bundle.load(base), same_or_not(8), [], recipe("joint", pair={"start": "nsp"}))
        assert str(refused.value.fix).startswith(
            "leave out --start nsp, or choose a base pretrained with next"
        )
        with pytest.raises(UsageError) as error:
            recipe("concat", pair={"start": "nsp"})
        assert error.value.found == "pair.start is for the scheme joint, not for concat"

    @pytest.mark.parametrize(
        ("task", "changed", "why"),
        [
            ("classify", {"head": {"hidden": True}}, "a head without a hidden layer"),
            ("score", {"head": {"pooling": "mean"}}, "not the mean of all"),
            ("classify", {"head": {"pooling": "max"}}, "not the max of all"),
            ("classify", {"several": True}, "several may be right"),
            ("tag", {}, "not for tag"),
            ("answer", {}, "not for answer"),
        ],
    )
    def test_features_that_the_head_was_not_made_for(self, task: str, changed: dict, why: str) -> None:
        with pytest.raises(UsageError) as error:
            recipe("joint", task, pair={"start": "nsp"}, **changed)
        assert why in str(error.value.found)

    def test_the_first_token_named_is_the_default(self, neighbours: Path) -> None:
        how = [recipe("joint", pair={"start": "nsp"}, head={"pooling": one}) for one in (None, "cls")]
        works = [Finetuning(Bundle.load(neighbours), same_or_not(64), [], one) for one in how]
        weights = [one.bundle.network.heads["classify"].out.weight for one in works]
        assert torch.equal(*weights)
        assert works[0].bundle.own is works[1].bundle.own is None

    def test_single_texts(self, neighbours: Path) -> None:
        rows = [TextRow("que", (label,), None, HERE, 1) for label in ("a", "b")]
        with pytest.raises(UsageError, match=r"pair\.start = nsp is for pairs of texts"):
            Finetuning(Bundle.load(neighbours), rows, [], recipe("joint", pair={"start": "nsp"}))

    def test_the_lab_leaves_it_aside_for_other_schemes(self, neighbours: Path) -> None:
        how = load_recipe(
            FinetuneRecipe,
            [recipe("joint").model_dump(), {"pair": {"start": "nsp", "scheme": "concat"}}],
            context=TRIED,
        )
        work = Finetuning(Bundle.load(neighbours), same_or_not(16), [], how)
        assert work.notes == []


class TestMoreThanTwoTexts:
    rows = tuple(replace(row, more=("com",)) for row in same_or_not(12))

    def test_segments_grow_on_demand(self, base: Path, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="2 segments apart, and there are 3 texts") as error:
            Finetuning(Bundle.load(base), self.rows, [], recipe("joint"))
        assert "--grow-segments" in str(error.value.fix)
        bundle = Bundle.load(base)
        before = bundle.network.encoder.embeddings.segment.weight.detach().clone()
        work = Finetuning(bundle, self.rows, [], recipe("joint", pair={"grow_segments": True}))
        table = work.bundle.network.encoder.embeddings.segment.weight
        assert torch.equal(table, torch.cat([before, before[1:]]))
        assert "2 segments were made 3" in work.notes[0]
        part = work.examples.part(np.arange(1))
        assert set(part.batch.segments.tolist()) == {0, 1, 2}
        work.bundle.save(tmp_path / "bundle")
        again = Bundle.load(tmp_path / "bundle")
        assert again.config.segments == 3
        assert AutoModel.from_pretrained(tmp_path / "bundle").config.type_vocab_size == 3

    def test_families_without_segments_need_none(self, model_folder: Callable[[str], Path]) -> None:
        base = model_folder("bpe")
        work = Finetuning(Bundle.load(base), self.rows, [], recipe("joint"))
        assert set(work.examples.segments.tolist()) == {0}
        with pytest.raises(UsageError, match="tells no segments apart") as refused:
            Finetuning(Bundle.load(base), self.rows, [], recipe("joint", pair={"grow_segments": True}))
        assert "--grow-segments" in str(refused.value.fix)

    def test_two_texts_need_no_more_segments(self, base: Path) -> None:
        single = [TextRow("que", (label,), None, HERE, 1) for label in ("a", "b")]
        for rows, found in ((same_or_not(8), "pairs of texts"), (single, "single texts")):
            with pytest.raises(UsageError, match="segments are added for more than two texts") as refused:
                Finetuning(Bundle.load(base), rows, [], recipe("joint", pair={"grow_segments": True}))
            assert (refused.value.found, "docs/pairs.md" in str(refused.value.fix)) == (found, True)

    def test_the_layout(self, base: Path) -> None:
        work = Finetuning(Bundle.load(base), self.rows, [], recipe("joint", pair={"grow_segments": True}))
        tokenizer = Bundle.load(base).tokenizer
        row = self.rows[0]
        ids = [tokenizer.encode(text).ids[1:-1] for text in (row.text_a, row.text_b, *row.more)]
        cls, sep = tokenizer.special_id("cls"), tokenizer.special_id("sep")
        expected = [cls, *ids[0], sep, *ids[1], sep, *ids[2], sep]
        assert work.examples.ids[: work.examples.lengths[0]].tolist() == expected
        segments = [0] * (2 + len(ids[0])) + [1] * (1 + len(ids[1])) + [2] * (1 + len(ids[2]))
        assert work.examples.segments[: work.examples.lengths[0]].tolist() == segments

    def test_they_cannot_be_read_apart(self, base: Path) -> None:
        with pytest.raises(UsageError, match="3 texts cannot be read apart"):
            Finetuning(Bundle.load(base), self.rows, [], recipe("combined"))


def test_attention_must_divide_the_width(base: Path) -> None:
    with pytest.raises(UsageError, match="do not divide the width"):
        Bundle.load(base).add_head("classify", ("a", "b"), twin=Twin("attention", heads=5))


def test_single_texts_have_no_scheme(base: Path) -> None:
    rows = [TextRow("que", (label,), None, HERE, 1) for label in ("a", "b")]
    with pytest.raises(UsageError, match="is for pairs of texts"):
        Finetuning(Bundle.load(base), rows, [], recipe("combined"))


@pytest.mark.parametrize("freeze", ["all", 3])
def test_a_frozen_encoder_without_a_head_has_nothing_to_learn(base: Path, freeze: object) -> None:
    learning = {"learning": {"freeze": freeze}}
    with pytest.raises(UsageError, match="nothing is left that could learn") as refused:
        Finetuning(Bundle.load(base), same_or_not(8), [], recipe("embed", "embed", **learning))
    assert (refused.value.found, refused.value.fix) == (f"--freeze {freeze}", "--freeze 2, or less")
    work = Finetuning(Bundle.load(base), same_or_not(8), [], recipe("product", **learning))
    learns = [name for name, weight in work.bundle.network.named_parameters() if weight.requires_grad]
    assert "heads.classify.out.weight" in learns


@pytest.mark.parametrize("contrast", [None, "cosine", "in-batch"])
def test_scores_have_no_positive_label(base: Path, contrast: str | None) -> None:
    rows = [replace(row, labels=()) for row in same_or_not(8)]
    how = recipe("embed", "embed", pair={"contrast": contrast, "positive": "True"})
    with pytest.raises(UsageError, match="the pairs have scores") as refused:
        Finetuning(Bundle.load(base), rows, [], how)
    assert refused.value.found == "pair.positive = True"
    assert "docs/pairs.md" in str(refused.value.fix)


@pytest.mark.parametrize("contrast", [None, "cosine", "in-batch", "order"])
def test_only_cosines_that_are_compared_have_a_scale(base: Path, contrast: str | None) -> None:
    how = recipe("embed", "embed", pair={"contrast": contrast, "scale": 5.0})
    if contrast in {"in-batch", "order"}:
        assert Finetuning(Bundle.load(base), same_or_not(8), [], how).task.scale == 5.0
        return
    with pytest.raises(UsageError, match="no factor comes into that") as refused:
        Finetuning(Bundle.load(base), same_or_not(8), [], how)
    assert refused.value.found == "pair.scale = 5"


@pytest.mark.parametrize("contrast", [None, "cosine", "in-batch"])
def test_a_cosine_is_not_learnt_from_equal_scores(base: Path, contrast: str | None) -> None:
    rows = [replace(row, labels=(), score=4.0) for row in same_or_not(8)]
    with pytest.raises(InputError, match="all scores are the same: there is nothing to learn") as refused:
        Finetuning(Bundle.load(base), rows, [], recipe("embed", "embed", pair={"contrast": contrast}))
    assert refused.value.found == "the score 4 in every row to learn from"
    assert "--score COLUMN" in str(refused.value.fix)


def test_labels_without_a_positive_one_say_what_evaluation_can_do() -> None:
    with pytest.raises(InputError, match="which label means") as refused:
        Embed().likeness([PairRow("a", "b", ("sim",), None, HERE, 1)])
    assert "to evaluate a model that was trained without" in refused.value.fix
