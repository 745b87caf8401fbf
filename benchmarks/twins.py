"""Training of twin encoders: ambos beside the trainer of sentence-transformers, with the same four losses.

    AMBOS_DATA=... python benchmarks/twins.py [speed] [--losses softmax cosine order in-batch] [--rounds 3]
    AMBOS_DATA=... python benchmarks/twins.py grid

From all-MiniLM-L6-v2, batches of 32 pairs, texts cut at 128 tokens, AdamW, learning rate 5e-5, mean pooling,
dropout as the base has it. Everything else is as the trainer has it, and all cores are its own.

    softmax   SNLI, three labels: softmax over W [u; v; |u - v|; u * v] (Reimers and Gurevych 2019); in ambos,
              the scheme `combined` with |a - b|
    cosine    STS-B: (cos(u, v) - score / 5)^2; in ambos, `embed`
    order     STS-B: cosines in the order of the scores (CoSENTLoss); `embed`
    in-batch  SNLI, entailed pairs: softmax over 20 cos(u_i, v_j) (MultipleNegativesRankingLoss); `embed`

Examples are pairs. The contenders take turns, each in a process of its own, on the same pairs in the same
order; the median step counts, best of the rounds. `sentence-transformers bf16` is told to compute matrix
products in bfloat16 (`bf16=True`), which ambos does by itself where that is faster. `limit` is the share of
what matrix products alone would allow, in the same precision; `loss` that of the first batch, without
dropout, in float32. Texts are tokenised by the trainer in its steps and by ambos before the first one, as
both do: about 1 % of the time of a step.

`grid` puts 1,000 texts of STS-B beside 1,000 others: the tokens that a twin encoder and a joint one read for
the million pairs, and how long that takes; of the joint one, by the time of some of the pairs.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from finetuning import (
    BATCH,
    LEARNING,
    LENGTH,
    OURS,
    WARM,
    StepClock,
    run_ambos,
    sensible,
    speed_heads,
    speeds,
    table,
    trainer_clock,
)
from pretraining import run, say

LOSSES = {"softmax": "snli", "cosine": "stsb_en", "order": "stsb_en", "in-batch": "snli"}
SCORED = ("cosine", "order")
PEERS = ("sentence-transformers", "sentence-transformers bf16")
CONTENDERS = PEERS + OURS


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="speed", choices=["speed", "grid", "worker"])
    parser.add_argument("--losses", nargs="+", default=list(LOSSES), choices=LOSSES)
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, help="by default all that make sense")
    parser.add_argument("--steps", type=int, default=40, help="timed steps of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.what == "worker":
        with tempfile.TemporaryDirectory(prefix="ambos-bench-") as name:
            job = json.loads(arguments.job)
            found = {"steps": time_steps, "loss": same_loss}[job.pop("kind")](Path(name), **job)
        print("RESULT " + json.dumps(found))
        return
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        "TOKENIZERS_PARALLELISM": "false",
    }
    if arguments.what == "grid":
        grid()
        return
    arguments.contenders = arguments.contenders or sensible(CONTENDERS)
    results = [speed(loss, arguments) for loss in arguments.losses]
    if arguments.json:
        print(json.dumps(results, indent=2))
        return
    rows = [
        [result["loss"], *cells]
        for result in results
        for cells in speeds(
            result, PEERS, {PEERS[0]: result["first"]["theirs"], "fp32": result["first"]["ours"]}
        )
    ]
    print(table(["loss", *speed_heads(PEERS)], rows))


def speed(loss: str, arguments: argparse.Namespace) -> dict:
    best: dict[str, dict] = {}
    for number in range(arguments.rounds):
        for contender in arguments.contenders:
            found = run(__file__, kind="steps", contender=contender, loss=loss, steps=arguments.steps)
            say(f"{loss}, round {number + 1}: {contender} {found['examples_per_second']:.1f} pairs/s")
            before = best.setdefault(contender, found)
            best[contender] = max(before, found, key=lambda one: one["examples_per_second"])
    return {"loss": loss, **best, "first": run(__file__, kind="loss", loss=loss)}


def grid(count: int = 1000, some: int = 2000) -> None:
    """Show what n x m pairs cost a twin encoder and a joint one."""
    import ambos
    from ambos.runs.pair_costs import joint_tokens

    file = Path(os.environ["AMBOS_DATA"]) / "stsb_en" / "train.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    first, second = (list(dict.fromkeys(row[side] for row in rows))[:count] for side in ("text_a", "text_b"))
    twin = ambos.load("minilm")
    clock = time.perf_counter()
    sides = twin.read(first), twin.read(second)
    twin.grid(*sides)
    seconds = time.perf_counter() - clock
    tokens = sum(side.tokens for side in sides)
    draw = np.random.default_rng(0)
    together = [f"{first[draw.integers(count)]} {second[draw.integers(count)]}" for _ in range(some)]
    clock = time.perf_counter()
    twin.embed(together)
    joint_seconds = (time.perf_counter() - clock) * count * count / some
    joint = joint_tokens(twin, first, second)
    print(
        table(
            [f"{count:,} x {count:,} pairs", "tokens read", "seconds"],
            [
                ["twins", f"{tokens:,}", f"{seconds:.1f}"],
                ["joint", f"{joint:,}", f"{joint_seconds:,.0f} (by {some:,} pairs)"],
                ["joint / twins", f"{joint / tokens:,.0f}x", f"{joint_seconds / seconds:,.0f}x"],
            ],
        )
    )


def begin(loss: str, rows: int):
    """Return ambos' job: the base, the pairs tokenised, and how they meet."""
    from ambos.bundle.bundle import Bundle
    from ambos.recipe import load_recipe
    from ambos.runs.finetune import Finetuning
    from ambos.runs.finetune_settings import DataFiles, FinetuneRecipe
    from ambos.runs.splits import read_split

    pair = {
        "softmax": {"scheme": "combined", "absolute": True},
        "cosine": {"scheme": "embed", "contrast": "cosine"},
        "order": {"scheme": "embed", "contrast": "order"},
        "in-batch": {"scheme": "embed", "contrast": "in-batch", "positive": "entailment"},
    }[loss]
    task = "classify" if loss == "softmax" else "embed"
    file = Path(os.environ["AMBOS_DATA"]) / LOSSES[loss] / "train.jsonl"
    every = read_split([str(file)], DataFiles(pairs=True), task).rows
    if loss == "in-batch":
        every = [row for row in every if row.labels == ("entailment",)]
    values = {
        "task": task,
        "epochs": 1,
        "batch": BATCH,
        "max_length": LENGTH,
        "learning": LEARNING,
        "schedule": {"shape": "linear", "warmup": 0.1},
        "head": {"pooling": "mean"},
        "pair": pair,
    }
    return Finetuning(Bundle.load("minilm"), every[:rows], [], load_recipe(FinetuneRecipe, [values]))


def peer(job, loss: str, folder: Path):
    """Return the same encoder and loss for sentence-transformers."""
    import sentence_transformers as st
    import torch
    from sentence_transformers import losses, models

    from ambos.bundle.bundle import Bundle

    bare = Bundle.load("minilm")
    bare.sentence = None
    bare.save(folder / "begin")
    words = models.Transformer(str(folder / "begin"), max_seq_length=LENGTH)
    model = st.SentenceTransformer(modules=[words, models.Pooling(384, "mean")], device="cpu")
    if loss == "cosine":
        return model, losses.CosineSimilarityLoss(model)
    if loss == "order":
        return model, losses.CoSENTLoss(model)
    if loss == "in-batch":
        return model, losses.MultipleNegativesRankingLoss(model, scale=20.0)
    found = losses.SoftmaxLoss(model, 384, len(job.task.labels), concatenation_sent_multiplication=True)
    ours = job.bundle.network.heads["classify"].out
    with torch.no_grad():
        found.classifier.weight.copy_(ours.weight)
        found.classifier.bias.copy_(ours.bias)
    return model, found


def columns(job, loss: str) -> dict[str, list]:
    """Return the pairs in the order of ambos' first epoch, as the trainer's data set has them."""
    from ambos.data.draws import Draws

    count = len(job.train)
    order = Draws.of(job.recipe.seed, "order", 0).shuffled(np.arange(count), count)
    rows = [job.train[place] for place in order]
    found = {"first": [row.text_a for row in rows], "second": [row.text_b for row in rows]}
    if loss == "softmax":
        found["label"] = job.task.target(rows).tolist()
    if loss in SCORED:
        found["score"] = job.task.likeness(rows).tolist()
    return found


def in_order(data, batch_size: int, drop_last: bool, **_):
    """Return batches as the pairs come, for a trainer that would shuffle them."""
    from sentence_transformers.sampler import DefaultBatchSampler
    from torch.utils.data import SequentialSampler

    return DefaultBatchSampler(SequentialSampler(data), batch_size=batch_size, drop_last=drop_last)


def time_steps(folder: Path, contender: str, loss: str, steps: int) -> dict:
    job = begin(loss, BATCH * (WARM + steps))
    if contender in PEERS:
        import sentence_transformers as st
        from datasets import Dataset

        clock, moments = trainer_clock()
        model, criterion = peer(job, loss, folder)
        how = st.SentenceTransformerTrainingArguments(
            str(folder / "trainer"),
            use_cpu=True,
            num_train_epochs=1,
            per_device_train_batch_size=BATCH,
            learning_rate=LEARNING["lr"],
            weight_decay=LEARNING["weight_decay"],
            warmup_steps=1,
            report_to="none",
            logging_strategy="no",
            save_strategy="no",
            disable_tqdm=True,
            bf16=contender == PEERS[1],
            seed=0,
            batch_sampler=in_order,
        )
        data = Dataset.from_dict(columns(job, loss))
        st.SentenceTransformerTrainer(
            model, how, train_dataset=data, loss=criterion, callbacks=[clock]
        ).train()
        seconds = [after - before for before, after in pairwise(moments)]
        return {"examples_per_second": BATCH / statistics.median(seconds[WARM:])}
    clock = StepClock(contender)
    run_ambos(job, contender, clock)
    return clock.found()


def same_loss(folder: Path, loss: str) -> dict:
    """Return the loss of both on the first batch."""
    import torch

    from ambos.runs.log import Silent
    from ambos.train.loop import State

    job = begin(loss, BATCH * 4)
    loop = job.loop(Silent())
    model = loop.model.eval()
    batch = loop.read(State(), 0.0)
    other, criterion = peer(job, loss, folder)
    found = columns(job, loss)
    texts = [found[side][:BATCH] for side in ("first", "second")]
    tokenised = [dict(other.tokenize(side)) for side in texts]
    labels = torch.tensor(found.get("label", found.get("score", [0] * BATCH))[:BATCH])
    other.eval()
    with torch.no_grad():
        ours = sum(float(model(part, batch.totals)[0]) for part in batch.parts)
        theirs = criterion.eval()(tokenised, labels.float() if loss in SCORED else labels)
    return {"ours": ours, "theirs": float(theirs)}


if __name__ == "__main__":
    main()
