"""What each choice of the recipe `fast` is worth: the recipe as it is, and with one thing changed at a time.

    AMBOS_DATA=... python benchmarks/ablation.py [--seconds 60] [--seeds 3] [--only size rate] [--work DIR]

Real text (wikitext2 by default), a WordPiece vocabulary of 30,000, held-out loss under the fixed corruption
that all runs share. Every trial gets the same time on the clock and all cores. Trials go round by round, each
variant once with the same seed, so that a slow quarter of an hour hits all of them; the difference from the
recipe is taken within a seed, and shown with its 95 % interval (Student's t) over seeds.
With --work DIR, results are kept there and a second call runs only what is missing.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

from pretraining import prepare, run, say

VARIANTS: dict[str, list[str]] = {
    "as it is": [],
    # Size
    "size 128 x 3": ["model.depth=3"],
    "size 192 x 2": ["model.width=192"],
    "size 256 x 4": ["model.preset=bert-mini"],
    # Parts
    "heads that look everywhere": ["model.neighbours=false"],
    "two heads instead of four": ["model.head_width=64"],
    "parts of BERT": ["model.family=bert-base", "model.dropout=0.0", "model.neighbours=false"],
    "output bias at 0": ["model.unigram_bias=false"],
    "initial weights 0.05": ["model.initial_std=0.05"],
    # Corruption
    "rate 30 %": ["corruption.rate=0.3"],
    "rate 30 to 15 %": ["corruption.rate=0.3", "corruption.rate_end=0.15"],
    "all chosen masked": ["corruption.mask=1.0", "corruption.random=0.0"],
    "whole words": ["corruption.unit=word"],
    # Batches
    "length 32": ["phases=[{length=32,sequences=128}]"],
    "length 128": ["phases=[{length=128,sequences=32}]"],
    "length 32, then 64": ["phases=[{share=0.5,length=32,sequences=128},{share=0.5,length=64,sequences=64}]"],
    "half the batch": ["phases=[{length=64,sequences=32}]"],
    "twice the batch": ["phases=[{length=64,sequences=128}]"],
    "batch that grows": [
        "phases=[{share=0.3,length=64,sequences=32},{share=0.7,length=64,sequences=64}]",
    ],
    # Optimiser
    "half the learning rate": ["optim.lr=2e-3"],
    "twice the learning rate": ["optim.lr=8e-3"],
    "Muon": ["optim.name=muon", "optim.matrix_lr=4e-3"],
    "averaged weights": ["optim.average=0.98"],
    "trapezoid": ["schedule.shape=trapezoid", "schedule.decay=0.4"],
    "cosine": ["schedule.shape=cosine"],
    "warm-up 10 %": ["schedule.warmup=0.1"],
    "fp32": ["precision=fp32"],
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="wikitext2", choices=["wikitext2", "raw_pt"])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[], help="variants whose names contain one of these")
    parser.add_argument("--base", nargs="+", default=[], help="settings to change in all variants")
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    chosen = {
        name: settings
        for name, settings in VARIANTS.items()
        if name == "as it is" or not arguments.only or any(word in name for word in arguments.only)
    }
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as temporary:
        work = (arguments.work or Path(temporary)) / arguments.data
        prepare(arguments.data, work)
        losses = measure(chosen, arguments, work)
    show(losses, arguments)


def measure(variants: dict[str, list[str]], arguments: argparse.Namespace, work: Path) -> dict:
    """Return the final held-out losses of each variant, one for every seed."""
    file = work / "ablation.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    losses: dict[str, list[float]] = {name: [] for name in variants}
    for seed in range(arguments.seeds):
        for name, settings in variants.items():
            every = [*arguments.base, *settings, f"seed={seed}"]
            key = json.dumps([arguments.seconds, *every])
            if key not in known:
                found = run(
                    kind="fast",
                    work=work / "",
                    recipe="fast",
                    settings=every,
                    minutes=arguments.seconds / 60,
                    target=0.0,
                    times=3,
                )
                known[key] = found["loss"]
                file.write_text(json.dumps(known, indent=1))
                say(
                    f"seed {seed}  {name:<30} {found['loss']:.3f}  {found['tokens_per_second']:,.0f} tokens/s"
                )
            losses[name].append(known[key])
    return losses


def show(losses: dict[str, list[float]], arguments: argparse.Namespace) -> None:
    print(
        f"\n{arguments.data}, {arguments.seconds:g} s a trial, {arguments.seeds} seeds: held-out masked-LM "
        "loss and its difference from the recipe (positive: worse)\n"
    )
    print("| variant | loss | difference |\n|---|---|---|")
    recipe = losses["as it is"]
    for name, found in losses.items():
        mean = statistics.mean(found)
        apart = [one - other for one, other in zip(found, recipe, strict=True)]
        print(f"| {name} | {mean:.3f} | {'' if name == 'as it is' else with_interval(apart)} |")


def with_interval(values: list[float]) -> str:
    mean = statistics.mean(values)
    if len(values) < 2:
        return f"{mean:+.3f}"
    from scipy.stats import t

    half = t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:+.3f} ± {half:.3f}"


if __name__ == "__main__":
    main()
