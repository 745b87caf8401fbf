"""Pretraining: ambos beside the `transformers` Trainer with its masked-LM collator.

    AMBOS_DATA=... python benchmarks/pretraining.py speed [--presets bert-tiny bert-mini] [--steps 12]
    AMBOS_DATA=... python benchmarks/pretraining.py quality [--minutes 10] [--rates 2.5e-4 5e-4 1e-3]

Real text (wikitext2, raw_pt), a WordPiece vocabulary of 30,000 learnt from it, fp32, all cores.

    speed    tokens a second of the same model on the same data with the same loss: 32 sequences a step,
             as concatenated blocks of 128 tokens, and line by line (cut at 128 tokens; the Trainer pads to
             the longest of a batch). Tokens are real ones, padding does not count. The two take turns, each
             in a process of its own; the median step counts, best of the rounds. `limit` is the share of what
             the machine's matrix products alone would allow for the operations that are computed, measured
             between the steps (median).
    quality  the Trainer gets BERT-mini, 32 x 128 blocks, AdamW, warm-up of 10 %, linear decay, planned to
             end after --minutes, at each of three learning rates; the best held-out loss counts. Then the
             recipe `fast`, on the same text with the same tokenizer, until it reaches that loss on the same
             held-out corruption. Beside them: the Trainer's own model and settings under ambos, and what
             each reaches in the end. With --work DIR, what was prepared and what the Trainer reached are kept
             there, and a second call only runs what is missing.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SEQUENCES, LENGTH, VOCABULARY = 32, 128, 30_000
LAYOUTS = ("blocks", "lines")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["speed", "quality", "worker"])
    parser.add_argument("--data", nargs="+", default=["wikitext2"], choices=["wikitext2", "raw_pt"])
    parser.add_argument("--presets", nargs="+", default=["bert-tiny", "bert-mini", "bert-small"])
    parser.add_argument("--steps", type=int, default=12, help="timed steps of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=10.0, help="of the Trainer")
    parser.add_argument(
        "--fast-minutes", type=float, default=2.5, help="of the recipe fast; 0: only the Trainer"
    )
    parser.add_argument("--rates", nargs="+", type=float, default=[2.5e-4, 5e-4, 1e-3])
    parser.add_argument("--recipe", default="fast")
    parser.add_argument(
        "--ours", nargs="*", default=["same", "fast", "long"], help="of the runs of ambos, only these"
    )
    parser.add_argument("--work", type=Path, help="keep prepared data and the Trainer's results here")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.what == "worker":
        print("RESULT " + json.dumps(work(json.loads(arguments.job))))
        return
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        "TOKENIZERS_PARALLELISM": "false",
    }
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as name:
        kept = arguments.work or Path(name)
        results = [
            (speed if arguments.what == "speed" else quality)(data, arguments, kept / data)
            for data in arguments.data
        ]
    if arguments.json:
        print(json.dumps(results, indent=2))


def prepare(data: str, work: Path, vocabulary: int = VOCABULARY) -> None:
    """Learn the vocabulary, and tokenise the text and the held-out text, unless that is done."""
    if (work / "lines").exists():
        return
    from ambos.text.readers import read_documents
    from ambos.text.sources import find_sources
    from ambos.text.store_build import BuildOptions, build_store
    from ambos.text.stream import ReadOptions
    from ambos.text.tokenizer_train import TrainOptions, train_tokenizer

    folder = Path(os.environ["AMBOS_DATA"]) / data
    (work / "tokenizer").mkdir(parents=True)
    tokenizer = train_tokenizer(
        read_documents(find_sources([str(folder / "train.txt")])), TrainOptions("wordpiece", vocabulary)
    )
    tokenizer.save(work / "tokenizer")
    build_store(find_sources([str(folder / "train.txt")]), tokenizer, work / "store")
    build_store(find_sources([str(folder / "dev.txt")]), tokenizer, work / "heldout")
    by_line = BuildOptions(keep_duplicates=True, read=ReadOptions(document="line"))
    build_store(find_sources([str(folder / "train.txt")]), tokenizer, work / "lines", by_line)


def run(script: str = __file__, **job: object) -> dict:
    """Do a job of a script in a process of its own."""
    command = [sys.executable, script, "worker", "--job", json.dumps(job, default=str)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        sys.exit(done.stderr)
    return json.loads(lines[-1].removeprefix("RESULT "))


def work(job: dict) -> dict:
    jobs = {"trainer": trainer, "ambos": ambos_speed, "rival": rival, "fast": fast, "loss": same_loss}
    return jobs[job.pop("kind")](**job)


def speed(data: str, arguments: argparse.Namespace, work: Path) -> dict:
    prepare(data, work)
    results = {}
    say(
        f"\n{data}: tokens a second, 32 sequences of up to 128 tokens a step, V = {VOCABULARY:,}, dropout 0.1"
    )
    say(f"{'model':<12}{'layout':<9}{'Trainer':>9}{'ambos':>9}{'ratio':>8}{'limit':>8}   loss on one batch")
    for preset in arguments.presets:
        write_model(preset, work)
        for layout in LAYOUTS:
            job = {"work": work / "", "preset": preset, "layout": layout, "steps": arguments.steps}
            rounds = [
                (run(kind="trainer", data=data, **job), run(kind="ambos", **job))
                for _ in range(arguments.rounds)
            ]
            theirs = max(one["tokens_per_second"] for one, _ in rounds)
            ours = max(other["tokens_per_second"] for _, other in rounds)
            limit = max(other["limit"] for _, other in rounds)
            loss = run(kind="loss", work=work / "", preset=preset)
            say(
                f"{preset:<12}{layout:<9}{theirs:>9,.0f}{ours:>9,.0f}{ours / theirs:>7.2f}x{limit:>8.0%}"
                f"   {loss['theirs']:.6f} {loss['ours']:.6f}"
            )
            results[f"{preset} {layout}"] = {"trainer": theirs, "ambos": ours, "limit": limit, **loss}
    return {"data": data, "speed": results}


def write_model(preset: str, work: Path) -> None:
    """Write new weights that both begin with."""
    from dataclasses import replace

    from ambos.bundle.bundle import Bundle
    from ambos.encoder.presets import preset as named
    from ambos.text.tokenizer import Tokenizer

    tokenizer = Tokenizer.load(work / "tokenizer")
    bundle = Bundle.new(replace(named(preset).encoder, vocab_size=tokenizer.vocab_size), tokenizer)
    bundle.add_head("mlm")
    bundle.save(work / preset, force=True)


def training_rows(data: str, layout: str, work: str) -> list[list[int]]:
    """Return what the Trainer's data set holds, in the ways of its language-modelling examples."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(Path(work) / "tokenizer")
    text = (Path(os.environ["AMBOS_DATA"]) / data / "train.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip()]
    if layout == "lines":
        return tokenizer(lines, truncation=True, max_length=LENGTH)["input_ids"]
    ids = [one for line in tokenizer(lines)["input_ids"] for one in line]
    return [ids[first : first + LENGTH] for first in range(0, len(ids) - LENGTH + 1, LENGTH)]


def train_with_trainer(
    data: str, layout: str, work: str, model: object, steps: int, rate: float, out: str
) -> list[tuple[float, int]]:
    """Train; return the time at the end of each step and the real tokens so far."""
    import torch
    from transformers import (
        AutoTokenizer,
        DataCollatorForLanguageModeling,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )

    rows = training_rows(data, layout, work)
    tokenizer = AutoTokenizer.from_pretrained(Path(work) / "tokenizer")
    seen: list[tuple[float, int]] = []
    tokens = 0

    class Collator(DataCollatorForLanguageModeling):
        def __call__(self, features, return_tensors=None):
            nonlocal tokens
            tokens += sum(len(feature["input_ids"]) for feature in features)
            return super().__call__(features, return_tensors)

    class Clock(TrainerCallback):
        def on_step_end(self, *_, **__):
            seen.append((time.perf_counter(), tokens))

    torch.manual_seed(0)
    settings = TrainingArguments(
        out,
        use_cpu=True,
        per_device_train_batch_size=SEQUENCES,
        max_steps=steps,
        learning_rate=rate,
        warmup_steps=max(1, steps // 10),
        lr_scheduler_type="linear",
        weight_decay=0.01,
        report_to="none",
        logging_strategy="no",
        save_strategy="no",
        disable_tqdm=True,
        seed=0,
    )
    collator = Collator(tokenizer, mlm_probability=0.15)
    dataset = [{"input_ids": row} for row in rows]
    Trainer(model, settings, train_dataset=dataset, data_collator=collator, callbacks=[Clock()]).train()
    return seen


def trainer(data: str, work: str, preset: str, layout: str, steps: int) -> dict:
    from transformers import AutoModelForMaskedLM

    model = AutoModelForMaskedLM.from_pretrained(Path(work) / preset)
    with tempfile.TemporaryDirectory() as out:
        seen = train_with_trainer(data, layout, work, model, steps + 3, 1e-4, out)
    return {"tokens_per_second": rate_of(seen[2:])}


def rate_of(seen: list[tuple[float, int]]) -> float:
    """Return tokens a second of the median step, by time per token."""
    times, tokens = np.diff([time for time, _ in seen]), np.diff([count for _, count in seen])
    return float(1 / statistics.median(times / tokens))


def ambos_speed(work: str, preset: str, layout: str, steps: int) -> dict:
    """Time the steps of ambos' own loop on the same rows."""
    from ambos.train.loop import Loop, State
    from ambos.train.machine import keep_memory, matrix_speed
    from ambos.train.optim import Optimiser, OptimSettings
    from ambos.train.schedule import Budget, Schedule
    from ambos.train.signals import Stop

    keep_memory()
    model, reader = parts(work, preset, layout)
    seen: list[tuple[float, int]] = [(0.0, 0)]
    shares: list[float] = []

    class Clock:
        def trained(self, record, seconds, operations):
            seen.append((seen[-1][0] + seconds, record["tokens"]))
            # Between steps: what the machine can do differs from one second to the next.
            shares.append(operations / seconds / matrix_speed(0.1))

        def evaluated(self, records):
            pass

        def saved(self, step):
            pass

    Loop(
        model=model,
        names=["mlm"],
        read=reader,
        optimiser=Optimiser(model, OptimSettings(lr=1e-4)),
        schedule=Schedule(),
        budget=Budget(steps=steps + 3),
        evaluate=lambda *_: [],
        listener=Clock(),
    ).run(State(), Stop())
    return {"tokens_per_second": rate_of(seen[3:]), "limit": statistics.median(shares[3:])}


def parts(work: str, preset: str, layout: str) -> tuple:
    """Return the model of the folder with ambos' loss, and a reader of the same rows as the Trainer's."""
    from ambos.bundle.bundle import Bundle
    from ambos.data.feed import Feed, FeedSettings
    from ambos.data.parts import whole
    from ambos.data.plan import ROW, Plan
    from ambos.encoder.table import allow_in_place
    from ambos.runs.assemble import Reader, build_model
    from ambos.runs.settings import Phase, PretrainRecipe
    from ambos.text.store import TokenStore
    from ambos.train.team import Team

    class Lines(Feed):
        """Every document of the store, which is a line of the text, cut as the Trainer cuts."""

        def _make_plan(self, _: int, length: int) -> Plan:
            store = self.part.store
            starts = store.sentence_starts[store.document_starts].astype(np.int64)
            rows = np.zeros(len(store), ROW)
            rows["begin"] = starts[:-1]
            rows["stop"] = np.minimum(starts[1:], starts[:-1] + length - 2)
            rows["document"] = rows["relation"] = -1
            return Plan((rows,))

    store = TokenStore(Path(work) / ("store" if layout == "blocks" else "lines"))
    bundle = Bundle.load(Path(work) / preset)
    recipe = PretrainRecipe(
        phases=[Phase(length=LENGTH, sequences=SEQUENCES)], part_tokens=LENGTH * SEQUENCES
    )
    make = Lines if layout == "lines" else Feed
    feed = make(whole(store, measuring=False), store.tokenizer, FeedSettings("blocks"))
    model = build_model(bundle, recipe)
    allow_in_place(model)
    return model, Reader(feed, recipe, bundle, Team())


def same_loss(work: str, preset: str) -> dict:
    """Return the loss of both on one corrupted batch, without dropout."""
    import torch
    from transformers import AutoModelForMaskedLM

    from ambos.data.feed import Place

    model, reader = parts(work, preset, "blocks")
    batches, _ = reader.feed.step(Place(), sequences=8, length=LENGTH, budget=8 * LENGTH)
    masked = batches[0]
    model.eval()
    ours = model(masked, masked.counts)[0]
    labels = torch.full_like(masked.batch.ids, -100)
    labels[masked.places] = masked.labels
    peer = AutoModelForMaskedLM.from_pretrained(Path(work) / preset).eval()
    theirs = peer(input_ids=masked.batch.ids.view(8, -1), labels=labels.view(8, -1)).loss
    return {"ours": float(ours), "theirs": float(theirs)}


def quality(data: str, arguments: argparse.Namespace, work: Path) -> dict:
    prepare(data, work)
    say(f"\n{data}: held-out masked-LM loss, V = {VOCABULARY:,}, same tokenizer and held-out corruption")
    kept = work / f"rivals-{arguments.minutes:g}.json"
    rivals = json.loads(kept.read_text()) if kept.exists() else []
    for rate in arguments.rates:
        found = next((rival for rival in rivals if rival["rate"] == rate), None)
        if found is None:
            # Planned once: all rates get the steps of the first, so that the rate alone differs.
            steps = rivals[0]["steps"] if rivals else None
            found = run(
                kind="rival", data=data, work=work / "", minutes=arguments.minutes, rate=rate, steps=steps
            )
            rivals.append(found)
            kept.write_text(json.dumps(rivals))
        say(
            f"Trainer  BERT-mini, learning rate {rate:g}: {figures(found)} "
            f"after {found['seconds'] / 60:.1f} min, {found['steps']} steps"
        )
    if not arguments.fast_minutes:
        return {"data": data, "rivals": rivals}
    best = min(rivals, key=lambda rival: rival["loss"])
    say(f"the loss to reach: {best['loss']:.3f} (learning rate {best['rate']:g})")
    results = {"data": data, "rivals": rivals}
    same = [
        "objectives={mlm=1.0}",
        "data.scheme=blocks",
        f"optim.lr={best['rate']}",
        "phases=[{length=128,sequences=32}]",
        "optim.eps=1e-8",
    ]
    trials = {
        "same": ("the Trainer's model and settings", "bert", same, arguments.minutes),
        "fast": (f"recipe {arguments.recipe}", arguments.recipe, [], arguments.fast_minutes),
        "long": (f"recipe {arguments.recipe}", arguments.recipe, [], arguments.minutes),
    }
    for name, recipe, settings, minutes in (trials[name] for name in arguments.ours):
        found = run(
            kind="fast",
            work=work / "",
            recipe=recipe,
            settings=settings,
            minutes=minutes,
            target=best["loss"],
        )
        reached = "not reached" if found["reached"] is None else f"reached after {found['reached']:.0f} s"
        say(f"ambos    {name}, {minutes:g} min: {reached}; in the end {figures(found)}")
        results[f"{name}, {minutes:g} min"] = found
    return results


def figures(found: dict) -> str:
    return (
        f"loss {found['loss']:.3f}, accuracy {found['accuracy']:.1%}, "
        f"{found['tokens_per_second']:,.0f} tokens/s"
    )


def heldout(work: str):
    from ambos.data.parts import whole
    from ambos.runs.heldout import Heldout
    from ambos.text.store import TokenStore

    store = TokenStore(Path(work) / "heldout")
    part = whole(store, measuring=True)
    return Heldout(part, store.tokenizer, relation="none", sequences=256, context=512)


def rival(data: str, work: str, minutes: float, rate: float, steps: int | None = None) -> dict:
    """Train BERT-mini with the Trainer for so many minutes, or for so many steps, and measure it."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    from ambos.bundle.bundle import Bundle
    from ambos.runs.assemble import build_model
    from ambos.runs.settings import PretrainRecipe
    from ambos.text.store import TokenStore

    size = TokenStore(Path(work) / "store").tokenizer.vocab_size

    def new():
        torch.manual_seed(0)
        return BertForMaskedLM(
            BertConfig(
                vocab_size=size,
                hidden_size=256,
                num_hidden_layers=4,
                num_attention_heads=4,
                intermediate_size=1024,
            )
        )

    with tempfile.TemporaryDirectory() as out:
        if steps is None:
            trial = train_with_trainer(data, "blocks", work, new(), 12, rate, out)
            # By the fastest step: if anything, the Trainer gets more than its time.
            steps = math.ceil(minutes * 60 / min(np.diff([moment for moment, _ in trial[2:]])))
        model = new()
        begin = time.perf_counter()
        seen = train_with_trainer(data, "blocks", work, model, steps, rate, out)
        seconds = time.perf_counter() - begin
        model.save_pretrained(Path(out) / "model")
        found = heldout(work).measure(build_model(Bundle.load(Path(out) / "model"), PretrainRecipe()).eval())[
            "mlm"
        ]
    return {
        "rate": rate,
        "seconds": seconds,
        "steps": steps,
        "tokens_per_second": rate_of(seen),
        "loss": found.loss / found.count,
        "accuracy": found.right / found.count,
    }


def fast(
    work: str,
    recipe: str,
    settings: list[str],
    target: float,
    minutes: float | None = None,
    tokens: int | None = None,
    times: int = 40,
    keep: Path | None = None,
) -> dict:
    """Train with a recipe, measuring on the way; the clock stands still while measuring."""
    from ambos.recipe import load_recipe, merge, parse_override
    from ambos.runs.choices import choose
    from ambos.runs.folder import begin_folder
    from ambos.runs.named import recipe_values
    from ambos.runs.pretrain import Job
    from ambos.runs.settings import PretrainRecipe
    from ambos.train.team import Team

    values = merge(
        recipe_values(recipe),
        {"budget": {"minutes": minutes, "tokens": tokens}, "evaluation": {"times": times, "sequences": 256}},
    )
    for setting in settings:
        values = merge(values, parse_override(setting))
    with tempfile.TemporaryDirectory(dir=work) as name:
        run = Path(name) / "run"
        run.mkdir()
        for store in ("store", "heldout"):
            (run / store).symlink_to(Path(work) / store)
        checked = choose(load_recipe(PretrainRecipe, [values]), Team())
        begin_folder(run, checked, None, [])
        Job(run, checked).run()
        if keep:
            shutil.copytree(run / "bundle", keep, dirs_exist_ok=True)
        speeds = [json.loads(line) for line in (run / "speed.jsonl").open()]
        records = [json.loads(line) for line in (run / "metrics.jsonl").open()]
    measured = [record for record in records if record["kind"] == "heldout"]
    clock = [0, *(record["step"] for record in speeds)], [0.0, *(record["seconds"] for record in speeds)]
    curve = [(float(np.interp(record["step"], *clock)), record["mlm_loss"]) for record in measured]
    return {
        "reached": next((moment for moment, loss in curve if loss <= target), None),
        "loss": curve[-1][1],
        "accuracy": measured[-1]["mlm_accuracy"],
        "seconds": curve[-1][0],
        "tokens_per_second": speeds[-1]["tokens_per_second"],
        "curve": curve,
    }


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
