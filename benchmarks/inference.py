"""Encoding texts: ambos beside transformers, sentence-transformers, ONNX Runtime, OpenVINO and CTranslate2.

    AMBOS_DATA=... python benchmarks/inference.py [--models minilm bert-base] [--texts 600] [--runs 3] [--json]

Real texts of mixed lengths (STS-B sentences, AG News items, SQuAD paragraphs, a third each), cut at 256 tokens,
in fp32 on all cores. The whole way is timed: tokenising, encoding, pooling to mean vectors.

    as called  texts as they come: transformers in padded batches of 32; the others the same; ambos and
               sentence-transformers, which sort by themselves, get the list
    sorted     peers get texts sorted by length, at the batch size and with the division of cores (all on one
               batch, or a batch each) that suit each best in a trial
    stream     32 texts at a time as they come, each group answered before the next
    single     one text at a time

Engines take turns, so that a slow moment of the machine meets all; the best run counts. `limit` is the share of
what the machine's matrix products alone would take for the model's linear layers on the real tokens. Every
engine's vectors are compared with those of transformers.
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
SORTS_ITSELF = {"ambos", "sentence-transformers"}
SIZES = (4, 8, 16, 32)
LIMIT = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["minilm", "bert-base"], choices=["minilm", "bert-base"])
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES)
    parser.add_argument("--texts", type=int, default=600, help="a tenth of them for bert-base")
    parser.add_argument("--runs", type=int, default=3, help="repetitions; the best counts")
    parser.add_argument("--modes", nargs="+", default=["as called", "sorted", "stream", "single"])
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
    """Export to ONNX, plain and with ONNX Runtime's own fusions, and to CTranslate2."""
    import ctranslate2
    import torch
    from onnxruntime.transformers import optimizer
    from transformers import AutoModel

    class Hidden(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            # ONNX Runtime fuses eager attention with a mask of two dimensions; a ready bias keeps it from that.
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
        str(work / "plain.onnx"),
        input_names=names,
        output_names=["hidden"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in [*names, "hidden"]},
        opset_version=17,
        dynamo=False,
    )
    config = hidden.model.config
    fused = optimizer.optimize_model(
        str(work / "plain.onnx"),
        model_type="bert",
        num_heads=config.num_attention_heads,
        hidden_size=config.hidden_size,
        opt_level=1,
        use_gpu=False,
    )
    found = fused.get_fused_operator_statistics()
    if found["Attention"] != config.num_hidden_layers:
        sys.exit(f"ONNX Runtime did not fuse attention: {found}")
    fused.save_model_to_file(str(work / "fused.onnx"))
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
    """Return the best fp32 rate of this machine on the model's own matrix products, in operations a second."""
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
        variants = ["cores"] if name in {"ambos", "transformers", "sentence-transformers"} else ["cores", "lanes"]
        for variant in variants:
            console.print(f"{model}: starting {name} ({variant})")
            engines[name, variant] = Engine(name, variant, folder, work, work / "texts.json")
    best = {name: tune(name, engines, len(texts), console) for name in arguments.engines}
    rows, reference = [], None
    for mode in arguments.modes:
        chosen = {}
        for name in arguments.engines:
            if mode == "sorted" and name in SORTS_ITSELF:
                continue
            variant, size = best[name] if mode == "sorted" else ("cores", 32)
            chosen[name] = (engines[name, variant], size)
        some = len(texts) if mode != "single" else max(30, len(texts) // 4)
        found: dict[str, list[float]] = {name: [] for name in chosen}
        for run in range(arguments.runs):
            console.print(f"{model}: {mode}, run {run + 1} of {arguments.runs}")
            for name, (engine, size) in chosen.items():
                save = work / f"{name}.npy" if mode == arguments.modes[0] and run == 0 else None
                asked = {"as called": "batch"}.get(mode, mode)
                found[name].append(engine.seconds(asked, some, size, save))
        for name, (engine, size) in chosen.items():
            seconds = min(found[name])
            share = products / len(texts) * some / seconds
            rows.append(
                {
                    "engine": name,
                    "mode": mode,
                    "batch": None if name in SORTS_ITSELF else {"stream": 32, "single": 1}.get(mode, size),
                    "cores": "a batch each" if engine.variant == "lanes" or name == "ambos" else "on one batch",
                    "texts_per_second": some / seconds,
                    "tokens_per_second": sum(tokens[:some]) / seconds,
                    "spread": max(found[name]) / seconds - 1,
                    "rate": share,
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


def tune(name: str, engines: dict, count: int, console: Console) -> tuple[str, int]:
    """Find the division of cores and the batch size that suit a peer best on sorted texts."""
    trials = {}
    for (engine, variant), process in engines.items():
        if engine == name:
            process.seconds("sorted", count // 4)  # warm up
            for size in SIZES if process.sizes else (32,):
                trials[variant, size] = process.seconds("sorted", count // 2, size)
    best = min(trials, key=trials.get)
    console.print(f"{name}: best sorted with {best[0]}, batches of {best[1]}")
    return best


def show(result: dict) -> None:
    quartiles = ", ".join(map(str, result["quartiles"]))
    rates = " and ".join(f"{rate:.0f}" for rate in result["gemm_gflops"])
    table = Table(
        title=f"{result['model']}: {result['texts']} texts, {result['tokens']:,} tokens (quartiles of length {quartiles}); "
        f"matrix products {rates} GFLOP/s before and after",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    heads = ("mode", "engine", "batch", "cores", "texts/s", "tokens/s", "limit", "ambos is", "spread", "peak MB", "difference")
    for head in heads:
        table.add_column(head, justify="left" if head in {"mode", "engine", "cores"} else "right")
    ours = {row["mode"]: row["texts_per_second"] for row in result["rows"] if row["engine"] == "ambos"}
    for row in sorted(result["rows"], key=lambda row: (row["mode"], -row["texts_per_second"])):
        own = ours.get(row["mode"], ours.get("as called"))
        table.add_row(
            row["mode"],
            row["engine"],
            str(row["batch"] or ""),
            row["cores"],
            f"{row['texts_per_second']:.1f}",
            f"{row['tokens_per_second']:,.0f}",
            f"{row['limit']:.0%}",
            "" if row["engine"] == "ambos" or own is None else f"{own / row['texts_per_second']:.2f}x",
            f"{row['spread']:.0%}",
            f"{row['peak_mb']:,.0f}",
            f"{row.get('difference', float('nan')):.0e}",
        )
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
