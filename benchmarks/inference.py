"""Encoding texts: ambos beside transformers, sentence-transformers, ONNX Runtime, OpenVINO and CTranslate2.

    AMBOS_DATA=... python benchmarks/inference.py [--models minilm bert-base] [--texts 600] [--runs 3]

Real texts of mixed lengths (STS-B sentences, AG News items, SQuAD paragraphs, a third each), cut at 256
tokens, in fp32 on all cores. The whole way is timed: tokenising, encoding, pooling to mean vectors.

    as called  texts as they come, in padded batches of 32; ambos and sentence-transformers, which sort by
               themselves, get the list
    sorted     peers get texts sorted by length, in batches of the size that suits each best in a trial
    lanes      as sorted, and peers are driven as ambos drives itself: as many batches at once as there are
               cores, each on one core, by threads of the caller or by the engine's own setting for it
    stream     32 texts at a time as they come, each group answered before the next
    single     one text at a time

Engines take turns, so that a slow moment of the machine meets all; the best run counts. `limit` is the share
of the speed that the machine's matrix products alone would allow for the model's linear layers on the real
tokens. Every engine's vectors are compared with those of transformers.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

ENGINES = ("ambos", "transformers", "sentence-transformers", "ONNX Runtime", "OpenVINO", "CTranslate2")
LANES = {"transformers", "ONNX Runtime", "OpenVINO", "CTranslate2"}
MODES = ("as called", "sorted", "lanes", "stream", "single")
SIZES = (4, 8, 16, 32)
LIMIT = 256


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models", nargs="+", default=["minilm", "bert-base"], choices=["minilm", "bert-base"]
    )
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES)
    parser.add_argument("--texts", type=int, default=600, help="a tenth of them for bert-base")
    parser.add_argument("--runs", type=int, default=3, help="repetitions; the best counts")
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true", "TRANSFORMERS_VERBOSITY": "error"}
    console = Console(stderr=True)
    results = []
    for model in arguments.models:
        count = arguments.texts if model == "minilm" else max(30, arguments.texts // 10)
        with tempfile.TemporaryDirectory(prefix="ambos-bench-") as name:
            results.append(compare(model, count, arguments, Path(name), console))
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        for result in results:
            show(result)


def mixed_texts(data: Path, count: int) -> list[str]:
    """Return texts of three kinds in equal parts, shuffled."""
    pairs = [json.loads(line) for line in (data / "stsb_en" / "test.jsonl").open()]
    sentences = [pair[key] for pair in pairs for key in ("text_a", "text_b")]
    news = [json.loads(line)["text"] for line in (data / "ag_news" / "test.jsonl").open()]
    squad = json.loads((data / "squad" / "test.json").read_text())["data"]
    paragraphs = [paragraph["context"] for article in squad for paragraph in article["paragraphs"]]
    chance = random.Random(0)
    chosen = [text for kind in (sentences, news, paragraphs) for text in chance.sample(kind, count // 3)]
    chance.shuffle(chosen)
    return chosen


def prepare(model: str, work: Path) -> Path:
    """Write the model as a folder, and for the peers that need another format, in it."""
    from ambos.bundle.bundle import Bundle
    from ambos.encoder.presets import preset

    bundle = Bundle.load("minilm")
    bundle.sentence = None
    if model != "minilm":
        bundle = Bundle.new(preset(model).encoder, bundle.tokenizer, pooler=True)
    bundle.save(work / "model")
    return work / "model"


def convert(folder: Path, work: Path) -> None:
    """Export to ONNX and to CTranslate2.

    ONNX Runtime fuses what it can when it opens the file. Its offline optimiser, which fuses attention too,
    gave models that were 5 to 9 % slower on long batches here, so the plain export is what it gets.
    """
    import ctranslate2
    import torch
    from transformers import AutoModel

    class Hidden(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state

    hidden = Hidden()
    ids = torch.ones(2, 16, dtype=torch.long)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        hidden,
        (ids, ids, torch.zeros_like(ids)),
        str(work / "model.onnx"),
        input_names=names,
        output_names=["hidden"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in [*names, "hidden"]},
        opset_version=17,
        dynamo=False,
    )
    # CTranslate2 asks for a setting that transformers 5 no longer has.
    settings = {"position_embedding_type": "absolute"} | json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings, indent=2))
    ctranslate2.converters.TransformersConverter(str(folder)).convert(str(work / "ctranslate2"))


class Engine:
    """One engine in a process of its own."""

    def __init__(self, name: str, variant: str, folder: Path, work: Path, texts: Path) -> None:
        script = Path(__file__).with_name("engines.py")
        command = [sys.executable, script, name, variant, folder, work, texts]
        self.name, self.variant, self.size = name, variant, 32
        self.log = (work / f"{name}-{variant}.log").open("w")
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        self.sizes = self._answer()["sizes"]
        self.peak = 0.0

    def _answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended: {Path(self.log.name).read_text()[-2000:]}")
        return json.loads(line)

    def seconds(self, mode: str, count: int, size: int | None = None, save: Path | None = None) -> float:
        order = {"mode": mode, "count": count, "size": size or self.size, "save": str(save) if save else None}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        self.peak = max(self.peak, answer["peak"])
        return answer["seconds"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def gemm_rate(width: int, inner: int) -> float:
    """Return this machine's best fp32 rate on the model's own matrix products, in operations a second."""
    import torch

    best = 0.0
    shapes = [(width, 3 * width), (width, width), (width, inner), (inner, width)]
    operations = sum(2 * 1024 * inputs * outputs for inputs, outputs in shapes)
    layers = [(torch.randn(1024, inputs), torch.randn(outputs, inputs).t()) for inputs, outputs in shapes]
    for _ in range(30):
        begin = time.perf_counter()
        for rows, weight in layers:
            rows @ weight
        best = max(best, operations / (time.perf_counter() - begin))
    return best


def compare(model: str, count: int, arguments: argparse.Namespace, work: Path, console: Console) -> dict:
    console.print(f"{model}: preparing")
    folder = prepare(model, work)
    convert(folder, work)
    texts = mixed_texts(Path(os.environ["AMBOS_DATA"]), count)
    (work / "texts.json").write_text(json.dumps(texts))
    config = json.loads((folder / "config.json").read_text())
    tokens = count_tokens(folder, texts)
    width, inner = config["hidden_size"], config["intermediate_size"]
    products = 2 * sum(tokens) * config["num_hidden_layers"] * (4 * width * width + 2 * width * inner)
    rates = [gemm_rate(width, inner)]

    engines = {}
    for name in arguments.engines:
        for variant in ("cores", "lanes") if name in LANES else ("cores",):
            console.print(f"{model}: starting {name} ({variant})")
            engines[name, variant] = Engine(name, variant, folder, work, work / "texts.json")
    best = {key: tune(engine, len(texts), console) for key, engine in engines.items()}
    rows = []
    for mode in arguments.modes:
        wanted = "lanes" if mode == "lanes" else "cores"
        chosen = [
            engine for (name, variant), engine in engines.items() if variant == wanted or name == "ambos"
        ]
        some = len(texts) if mode != "single" else max(30, len(texts) // 4)
        found: dict[str, list[float]] = {engine.name: [] for engine in chosen}
        for run in range(arguments.runs):
            console.print(f"{model}: {mode}, run {run + 1} of {arguments.runs}")
            for engine in chosen:
                size = best[engine.name, engine.variant] if mode in {"sorted", "lanes"} else 32
                save = work / f"{engine.name}.npy" if mode == arguments.modes[0] and run == 0 else None
                order = {"as called": "batch", "lanes": "sorted"}.get(mode, mode)
                found[engine.name].append(engine.seconds(order, some, size, save))
        for engine in chosen:
            seconds = min(found[engine.name])
            size = {"stream": 32, "single": 1, "as called": 32}.get(mode, best[engine.name, engine.variant])
            rows.append(
                {
                    "mode": mode,
                    "engine": engine.name,
                    "batch": size if engine.sizes or engine.name != "ambos" else None,
                    "texts_per_second": some / seconds,
                    "tokens_per_second": sum(tokens[:some]) / seconds,
                    "spread": max(found[engine.name]) / seconds - 1,
                    "rate": products / sum(tokens) * sum(tokens[:some]) / seconds,
                    "peak_mb": engine.peak,
                }
            )
    rates.append(gemm_rate(width, inner))
    for engine in engines.values():
        engine.close()
    reference = np.load(work / "transformers.npy") if "transformers" in arguments.engines else None
    for row in rows:
        row["limit"] = row.pop("rate") / max(rates)
        if reference is not None:
            row["difference"] = float(np.abs(np.load(work / f"{row['engine']}.npy") - reference).max())
    return {
        "model": model,
        "texts": len(texts),
        "tokens": sum(tokens),
        "quartiles": [int(value) for value in np.percentile(tokens, [0, 25, 50, 75, 100])],
        "gemm_gflops": [rate / 1e9 for rate in rates],
        "rows": rows,
    }


def count_tokens(folder: Path, texts: list[str]) -> list[int]:
    from ambos.text.tokenizer import Tokenizer

    return [min(len(ids), LIMIT) for ids in Tokenizer.load(folder).ids_batch(texts)]


def tune(engine: Engine, count: int, console: Console) -> int:
    """Find the batch size that suits an engine best on sorted texts."""
    engine.seconds("sorted", count // 4)  # warm up
    trials = {size: engine.seconds("sorted", count // 2, size) for size in (SIZES if engine.sizes else (32,))}
    best = min(trials, key=trials.get)
    if engine.sizes:
        console.print(f"{engine.name} ({engine.variant}): best sorted in batches of {best}")
    return best


def show(result: dict) -> None:
    quartiles = ", ".join(map(str, result["quartiles"]))
    rates = " and ".join(f"{rate:.0f}" for rate in result["gemm_gflops"])
    table = Table(
        title=f"{result['model']}: {result['texts']} texts, {result['tokens']:,} tokens (quartiles of length "
        f"{quartiles}); matrix products {rates} GFLOP/s before and after",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    heads = (
        "mode",
        "engine",
        "batch",
        "texts/s",
        "tokens/s",
        "limit",
        "ambos is",
        "spread",
        "peak MB",
        "differs",
    )
    for head in heads:
        table.add_column(head, justify="left" if head in {"mode", "engine"} else "right")
    ours = {row["mode"]: row["texts_per_second"] for row in result["rows"] if row["engine"] == "ambos"}
    modes = list(dict.fromkeys(row["mode"] for row in result["rows"]))
    for row in sorted(result["rows"], key=lambda row: (modes.index(row["mode"]), -row["texts_per_second"])):
        own = ours.get(row["mode"])
        table.add_row(
            row["mode"],
            row["engine"],
            str(row["batch"] or ""),
            f"{row['texts_per_second']:.1f}",
            f"{row['tokens_per_second']:,.0f}",
            f"{row['limit']:.0%}",
            "" if row["engine"] == "ambos" or own is None else f"{own / row['texts_per_second']:.2f}x",
            f"{row['spread']:.0%}",
            f"{row['peak_mb']:,.0f}",
            f"{row['difference']:.0e}" if "difference" in row else "",
        )
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
