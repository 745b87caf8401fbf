"""Does next-sentence prediction help with pairs? The same budget with three objectives, then real pairs.

    AMBOS_DATA=... python examples/nsp_transfer.py --work DIR [--tokens 8000000] [--seeds 3] [--epochs 3]

Three encoders of one shape for each language, from the same text, tokenizer and number of tokens: masked
words alone (MLM), with next sentences (MLM+NSP, as BERT), with the order of sentences (MLM+SOP, as ALBERT).
All three read pairs of segments, so that only the objective differs; those of MLM always follow each other.
Each is fine-tuned on pairs, read jointly, with several seeds: paraphrase (MRPC), entailment (RTE, SNLI; in
Portuguese ASSIN2), and coherence (does the second sentence follow the first, or is it another of the same
document? made here of held-out text). Figures are means over seeds with 95 % intervals (Student's t); the
differences from MLM are taken seed by seed. Beside them stands what the commonest label of the test pairs
would reach: less tells nothing of the texts. Seeds are of fine-tuning: every encoder is pretrained once, so
that intervals say nothing of another pretraining. What the heads of pretraining say of coherence without any
fine-tuning stands beside them. With the same --work, a second call makes only what is missing, and goes on
with what was interrupted.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from steps import ambos, done

from ambos.evaluate.estimate import wilson
from ambos.evaluate.spread import Spread
from ambos.predict.model import load
from ambos.text.sentences import split_sentences

TEXTS = {"en": ["wikitext2"], "pt": ["raw_pt"]}
OBJECTIVES = {
    "MLM": ["objectives.next=0"],
    "MLM+NSP": [],
    "MLM+SOP": ["objectives.next=0", "objectives.order=1.0"],
}
TASKS = {  # name -> language, the options that name labels, most training rows
    "mrpc": ("en", [], 4000),
    "rte": ("en", [], 4000),
    "snli": ("en", [], 6000),
    "coherence_en": ("en", [], 4000),
    "assin2": ("pt", ["--label", "label"], 7000),
    "coherence_pt": ("pt", [], 4000),
}
TESTED = 2500  # test rows at most, the first ones


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for encoders, data and runs")
    parser.add_argument("--tokens", type=int, default=8_000_000, help="of pretraining, for each encoder")
    parser.add_argument("--preset", default="bert-tiny")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    data = Path(os.environ["AMBOS_DATA"])
    languages = {TASKS[task][0] for task in arguments.tasks}
    for language in sorted(languages):
        write_coherence(data / TEXTS[language][0], arguments.work / f"coherence_{language}")
        for name, settings in OBJECTIVES.items():
            pretrain(data, language, name, settings, arguments)
    rows = {task: tune(data, task, arguments) for task in arguments.tasks}
    show(rows, arguments)


def write_coherence(texts: Path, folder: Path) -> None:
    """Make pairs of held-out sentences: neighbours, or two of the same document that are not."""
    folder.mkdir(parents=True, exist_ok=True)
    held, tested = (
        (texts / file).read_text(encoding="utf-8").split("\n\n") for file in ("dev.txt", "test.txt")
    )
    for split, documents, most in (("train", held[5:], 4000), ("dev", held[:5], 500), ("test", tested, 2000)):
        draw = np.random.default_rng(0)
        rows = [row for document in documents for row in pairs_of(document, draw)]
        order = draw.permutation(len(rows))[:most]
        lines = [json.dumps(rows[place], ensure_ascii=False) for place in order]
        (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def pairs_of(document: str, draw: np.random.Generator) -> Iterator[dict[str, str]]:
    """Yield a pair for every sentence of a document but the last: with the next one, or with one far away."""
    sentences = [line[a:b].strip() for line in document.splitlines() for a, b in split_sentences(line)]
    sentences = [one for one in sentences if len(one.split()) >= 4]
    for place in range(len(sentences) - 1):
        follows = bool(draw.integers(2))
        far = [other for other in range(len(sentences)) if abs(other - place) > 2]
        if not follows and not far:
            continue
        second = sentences[place + 1] if follows else sentences[draw.choice(far)]
        yield {"text_a": sentences[place], "text_b": second, "label": "next" if follows else "other"}


def pretrain(
    data: Path, language: str, name: str, settings: list[str], arguments: argparse.Namespace
) -> None:
    out = encoder(arguments, language, name)
    if done(out):
        return
    tokenizer = arguments.work / f"tokenizer-{language}"
    texts = [str(data / one / "train.txt") for one in TEXTS[language]]
    if not tokenizer.exists():
        ambos("tokenizer", "train", *texts, "--vocab-size", "16000", "--out", tokenizer)
    changes = [*settings, "optim.lr=1e-3", "phases=[{length=128,sequences=32}]"]
    ambos(
        *("pretrain", *texts, "--recipe", "bert", "--preset", arguments.preset, "--tokenizer", tokenizer),
        *("--tokens", arguments.tokens, "--out", out),
        *(word for change in changes for word in ("--set", change)),
    )


def tune(data: Path, task: str, arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Fine-tune the three encoders on a task; return the test accuracy of every seed."""
    language, options, most = TASKS[task]
    folder = arguments.work / task if task.startswith("coherence") else data / task
    train, test = (arguments.work / f"{task}-{split}.jsonl" for split in ("train", "test"))
    for file, split, rows in ((train, "train", most), (test, "test", TESTED)):
        lines = (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()[:rows]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = {}
    for name in OBJECTIVES:
        base = encoder(arguments, language, name)
        out = arguments.work / "tuned" / f"{task}-{base.name}-{arguments.seeds}x{arguments.epochs:g}"
        if not done(out):
            ambos(
                *("finetune", "pair", "--train", train, "--dev", folder / "dev.jsonl"),
                *("--test", test, "--base", base),
                *("--scheme", "joint", "--seeds", arguments.seeds, "--epochs", arguments.epochs, *options),
                *("--set", "checks.rows=0", "--set", "checks.sequences=0", "--out", out),
            )
        members = json.loads((out / "run.json").read_text())["members"]
        found[name] = [one["figures"]["test"]["accuracy"]["value"] for one in members]
    return found


def show(rows: dict[str, dict[str, list[float]]], arguments: argparse.Namespace) -> None:
    print(f"\nTest accuracy, {arguments.tokens:,} tokens of pretraining, {arguments.seeds} seeds\n")
    print("| pairs | commonest label | " + " | ".join(OBJECTIVES) + " | NSP - MLM | SOP - MLM |")
    print("|---|" + "---|" * (len(OBJECTIVES) + 3))
    for task, found in rows.items():
        cells = [f"{commonest(task, arguments):.3f}", *map(with_interval, found.values())]
        for name in ("MLM+NSP", "MLM+SOP"):
            apart = np.subtract(found[name], found["MLM"]).tolist()
            cells.append(with_interval(apart, "+"))
        print(f"| {task} | " + " | ".join(cells) + " |")
    print("\nCoherence without fine-tuning, by the head of pretraining:\n")
    for task in rows:
        if task.startswith("coherence"):
            for name in ("MLM+NSP", "MLM+SOP"):
                print(f"- {task}, {name}: {untrained(task, name, arguments)}")


def commonest(task: str, arguments: argparse.Namespace) -> float:
    """Return the share of the test pairs that have their commonest label."""
    lines = (arguments.work / f"{task}-test.jsonl").read_text(encoding="utf-8").splitlines()
    counts = Counter(json.loads(line)["label"] for line in lines)
    return max(counts.values()) / counts.total()


def untrained(task: str, name: str, arguments: argparse.Namespace) -> str:
    lines = (arguments.work / task / "test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    model = load(encoder(arguments, TASKS[task][0], name))
    chances = np.array(model.coherence([(row["text_a"], row["text_b"]) for row in rows]))
    right = float(((chances > 0.5) == [row["label"] == "next" for row in rows]).mean())
    low, high = wilson(right, len(rows))
    return f"{right:.3f} (95 % interval {low:.3f} to {high:.3f})"


def with_interval(values: list[float], sign: str = "") -> str:
    if len(values) < 2:
        return f"{values[0]:{sign}.3f}"
    spread = Spread.of(values)
    return f"{spread.mean:{sign}.3f} ± {spread.high - spread.mean:.3f}"


def encoder(arguments: argparse.Namespace, language: str, name: str) -> Path:
    """Return the folder of an encoder; what it was made with is in its name."""
    return arguments.work / "encoders" / f"{language}-{name}-{arguments.preset}-{arguments.tokens}"


if __name__ == "__main__":
    main()
