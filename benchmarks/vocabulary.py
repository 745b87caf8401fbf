"""How large a vocabulary suits the recipe `fast`: the same words hidden from models with other vocabularies.

    AMBOS_DATA=... python benchmarks/vocabulary.py [--seconds 40] [--seeds 3] [--sizes 4000 8000 16000 30000]

Losses per token do not compare across vocabularies: small ones have more tokens, and easier ones. So the
measure is nats per hidden word: in every held-out line some 15 % of the words are hidden, the same words
whatever the vocabulary, all pieces of each; the loss of a word is the sum over its pieces. Every trial gets
the same time on the clock and all cores; the spread is over seeds (Student's t, 95 %).
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

from ablation import with_interval
from pretraining import fast, prepare, run, say

RATE = 0.15
LONGEST = 128  # tokens of a measured line


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="compare", choices=["compare", "worker"])
    parser.add_argument("--data", default="wikitext2", choices=["wikitext2", "raw_pt"])
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sizes", nargs="+", type=int, default=[4000, 8000, 16000, 30000])
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.what == "worker":
        print("RESULT " + json.dumps(trial(**json.loads(arguments.job))))
        return
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    found: dict[int, list[dict]] = {size: [] for size in arguments.sizes}
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as work:
        for seed in range(arguments.seeds):
            for size in arguments.sizes:
                one = run(
                    __file__, data=arguments.data, size=size, seed=seed, seconds=arguments.seconds, work=work
                )
                found[size].append(one)
                say(f"seed {seed}  {size:>6}  {one['nats']:.3f} nats a word  {one['speed']:,.0f} tokens/s")
    largest = found[max(found)]
    print(f"\n{arguments.data}, {arguments.seconds:g} s a trial, {arguments.seeds} seeds\n")
    print("| vocabulary | tokens a word | nats per hidden word | words wholly right | difference |")
    print("|---|---|---|---|---|")
    for size, trials in found.items():
        means = {key: statistics.mean(one[key] for one in trials) for key in trials[0]}
        apart = [one["nats"] - other["nats"] for one, other in zip(trials, largest, strict=True)]
        print(
            f"| {size:,} | {means['fertility']:.2f} | {means['nats']:.3f} | {means['right']:.1%} | "
            f"{'' if trials is largest else with_interval(apart)} |"
        )


def trial(data: str, size: int, seed: int, seconds: float, work: str) -> dict:
    """Pretrain with a vocabulary of so many tokens, then guess the hidden words."""
    prepared, out = Path(work) / str(size), Path(work) / "trained"
    prepare(data, prepared, size)
    done = fast(str(prepared), "fast", [f"seed={seed}"], seconds / 60, target=0.0, times=3, keep=out)
    dev = Path(os.environ["AMBOS_DATA"]) / data / "dev.txt"
    return {**hidden_words(out, dev), "speed": done["tokens_per_second"]}


def hidden_words(bundle: Path, file: Path) -> dict:
    """Hide words of every line, and measure how well they are guessed."""
    import torch

    from ambos.bundle.bundle import Bundle
    from ambos.data.batch import Batch

    model = Bundle.load(bundle)
    tokenizer, head = model.tokenizer, model.network.heads["mlm"]
    mask = tokenizer.special_id("mask")
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    nats, right, words, pieces, all_words = 0.0, 0, 0, 0, 0
    for number, encoded in enumerate(tokenizer.encode_batch(lines)):
        count = 1 + max((word for word in encoded.words if word is not None), default=-1)
        hidden = np.random.default_rng(number).random(count) < RATE
        all_words, pieces = all_words + count, pieces + len(encoded)
        ids = np.array(encoded.ids[:LONGEST])
        places = [at for at, word in enumerate(encoded.words[:LONGEST]) if word is not None and hidden[word]]
        if not places:
            continue
        belongs = np.array([encoded.words[at] for at in places])
        truth = torch.from_numpy(ids[places].copy())
        ids[places] = mask
        with torch.no_grad():
            read = model.network.encoder(Batch.pack([ids.tolist()]), read=torch.tensor(places)).last
            logits = head(read)
        losses = torch.nn.functional.cross_entropy(logits, truth, reduction="none").double()
        wrong = (logits.argmax(-1) != truth).numpy()
        nats += float(losses.sum())
        words += len(set(belongs))
        right += len(set(belongs)) - len(set(belongs[wrong]))
    return {"nats": nats / words, "right": right / words, "fertility": pieces / all_words}


if __name__ == "__main__":
    main()
