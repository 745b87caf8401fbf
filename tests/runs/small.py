"""Small labelled files out of the sample, and recipes that a small model learns in a second."""

import json
from pathlib import Path

from ambos.recipe import load_recipe
from ambos.runs.finetune_settings import FinetuneRecipe


def write_small(sample: Path, folder: Path, rows: int = 48) -> dict[str, dict[str, str]]:
    """Write train, dev and test files of three tasks; return their names by task and split."""
    found: dict[str, dict[str, str]] = {"classify": {}, "score": {}, "tag": {}, "answer": {}}
    for split, count in {"train": rows, "dev": 24, "test": 24}.items():
        lines = (sample / "sentiment" / f"{split}.jsonl").read_text().splitlines()[:count]
        texts = [json.loads(line) for line in lines]
        scored = [{"text": one["text"], "score": len(one["text"]) / 100} for one in texts]
        sentences = (sample / "ner" / f"{split}.conll").read_text().split("\n\n")[:count]
        questions = json.loads((sample / "questions" / f"{split}.json").read_text())
        questions["data"] = questions["data"][:6]
        files = {
            "classify": ("classify", "jsonl", "\n".join(lines)),
            "score": ("score", "jsonl", "\n".join(map(json.dumps, scored))),
            "tag": ("tag", "conll", "\n\n".join(sentences)),
            "answer": ("answer", "json", json.dumps(questions)),
        }
        for task, (name, ending, text) in files.items():
            file = folder / f"{name}-{split}.{ending}"
            file.write_text(text + "\n")
            found[task][split] = str(file)
    return found


def small_recipe(task: str, base: Path, files: dict[str, str], **values: object) -> FinetuneRecipe:
    """The recipe of a short run; `values` come on top."""
    data = {split: [file] for split, file in files.items()}
    given = {
        "task": task,
        "base": str(base),
        "batch": 16,
        "epochs": 1.0,
        "learning": {"lr": 1e-3},
        "precision": "fp32",  # which of the two is faster may change from moment to moment
        "data": data,
    }
    return load_recipe(FinetuneRecipe, [given, values])
