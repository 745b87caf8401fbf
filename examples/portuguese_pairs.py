"""Entailment in Portuguese with an encoder of one's own: from raw text to the table of the pair lab.

    AMBOS_DATA=... python examples/portuguese_pairs.py --work DIR [--tokens 14000000] [--seeds 3]

A small encoder is pretrained on Portuguese novels and news (`raw_pt`), and on the sentences of the training
rows of ASSIN, ASSIN2 and STS-B in Portuguese, without their labels: novels of the 19th century have no
guitars. The two sentences of a row make one document, so that masked words can be found in the other
sentence. No row of a dev or test set is read. Then `ambos pairs compare` trains the schemes on ASSIN2, beside
linear models of shared words and TF-IDF. With the same --work, a second call makes only what is missing, and
goes on with what was interrupted.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from steps import ambos, done

PAIRS = ("assin", "assin2", "stsb_pt")
TIMES = 3  # the few sentences of pairs are read so many times as often as the novels


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for the encoder and the runs")
    parser.add_argument("--tokens", type=int, default=14_000_000, help="of pretraining")
    parser.add_argument("--seeds", type=int, help="of each scheme, 2 or more; one run each by default")
    parser.add_argument("--schemes", nargs="+", default=["joint", "combined", "attention"])
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    data, work = Path(os.environ["AMBOS_DATA"]), arguments.work
    work.mkdir(parents=True, exist_ok=True)
    encoder, lab = work / f"encoder-{arguments.tokens}", work / f"lab-{arguments.tokens}"
    if not done(encoder):
        texts = write_pairs(data, work)
        ambos(
            *("pretrain", data / "raw_pt" / "train.txt", *texts, "--recipe", "fast"),
            *("--set", "tokenizer.vocab_size=12000", "--set", "model.depth=4"),
            *("--tokens", arguments.tokens, "--out", encoder),
        )
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


def write_pairs(data: Path, work: Path) -> list[Path]:
    """Write the sentences of training rows, a document for each row."""
    rows = []
    for name in PAIRS:
        for line in (data / name / "train.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.append(f"{row['text_a']}\n{row['text_b']}\n")
    files = [work / f"pairs-{number}.txt" for number in range(TIMES)]
    for file in files:
        file.write_text("\n".join(rows), encoding="utf-8")
    return files


if __name__ == "__main__":
    main()
