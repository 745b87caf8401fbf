"""Entailment in Portuguese with an encoder of one's own: from raw text to the table of the pair lab.

    AMBOS_DATA=... python examples/portuguese_pairs.py --work DIR [--tokens 9700000] [--seeds 3]

A small encoder is pretrained on Portuguese novels and news (`raw_pt`) with the recipe `fast`. Then `ambos
pairs compare` trains the schemes on ASSIN2, beside linear models of shared words and TF-IDF. With the same
--work, a second call makes only what is missing, and goes on with what was interrupted.
"""

import argparse
import os
import sys
from pathlib import Path

from steps import ambos, done


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for the encoder and the runs")
    parser.add_argument("--tokens", type=int, default=9_700_000, help="of pretraining")
    parser.add_argument("--seeds", type=int, help="of each scheme, 2 or more; one run each by default")
    parser.add_argument("--schemes", nargs="+", default=["joint", "combined", "attention"])
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    data, work = Path(os.environ["AMBOS_DATA"]), arguments.work
    work.mkdir(parents=True, exist_ok=True)
    encoder = work / f"encoder-{arguments.tokens}"
    lab = work / f"lab-{arguments.tokens}{f'-{arguments.seeds}-seeds' if arguments.seeds else ''}"
    if not done(encoder):
        texts = data / "raw_pt" / "train.txt"
        ambos("pretrain", texts, "--recipe", "fast", "--tokens", arguments.tokens, "--out", encoder)
    rows = [
        word
        for split in ("train", "dev", "test")
        for word in (f"--{split}", data / "assin2" / f"{split}.jsonl")
    ]
    ambos(
        *("pairs", "compare", *rows, "--label", "label", "--base", encoder),
        *("--schemes", ",".join(arguments.schemes), "--out", lab),
        *(("--seeds", arguments.seeds) if arguments.seeds else ()),
    )


if __name__ == "__main__":
    main()
