"""The engines that `inference.py` compares, each in a process of its own: reads orders, answers with seconds.

Every engine tokenises, encodes, and pools texts into mean vectors. Peers share one way to pad and pool; what
differs is how they are called: `batch` gives texts as they come, `sorted` those of similar length together,
`stream` in groups of 32 that must be answered before the next comes, `single` one at a time.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

LIMIT = 256
USUAL = 32
CORES = os.cpu_count() or 1
Forward = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Padded:
    """A peer that takes a rectangle of ids and a mask, and gives hidden vectors."""

    def __init__(
        self, folder: Path, forward: Forward, lanes: int = 1, prepare: Callable[[], None] | None = None
    ) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LIMIT)
        self.forward = forward
        self.lanes = lanes
        self.prepare = prepare
        self.size = USUAL

    def encode(self, texts: list[str], mode: str) -> np.ndarray:
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch_fast(texts)]
        order = np.arange(len(ids))
        if mode == "sorted":
            order = np.argsort([-len(one) for one in ids], kind="stable")
        groups = [order[start : start + self.size] for start in range(0, len(order), self.size)]
        vectors: list[np.ndarray] = [np.empty(0)] * len(texts)

        def run(group: np.ndarray) -> None:
            for place, vector in zip(group, self.pooled([ids[place] for place in group]), strict=True):
                vectors[place] = vector

        if self.lanes == 1:
            for group in groups:
                run(group)
        else:
            with ThreadPoolExecutor(self.lanes, initializer=self.prepare) as pool:
                list(pool.map(run, groups))
        return np.stack(vectors)

    def pooled(self, ids: list[list[int]]) -> np.ndarray:
        longest = max(map(len, ids))
        table = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros((len(ids), longest), np.int64)
        for row, one in enumerate(ids):
            table[row, : len(one)] = one
            mask[row, : len(one)] = 1
        hidden = self.forward(table, mask)
        weights = mask[:, :, None].astype(np.float32)
        return (hidden * weights).sum(1) / weights.sum(1)


def ambos_engine(folder: Path, _: Path, __: str):
    import ambos

    model = ambos.load(folder, "cpu")
    return lambda texts, _: model.embed(texts, pool="mean", normalize=False, max_length=LIMIT)


def transformers_engine(folder: Path, _: Path, variant: str):
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def as_called(texts: list[str]) -> np.ndarray:
        found = []
        for start in range(0, len(texts), USUAL):
            inputs = tokenizer(
                texts[start : start + USUAL],
                padding=True,
                truncation=True,
                max_length=LIMIT,
                return_tensors="pt",
            )
            with torch.no_grad():
                hidden = model(**inputs).last_hidden_state
            mask = inputs["attention_mask"].unsqueeze(-1)
            found.append(((hidden * mask).sum(1) / mask.sum(1)).numpy())
        return np.concatenate(found)

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            found = model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
            return found.last_hidden_state.numpy()

    lanes = CORES if variant == "lanes" else 1
    padded = Padded(folder, forward, lanes, (lambda: torch.set_num_threads(1)) if lanes > 1 else None)

    def encode(texts: list[str], mode: str) -> np.ndarray:
        return padded.encode(texts, mode) if mode == "sorted" else as_called(texts)

    encode.padded = padded
    return encode


def sentence_transformers_engine(folder: Path, _: Path, __: str):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer

    transformer = Transformer(str(folder), max_seq_length=LIMIT)
    pooling = Pooling(transformer.get_word_embedding_dimension(), pooling_mode="mean")
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu")
    return lambda texts, _: model.encode(texts, batch_size=USUAL, show_progress_bar=False)


def onnxruntime_engine(folder: Path, work: Path, variant: str):
    import onnxruntime

    lanes = CORES if variant == "lanes" else 1
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1 if lanes > 1 else CORES
    session = onnxruntime.InferenceSession(work / "model.onnx", options, providers=["CPUExecutionProvider"])

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return session.run(None, inputs)[0]

    return Padded(folder, forward, lanes).encode


def openvino_engine(folder: Path, work: Path, variant: str):
    import openvino

    lanes = CORES if variant == "lanes" else 1
    hint = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if lanes > 1:
        hint |= {"PERFORMANCE_HINT": "THROUGHPUT", "NUM_STREAMS": str(lanes)}
    compiled = openvino.Core().compile_model(work / "model.onnx", "CPU", hint)
    requests = [compiled.create_infer_request() for _ in range(lanes)]

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        request = requests.pop()
        try:
            found = request.infer([ids, mask, np.zeros_like(ids)])[0]
            return np.array(found)
        finally:
            requests.append(request)

    return Padded(folder, forward, lanes).encode


def ctranslate2_engine(folder: Path, work: Path, variant: str):
    import ctranslate2

    lanes = CORES if variant == "lanes" else 1
    encoder = ctranslate2.Encoder(
        str(work / "ctranslate2"),
        device="cpu",
        compute_type="float32",
        inter_threads=lanes,
        intra_threads=CORES // lanes,
    )

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        rows = [row[:length].tolist() for row, length in zip(ids, mask.sum(1), strict=True)]
        return np.array(encoder.forward_batch(rows).last_hidden_state)

    return Padded(folder, forward, lanes).encode


ENGINES = {
    "ambos": ambos_engine,
    "transformers": transformers_engine,
    "sentence-transformers": sentence_transformers_engine,
    "ONNX Runtime": onnxruntime_engine,
    "OpenVINO": openvino_engine,
    "CTranslate2": ctranslate2_engine,
}


def peak_megabytes() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1000
    return float("nan")


def main() -> None:
    """Read one order per line, {mode, count, size, save}; answer with one line, {seconds, peak}."""
    name, variant, folder, work, texts_file = sys.argv[1:]
    texts = json.loads(Path(texts_file).read_text())
    answers = sys.stdout
    sys.stdout = sys.stderr  # libraries that print must not spoil the answers
    encode = ENGINES[name](Path(folder), Path(work), variant)
    padded = getattr(encode, "__self__", None) or getattr(encode, "padded", None)
    print(json.dumps({"ready": True, "sizes": padded is not None}), file=answers, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        some = texts[: order["count"]]
        if padded is not None:
            padded.size = order["size"]
        begin = time.perf_counter()
        if order["mode"] in {"stream", "single"}:
            step = USUAL if order["mode"] == "stream" else 1
            parts = [encode(some[start : start + step], order["mode"]) for start in range(0, len(some), step)]
            vectors = np.concatenate(parts)
        else:
            vectors = encode(some, order["mode"])
        seconds = time.perf_counter() - begin
        if order.get("save"):
            np.save(order["save"], vectors)
        print(json.dumps({"seconds": seconds, "peak": peak_megabytes()}), file=answers, flush=True)


if __name__ == "__main__":
    main()
