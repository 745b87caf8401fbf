"""Fine-tuning: ambos beside the `transformers` Trainer with identical hyper-parameters.

    AMBOS_DATA=... python benchmarks/finetuning.py speed [--data mrpc] [--steps 40] [--rounds 3]
    AMBOS_DATA=... python benchmarks/finetuning.py quality [--data mrpc] [--seeds 5] [--rows 1000]

From all-MiniLM-L6-v2, on real data: mrpc (pairs of texts), sst2 and ag_news (texts), uner_en and uner_pt
(words with tags of entities); if asked for, rte and snli (pairs), and stsb_en (pairs with scores, which both
learn in units of their deviation). Batches of 32, cut at 128 tokens; AdamW (betas 0.9 and 0.999, eps 1e-8,
weight decay 0.01), rate --lr (5e-5) after a warm-up of 10 %, down to 0 in a line, gradients of norm 1
at most, dropout as the base has it. Both begin with the same weights and head, and read the same ids. The
Trainer pads every batch to its longest sequence, and has everything else as it comes: all cores, its fused
AdamW, its sampler. Nothing is measured, logged or saved while the clock runs. `bf16` is ambos with matrix
products in bfloat16, which `precision = "auto"` takes where they are faster; weights and updates stay fp32.
`Trainer bf16` is the Trainer told to do so, too (`bf16=True`), which it does not by itself. `Trainer
padded` pads every row to 128 tokens, as the script for GLUE that comes with `transformers` does unless it is
told otherwise (not for tags, whose script pads as the first one).

    speed    examples a second of a step, on the same batches in the same order. The contenders take turns,
             each in a process of its own; the median step counts, best of the rounds. `limit` is the share
             of what the machine's matrix products alone would allow, in the same precision, for the
             operations that are computed, after every fifth step (median). Beside them the loss of both
             on one batch without dropout, which must be the same.
    quality  --epochs on the same rows (--rows of the training file, the same for all seeds; 0: all), weights
             of the last step: seconds from the first step to the last, and metrics on dev and test rows, the
             mean over seeds with its 95 % interval. A seed decides the new head, which both share, and order
             and dropout, which they do not. Of the difference there are two intervals (Student's t): over
             the differences within a seed, and Welch's, which takes the two for independent. It is called
             better or worse if both leave out 0, unclear if one does. All weights are measured by one piece
             of code, with the scores of scikit-learn and seqeval.

With --work DIR, what was measured is kept there, and a second call runs only what is missing.
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

from pretraining import run, say

BATCH, LENGTH, WARM = 32, 128, 3  # WARM: steps before the first that counts
# The task, the layout of the files, and the label that F1 is about.
SETS = {
    "mrpc": ("classify", "jsonl", "paraphrase"),
    "rte": ("classify", "jsonl", None),
    "snli": ("classify", "jsonl", None),
    "sst2": ("classify", "jsonl", None),
    "ag_news": ("classify", "jsonl", None),
    "stsb_en": ("score", "jsonl", None),
    "uner_en": ("tag", "conll", None),
    "uner_pt": ("tag", "conll", None),
}
DEFAULT = ["mrpc", "sst2", "ag_news", "uner_en", "uner_pt"]
PEERS, OURS = ("Trainer", "Trainer bf16", "Trainer padded"), ("fp32", "bf16")
CONTENDERS = PEERS + OURS
LEARNING = {"lr": 5e-5, "weight_decay": 0.01, "betas": [0.9, 0.999], "eps": 1e-8, "clip": 1.0}
WARMUP = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["speed", "quality", "worker"])
    parser.add_argument("--data", nargs="+", default=DEFAULT, choices=SETS)
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, help="by default all that make sense")
    parser.add_argument("--steps", type=int, default=40, help="timed steps of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000, help="of the training file, for quality; 0: all")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=LEARNING["lr"])
    parser.add_argument("--splits", nargs="+", default=["dev", "test"], choices=["dev", "test"])
    parser.add_argument("--work", type=Path, help="keep what was measured here")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.what == "worker":
        print("RESULT " + json.dumps(work(json.loads(arguments.job))))
        return
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    beside = CONTENDERS if arguments.what == "speed" else ("Trainer", *OURS)
    arguments.contenders = arguments.contenders or sensible(beside)
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        "TOKENIZERS_PARALLELISM": "false",
    }
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as name:
        kept = Kept((arguments.work or Path(name)) / "finetuning.jsonl")
        results, tables = (speed if arguments.what == "speed" else quality)(arguments, kept)
    print(json.dumps(results, indent=2) if arguments.json else "\n\n".join(tables))


def sensible(contenders: tuple[str, ...]) -> tuple[str, ...]:
    """Leave bfloat16 out where the machine has no instructions for it: a step would take minutes."""
    from ambos.train.machine import best_precision

    slow = best_precision() == "fp32"
    return tuple(one for one in contenders if not (slow and one.endswith("bf16")))


class Kept:
    """What jobs gave, kept in a file: a line for each."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file = file
        lines = file.read_text().splitlines() if file.exists() else []
        self.known = {json.dumps(job): found for job, found in map(json.loads, lines)}

    def run(self, **job: object) -> dict:
        """Return what a job gives; it is only run if that is not known."""
        key = json.dumps(job)
        if key not in self.known:
            self.known[key] = run(__file__, **job)
            with self.file.open("a") as file:
                file.write(json.dumps([job, self.known[key]]) + "\n")
        return self.known[key]


def work(job: dict) -> dict:
    """Do one job, on all cores unless OMP_NUM_THREADS says otherwise."""
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(os.cpu_count() or 1)
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as name:
        return {"steps": time_steps, "train": train, "loss": same_loss}[job.pop("kind")](Path(name), **job)


def speed(arguments: argparse.Namespace, kept: Kept) -> tuple[list[dict], list[str]]:
    results = []
    for data in arguments.data:
        best: dict[str, dict] = {}
        for number in range(arguments.rounds):
            for contender in arguments.contenders:
                if contender == PEERS[2] and SETS[data][0] == "tag":
                    continue
                found = kept.run(
                    kind="steps", contender=contender, data=data, steps=arguments.steps, turn=number
                )
                say(
                    f"{data}, round {number + 1}: {contender} {found['examples_per_second']:.1f} examples/s"
                    + (f", {found['limit']:.0%} of the limit" if "limit" in found else "")
                )
                so_far = best.setdefault(contender, found)
                best[contender] = max(so_far, found, key=lambda one: one["examples_per_second"])
        results.append({"data": data, **best, "loss": kept.run(kind="loss", data=data)})
    rows = [
        [result["data"], f"{result['loss']['tokens']:.0f}", *cells]
        for result in results
        for cells in speeds(result, PEERS, result["loss"])
    ]
    return results, [table(["data", "tokens", *speed_heads(PEERS)], rows)]


def speed_heads(peers: tuple[str, ...]) -> list[str]:
    return ["contender", "examples/s", *(f"as fast as {peer}" for peer in peers), "limit", "loss"]


def speeds(result: dict, peers: tuple[str, ...], losses: dict[str, float]) -> list[list[str]]:
    """Return a row for each contender: its speed, beside that of the peers, and its loss in float32."""
    rates = {name: result[name]["examples_per_second"] for name in (*peers, *OURS) if name in result}
    rows = []
    for name, rate in rates.items():
        beside = [f"{rate / rates[peer]:.2f}x" if peer in rates and name in OURS else "" for peer in peers]
        limit = f"{result[name]['limit']:.0%}" if "limit" in result[name] else ""
        loss = f"{losses[name]:.6f}" if name in losses else ""
        rows.append([name, f"{rate:.1f}", *beside, limit, loss])
    return rows


def quality(arguments: argparse.Namespace, kept: Kept) -> tuple[list[dict], list[str]]:
    results = []
    for data in arguments.data:
        runs: dict[str, list[dict]] = {contender: [] for contender in arguments.contenders}
        for seed in range(arguments.seeds):
            for contender in arguments.contenders:
                job = {"contender": contender, "data": data, "rows": arguments.rows, "seed": seed}
                job |= {"epochs": arguments.epochs, "splits": arguments.splits, "lr": arguments.lr}
                found = kept.run(kind="train", **job)
                figures = ", ".join(f"{name} {value:.4f}" for name, value in found["metrics"].items())
                say(f"{data}, seed {seed}: {contender} {found['seconds']:.1f} s, {figures}")
                runs[contender].append(found)
        results.append({"data": data, "rows": runs[arguments.contenders[0]][0]["rows"], "runs": runs})
        results[-1] |= {"seconds": seconds_of(runs), "metrics": metrics_of(runs)}
    clock = [
        [result["data"], str(result["rows"]), contender, f"{seconds:.1f}", f"{factor:.2f}x" if factor else ""]
        for result in results
        for contender, (seconds, factor) in result["seconds"].items()
    ]
    figures = [
        [result["data"], metric, contender, *shown(found)]
        for result in results
        for metric, contenders in result["metrics"].items()
        for contender, found in contenders.items()
    ]
    return results, [
        f"{arguments.epochs} epochs, {arguments.seeds} seeds",
        table(["data", "rows", "contender", "seconds", "as fast as the Trainer"], clock),
        table(
            ["data", "metric", "contender", "mean, 95 %", "less the Trainer's, by seed", "Welch", "real"],
            figures,
        ),
    ]


def seconds_of(runs: dict[str, list[dict]]) -> dict[str, tuple[float, float | None]]:
    """Return the median seconds of each contender, and how many times as fast as the Trainer that is."""
    medians = {name: statistics.median(one["seconds"] for one in found) for name, found in runs.items()}
    theirs = medians.get("Trainer")
    return {name: (seconds, theirs / seconds if theirs else None) for name, seconds in medians.items()}


def metrics_of(runs: dict[str, list[dict]]) -> dict[str, dict[str, dict]]:
    """Return by metric and contender the mean over seeds, and the difference from the Trainer's."""
    results: dict[str, dict[str, dict]] = {}
    for metric in next(iter(runs.values()))[0]["metrics"]:
        values = {name: [one["metrics"][metric] for one in found] for name, found in runs.items()}
        results[metric] = {name: judged(found, values.get("Trainer")) for name, found in values.items()}
    return results


def judged(ours: list[float], theirs: list[float] | None) -> dict:
    """Return the mean of some figures with its 95 % interval, and whether they differ from others."""
    from scipy import stats

    found: dict = {"mean": statistics.mean(ours)}
    if len(ours) < 2:
        return found
    found["interval"] = list(stats.ttest_1samp(ours, 0.0).confidence_interval())
    if theirs is None or theirs is ours:
        return found
    apart = [one - other for one, other in zip(ours, theirs, strict=True)]
    found["difference"] = statistics.mean(apart)
    found["paired"] = list(stats.ttest_1samp(apart, 0.0).confidence_interval())
    found["welch"] = list(stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval())
    outside = sum(low > 0 or high < 0 for low, high in (found["paired"], found["welch"]))
    found["real"] = ("no", "unclear", "better" if found["difference"] > 0 else "worse")[outside]
    return found


def shown(found: dict) -> list[str]:
    """Return the cells of one figure."""
    if "interval" not in found:
        return [f"{found['mean']:.4f}", "", "", ""]
    low, high = found["interval"]
    cells = [f"{found['mean']:.4f} ({low:.4f} to {high:.4f})"]
    if "difference" not in found:
        return [*cells, "", "", ""]
    (low, high), (least, most) = found["paired"], found["welch"]
    return [
        *cells,
        f"{found['difference']:+.4f} ({low:+.4f} to {high:+.4f})",
        f"{least:+.4f} to {most:+.4f}",
        found["real"],
    ]


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def read(data: str, split: str) -> list:
    """Return the rows of a file."""
    from ambos.runs.finetune_settings import DataFiles
    from ambos.runs.splits import read_split

    task, layout, _ = SETS[data]
    file = Path(os.environ["AMBOS_DATA"]) / data / f"{split}.{layout}"
    return list(read_split([str(file)], DataFiles(), task).rows)


def begin(data: str, rows: int, *, seed: int = 0, epochs: int = 1, lr: float = LEARNING["lr"]):
    """Return the base with the new head of a seed, and its training rows tokenised."""
    from ambos.bundle.bundle import Bundle
    from ambos.data.draws import Draws
    from ambos.data.label_set import LabelSet
    from ambos.recipe import load_recipe
    from ambos.runs.finetune import Finetuning
    from ambos.runs.finetune_settings import FinetuneRecipe

    every = read(data, "train")
    order = Draws.of("rows").shuffled(np.arange(len(every)), len(every))
    chosen = [every[place] for place in (order[:rows] if rows else order)]
    values = {
        "task": SETS[data][0],
        "seed": seed,
        "epochs": epochs,
        "batch": BATCH,
        "max_length": LENGTH,
        "learning": LEARNING | {"lr": lr},
        "schedule": {"shape": "linear", "warmup": WARMUP},
    }
    recipe = load_recipe(FinetuneRecipe, [values])
    labels = None if recipe.task == "score" else LabelSet.from_rows(every)
    return Finetuning(Bundle.load("minilm"), chosen, [], recipe, labels)


def run_ambos(job, precision: str, clock=lambda _, __: None) -> None:
    """Train as `ambos finetune` does; `clock` is told the seconds and the operations of every step."""
    from ambos.runs.log import Silent
    from ambos.train.loop import State
    from ambos.train.machine import keep_memory
    from ambos.train.signals import Stop

    class Clock(Silent):
        def trained(self, record, seconds, operations):  # noqa: ARG002
            clock(seconds, operations)

    keep_memory()
    job.loop(Clock(), precision=precision).run(State(due=False), Stop())


class StepClock:
    """The seconds of every step, and of some the share of what matrix products alone can do just then.

    Only of some: a step that follows the measurement finds its data gone from the caches.
    """

    def __init__(self, precision: str) -> None:
        self.precision = precision
        self.seconds: list[float] = []
        self.shares: list[float] = []

    def __call__(self, seconds: float, operations: float) -> None:
        from ambos.train.machine import matrix_speed

        self.seconds.append(seconds)
        if len(self.seconds) > WARM and len(self.seconds) % 5 == 0:
            self.shares.append(operations / seconds / matrix_speed(0.1, self.precision))

    def found(self) -> dict[str, float]:
        """Return what the median step after the first few says."""
        rate = BATCH / statistics.median(self.seconds[WARM:])
        return {"examples_per_second": rate, "limit": statistics.median(self.shares)}


def features(job) -> list[dict]:
    """Return the examples as the Trainer's data set holds them, in the order of ambos' first epoch."""
    from ambos.data.draws import Draws

    examples, rows = job.examples, []
    order = Draws.of(job.recipe.seed, "order", 0).shuffled(np.arange(len(examples)), len(examples))
    for number in order:
        length = int(examples.lengths[number])
        tokens = slice(examples.starts[number], examples.starts[number] + length)
        target = examples.targets["target"]
        if job.task.name == "score":
            labels = float((target[number] - job.task.mean) / job.task.variance**0.5)
        elif examples.places is None:
            labels = int(target[number])
        else:  # of a word, its first token has the tag
            first = examples.place_starts[number]
            words = slice(first, first + examples.place_counts[number])
            placed = np.full(length, -100)
            placed[examples.places[words]] = target[words]
            labels = placed.tolist()
        rows.append(
            {
                "input_ids": examples.ids[tokens].tolist(),
                "token_type_ids": examples.segments[tokens].tolist(),
                "attention_mask": [1] * length,
                "labels": labels,
            }
        )
    return rows


def peer(job, folder: Path, *, padded: bool = False):
    """Return the same weights as a model of `transformers`, and the collator that pads its batches."""
    import transformers

    job.bundle.save(folder / "begin")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "begin")
    if job.task.name == "tag":
        model = transformers.AutoModelForTokenClassification.from_pretrained(folder / "begin")
        return model, transformers.DataCollatorForTokenClassification(tokenizer)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder / "begin")
    to = {"padding": "max_length", "max_length": LENGTH} if padded else {}
    return model, transformers.DataCollatorWithPadding(tokenizer, **to)


def trainer_clock():
    """Return a callback for a Trainer, and the list of moments that it fills: the beginning, every step."""
    from transformers import TrainerCallback

    moments: list[float] = []

    class Clock(TrainerCallback):
        def on_train_begin(self, *_, **__):
            moments.append(time.perf_counter())

        def on_step_end(self, *_, **__):
            moments.append(time.perf_counter())

    return Clock(), moments


def make_trainer(job, folder: Path, contender: str, **settings: object):
    """Return the Trainer, and a list that will hold the moments when it begins and after every step."""
    from transformers import Trainer, TrainingArguments

    model, collator = peer(job, folder, padded=contender == PEERS[2])
    clock, moments = trainer_clock()
    how = TrainingArguments(
        str(folder / "trainer"),
        use_cpu=True,
        num_train_epochs=job.recipe.epochs,
        per_device_train_batch_size=BATCH,
        learning_rate=job.recipe.learning.lr,
        weight_decay=LEARNING["weight_decay"],
        adam_beta1=LEARNING["betas"][0],
        adam_beta2=LEARNING["betas"][1],
        adam_epsilon=LEARNING["eps"],
        max_grad_norm=LEARNING["clip"],
        lr_scheduler_type="linear",
        warmup_steps=WARMUP,  # below 1: a share of all steps
        seed=job.recipe.seed,
        bf16=contender == PEERS[1],
        report_to="none",
        logging_strategy="no",
        save_strategy="no",
        disable_tqdm=True,
        **settings,
    )
    trainer = Trainer(model, how, train_dataset=features(job), data_collator=collator, callbacks=[clock])
    return trainer, moments


def time_steps(folder: Path, contender: str, data: str, steps: int, turn: int) -> dict:  # noqa: ARG001
    """Time the steps of an epoch that is as long as asked for."""
    job = begin(data, BATCH * (WARM + steps))
    if contender in PEERS:
        trainer, moments = make_trainer(job, folder, contender, train_sampling_strategy="sequential")
        trainer.train()
        seconds = [after - before for before, after in pairwise(moments)]
        return {"examples_per_second": BATCH / statistics.median(seconds[WARM:])}
    clock = StepClock(contender)
    run_ambos(job, contender, clock)
    return clock.found()


def same_loss(folder: Path, data: str) -> dict:
    """Return the loss of both on the first batch, without dropout, and the mean number of tokens of a row."""
    import torch

    from ambos.runs.log import Silent
    from ambos.train.loop import State

    job = begin(data, 50 * BATCH)
    loop = job.loop(Silent())
    model = loop.model.eval()
    batch = loop.read(State(), 0.0)
    other, collator = peer(job, folder)
    with torch.no_grad():
        ours = sum(float(model(part, batch.totals)[0]) for part in batch.parts)
        theirs = other.eval()(**collator(features(job)[:BATCH])).loss
    return {"Trainer": float(theirs), "fp32": ours, "tokens": float(job.examples.lengths.mean())}


def train(
    folder: Path, contender: str, data: str, rows: int, seed: int, epochs: int, splits: list[str], lr: float
) -> dict:
    """Train to the end, and measure the last weights."""
    job = begin(data, rows, seed=seed, epochs=epochs, lr=lr)
    if contender in PEERS:
        trainer, _ = make_trainer(job, folder, contender)
        start = time.perf_counter()
        trainer.train()
        seconds = time.perf_counter() - start
        trainer.model.save_pretrained(folder / "end")
    else:
        start = time.perf_counter()
        run_ambos(job, contender)
        seconds = time.perf_counter() - start
        job.bundle.save(folder / "end")
    found = {}
    for split in splits:
        found |= {
            f"{split} {name}": value for name, value in measure(folder / "end", job, data, split).items()
        }
    return {"seconds": seconds, "rows": len(job.train), "metrics": found}


def measure(folder: Path, job, data: str, split: str) -> dict[str, float]:
    """Return what scikit-learn or seqeval say of a saved model's predictions."""
    import scipy.stats
    import seqeval.metrics
    import sklearn.metrics
    import torch

    from ambos.bundle.bundle import Bundle
    from ambos.data.windows import Ledger
    from ambos.predict.rows import predict_rows

    network = Bundle.load(folder).network.eval()
    rows = read(data, split)
    some = predict_rows(network, job.task, rows, job.reading, Ledger(), device=torch.device("cpu"))
    predictions = [prediction for _, found in some for prediction in found]
    if job.task.name == "tag":
        gold, found = [list(row.tags) for row in rows], [list(one.tags) for one in predictions]
        return {"entity F1": float(seqeval.metrics.f1_score(gold, found))}
    if job.task.name == "score":
        return {"Spearman": float(scipy.stats.spearmanr([row.score for row in rows], predictions).statistic)}
    gold, found = [row.labels[0] for row in rows], [one.labels[0] for one in predictions]
    metrics = {"accuracy": float(sklearn.metrics.accuracy_score(gold, found))}
    if positive := SETS[data][2]:
        metrics[f"F1 of {positive}"] = float(sklearn.metrics.f1_score(gold, found, pos_label=positive))
    return metrics


if __name__ == "__main__":
    main()
