"""Building the token store: throughput beside `datasets.map`, peak memory on 1 GB, and how time grows.

    AMBOS_DATA=... python benchmarks/corpus.py [--growth-mb 250] [--runs 3] [--json]

The comparison is on real text as it is (raw_pt and raw_en, 30 MB). For growth and memory it is repeated, with
a number before every document, so that no document is a duplicate. `datasets.map` is called as its
documentation says, batched, with a fast tokenizer, once with the tokenizer's own threads and once with two
processes; the faster of the two counts. It only tokenises rows that are in memory-mapped Arrow already; ambos
also reads and decodes the files, splits sentences, drops duplicates and writes the checked store.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

KINDS = ("wordpiece", "unigram", "bpe")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--growth-mb", type=int, default=250, help="1x of the growth; 4x is for peak memory")
    parser.add_argument("--runs", type=int, default=3, help="repetitions; the best counts")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    data = Path(os.environ["AMBOS_DATA"])
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as name:
        work = Path(name)
        texts = work / "compare.txt"
        texts.write_text(
            "\n\n".join((data / f"raw_{code}" / "train.txt").read_text() for code in ("pt", "en"))
        )
        tokenizers = {kind: train(data, kind, work) for kind in arguments.kinds}
        results: dict[str, object] = {
            "cores": os.cpu_count(),
            "throughput": throughput(texts, tokenizers, arguments.runs, work, console),
            "growth": growth(data, tokenizers[arguments.kinds[0]], arguments.growth_mb, work, console),
        }
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        show(results)


def repeat(data: Path, file: Path, megabytes: int) -> Path:
    """Write about so many MB of numbered copies of the real documents."""
    documents = [
        document
        for language in ("pt", "en")
        for document in (data / f"raw_{language}" / "train.txt").read_text().split("\n\n")
    ]
    left = megabytes * 1_000_000
    number = 0
    with file.open("w") as out:
        while left > 0:
            text = f"{number}. {documents[number % len(documents)]}\n\n"
            out.write(text)
            left -= len(text.encode())
            number += 1
    return file


def ambos(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ambos.cli.app", *map(str, arguments), "--quiet"]


def train(data: Path, kind: str, work: Path) -> Path:
    out = work / f"tokenizer-{kind}"
    corpus = [data / "raw_pt" / "train.txt", data / "raw_en" / "dev.txt"]
    subprocess.run(
        ambos("tokenizer", "train", *corpus, "--kind", kind, "--vocab-size", 30_000, "-o", out), check=True
    )
    return out


def build(texts: Path, tokenizer: Path, out: Path) -> float:
    """Run the real command from start to finish; return seconds."""
    shutil.rmtree(out, ignore_errors=True)
    begin = time.perf_counter()
    subprocess.run(ambos("corpus", "build", texts, "--tokenizer", tokenizer, "--out", out), check=True)
    return time.perf_counter() - begin


RIVAL = """
import json, sys, time
import datasets, transformers
datasets.disable_progress_bars()
texts, folder, processes, cache = sys.argv[1:]
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
rows = datasets.load_dataset("text", data_files=texts, cache_dir=cache, split="train")

def tokenise(batch):
    return tokenizer(
        batch["text"], add_special_tokens=False, return_attention_mask=False, return_token_type_ids=False
    )

begin = time.perf_counter()
options = {"batched": True, "remove_columns": ["text"], "load_from_cache_file": False}
result = rows.map(tokenise, num_proc=int(processes) or None, **options)
print(json.dumps({"seconds": time.perf_counter() - begin, "rows": len(result)}))
"""


def rival(texts: Path, tokenizer: Path, processes: int, work: Path) -> float:
    """Return the seconds of `datasets.map` alone."""
    environment = {
        **os.environ,
        "TOKENIZERS_PARALLELISM": "false" if processes else "true",
        "HF_HUB_OFFLINE": "1",
    }
    command = [sys.executable, "-c", RIVAL, str(texts), str(tokenizer), str(processes), str(work / "cache")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


def throughput(
    texts: Path, tokenizers: dict[str, Path], runs: int, work: Path, console: Console
) -> list[dict[str, object]]:
    size = texts.stat().st_size / 1e6
    rows: list[dict[str, object]] = []
    for kind, tokenizer in tokenizers.items():
        seconds: dict[str, list[float]] = {"ambos": [], "threads": [], "processes": []}
        for run in range(runs):  # in turns, so that a slow moment of the machine meets all of them
            console.print(f"{kind}: run {run + 1} of {runs}")
            seconds["ambos"].append(build(texts, tokenizer, work / "store"))
            seconds["threads"].append(rival(texts, tokenizer, 0, work))
            seconds["processes"].append(rival(texts, tokenizer, 2, work))
        best = {name: min(values) for name, values in seconds.items()}
        peer = min(best["threads"], best["processes"])
        rows.append(
            {
                "kind": kind,
                "mb": size,
                "ambos_mb_s": size / best["ambos"],
                "datasets_threads_mb_s": size / best["threads"],
                "datasets_processes_mb_s": size / best["processes"],
                "ratio": peer / best["ambos"],
                "seconds": seconds,
            }
        )
    return rows


def growth(
    data: Path, tokenizer: Path, megabytes: int, work: Path, console: Console
) -> list[dict[str, float]]:
    """Build 1x, 2x and 4x the corpus; time and peak memory of each."""
    rows: list[dict[str, float]] = []
    for factor in (1, 2, 4):
        console.print(f"growth: {factor}x")
        row = measure(data, tokenizer, megabytes * factor, work)
        first = rows[0] if rows else row
        row["against_linear"] = first["mb_s"] / row["mb_s"]
        rows.append(row)
    return rows


def measure(data: Path, tokenizer: Path, megabytes: int, work: Path) -> dict[str, float]:
    """Return time and peak over all processes of a build: resident, and with shared pages counted once."""
    shutil.rmtree(work / "memory", ignore_errors=True)
    texts = repeat(data, work / "memory.txt", megabytes)
    peak = {"rss": 0, "pss": 0}
    process = subprocess.Popen(
        ambos("corpus", "build", texts, "--tokenizer", tokenizer, "--out", work / "memory")
    )
    done = threading.Event()

    def watch() -> None:
        root = psutil.Process(process.pid)
        while not done.wait(0.25):
            sums = {"rss": 0, "pss": 0}
            try:
                for each in (root, *root.children(recursive=True)):
                    figures = each.memory_full_info()
                    sums["rss"] += figures.rss
                    sums["pss"] += figures.pss
            except psutil.Error:
                continue
            for name, value in sums.items():
                peak[name] = max(peak[name], value)

    watcher = threading.Thread(target=watch)
    begin = time.perf_counter()
    watcher.start()
    code = process.wait()
    seconds = time.perf_counter() - begin
    done.set()
    watcher.join()
    if code:
        raise SystemExit(f"the build ended with {code}")
    size = texts.stat().st_size / 1e6
    texts.unlink()
    return {
        "mb": size,
        "seconds": seconds,
        "mb_s": size / seconds,
        "peak_rss_mb": peak["rss"] / 1e6,
        "peak_pss_mb": peak["pss"] / 1e6,
    }


def show(results: dict[str, object]) -> None:
    console = Console()
    table = Table(title="Text to token store, MB of text a second (best of the runs)", box=None)
    for column in ("tokenizer", "ambos", "datasets, threads", "datasets, 2 processes", "ratio to the faster"):
        table.add_column(column, justify="right")
    for row in results["throughput"]:
        table.add_row(
            row["kind"],
            f"{row['ambos_mb_s']:.1f}",
            f"{row['datasets_threads_mb_s']:.1f}",
            f"{row['datasets_processes_mb_s']:.1f}",
            f"{row['ratio']:.1f}x",
        )
    console.print(table)
    table = Table(title="Growth; peak memory of all processes (shared pages counted once)", box=None)
    for column in ("MB", "seconds", "MB/s", "against linear", "resident MB"):
        table.add_column(column, justify="right")
    for row in results["growth"]:
        table.add_row(
            f"{row['mb']:.0f}",
            f"{row['seconds']:.1f}",
            f"{row['mb_s']:.1f}",
            f"{row['against_linear']:.2f}",
            f"{row['peak_rss_mb']:.0f} ({row['peak_pss_mb']:.0f})",
        )
    console.print(table)


if __name__ == "__main__":
    main()
