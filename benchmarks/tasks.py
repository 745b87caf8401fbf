"""What fine-tuning with default settings reaches on real data sets, beside simple baselines.

    AMBOS_DATA=... python benchmarks/tasks.py [--data sst2 ag_news ...] [--work DIR]
    AMBOS_DATA=... python benchmarks/tasks.py --pretrained RUN [--data fakebr ...] [--work DIR]

The first form begins with all-MiniLM-L6-v2. The second begins with an encoder of one's own, a run of
`ambos pretrain`, and beside it with random weights of the same architecture and tokenizer (by default on
Portuguese sets).

Baselines, measured by the same code on the same rows: for texts, logistic regression on TF-IDF of words and
pairs of words; for tags, the commonest tag of each word, and logistic regression on TF-IDF of the word, its
ends and its neighbours. Figures are those of the test set with 95 % bootstrap intervals; the dev set chose
the weights.
--share 0.25 learns from a quarter of the training set, drawn at random: whether more data would help.
With --work DIR, finished runs are kept there and a second call only runs what is missing: what was made with
other settings or another base has another name.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

# Data set: (task, ending of its files, the metric that counts)
SETS = {
    "sst2": ("classify", "jsonl", "accuracy"),
    "ag_news": ("classify", "jsonl", "accuracy"),
    "mrpc": ("classify", "jsonl", "accuracy"),
    "stsb_en": ("score", "jsonl", "spearman"),
    "ud_en_ewt": ("tag", "conll", "accuracy"),
    "uner_en": ("tag", "conll", "micro_f1"),
    "uner_pt": ("tag", "conll", "micro_f1"),
    "squad": ("answer", "json", "f1"),
    "fakebr": ("classify", "jsonl", "accuracy"),
    "lener_br": ("tag", "conll", "micro_f1"),
    "ud_pt_bosque": ("tag", "conll", "accuracy"),
}
ENGLISH = ["stsb_en", "ag_news", "uner_pt", "ud_en_ewt", "sst2", "squad"]
PORTUGUESE = ["fakebr", "lener_br", "ud_pt_bosque", "uner_pt"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", choices=list(SETS))
    parser.add_argument("--pretrained", type=Path, help="a run of `ambos pretrain`, instead of MiniLM")
    parser.add_argument("--set", nargs="+", default=[], help="settings to change, as of `ambos finetune`")
    parser.add_argument("--share", type=float, default=1.0, help="of the training set")
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    names = arguments.data or (PORTUGUESE if arguments.pretrained else ENGLISH)
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as temporary:
        work = arguments.work or Path(temporary)
        bases = {"minilm": "minilm"}
        if arguments.pretrained:
            random = random_weights(arguments.pretrained, work)
            bases = {"pretrained": str(arguments.pretrained), "random weights": str(random)}
        print("| data | metric | model | dev | test (95 % interval) | training |\n|---|---|---|---|---|---|")
        for name in names:
            for label, base in bases.items():
                show(name, label, finetuned(name, label, base, work, arguments.set, arguments.share))
            for label, learn in BASELINES[SETS[name][0]].items() if arguments.share == 1 else ():
                show(name, label, measured(name, learn))


def show(name: str, label: str, found: dict) -> None:
    metric = SETS[name][2]
    test = found["test"][metric]
    print(
        f"| {name} | {metric} | {label} | {found['dev'][metric]['value']:.4f} | "
        f"{test['value']:.4f} ({test['low']:.4f} to {test['high']:.4f}) | {found['seconds']:.0f} s |",
        flush=True,
    )


def files(name: str) -> dict[str, str]:
    folder = Path(os.environ["AMBOS_DATA"]) / name
    return {split: str(folder / f"{split}.{SETS[name][1]}") for split in ("train", "dev", "test")}


def some_of(name: str, share: float, work: Path) -> str:
    """Write a share of a training set, drawn at random: lines, sentences, paragraphs with questions."""
    import numpy as np

    whole = Path(files(name)["train"])
    out = work / f"{name}-{share:g}{whole.suffix}"
    text = whole.read_text(encoding="utf-8")
    draw = np.random.default_rng(0)

    def drawn(items: list) -> list:
        count = max(1, round(share * len(items)))
        return [items[place] for place in sorted(draw.permutation(len(items))[:count])]

    if whole.suffix == ".json":
        articles = json.loads(text)["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        text = json.dumps({"data": [{"title": name, "paragraphs": drawn(paragraphs)}]})
    else:
        between = "\n" if whole.suffix == ".jsonl" else "\n\n"
        text = between.join(drawn(text.strip().split(between))) + between
    out.write_text(text, encoding="utf-8")
    return str(out)


def finetuned(name: str, label: str, base: str, work: Path, settings: list[str], share: float) -> dict:
    """Fine-tune with the command that users run, unless that was done; return its figures."""
    made = digest(base, *settings)
    out = work / f"{name}-{label.replace(' ', '-')}{'' if share == 1 else f'-{share:g}'}-{made}"
    about = json.loads((out / "run.json").read_text()) if (out / "run.json").exists() else {}
    if about.get("status") != "finished":
        command = [
            sys.executable,
            "-m",
            "ambos",
            "finetune",
            SETS[name][0],
            "--base",
            base,
            "--out",
            str(out),
        ]
        paths = files(name) | ({} if share == 1 else {"train": some_of(name, share, work)})
        command += [part for split, path in paths.items() for part in (f"--{split}", path)]
        command += [part for one in settings for part in ("--set", one)]
        subprocess.run([*command, "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        about = json.loads((out / "run.json").read_text())
    return {**about["evaluation"], "seconds": about["seconds"]}


def digest(base: str | Path, *settings: str) -> str:
    """Return what tells the weights of a base, with settings, from others: eight letters."""
    from ambos.bundle.resolve import resolve
    from ambos.files import sha256

    weights = map(sha256, sorted(resolve(base).rglob("*.safetensors")))
    return hashlib.sha256("\n".join([*weights, *settings]).encode()).hexdigest()[:8]


def random_weights(run: Path, work: Path) -> Path:
    """Write a model with the architecture and the tokenizer of a run, and weights as they begin."""
    from ambos.bundle.bundle import Bundle

    out = work / f"random-{digest(run)}"
    if not out.exists():
        trained = Bundle.load(str(run))
        Bundle.new(trained.config, trained.tokenizer, seed=0).save(out)
    return out


def measured(name: str, learn) -> dict:
    """Measure a baseline as a model is measured; `learn(task, rows)` gives what predicts for rows."""
    from ambos.runs.finetune_settings import DataFiles, FinetuneRecipe
    from ambos.runs.finetune_task import make_task
    from ambos.runs.splits import read_splits

    begin = time.perf_counter()
    task_name = SETS[name][0]
    paths = {split: [path] for split, path in files(name).items()}
    splits = read_splits(DataFiles(**paths), task_name)
    task = make_task(FinetuneRecipe(task=task_name), splits.train.rows)
    predict = learn(task, splits.train.rows)
    found = {}
    for split, rows in (("dev", splits.dev.rows), ("test", splits.test.rows)):
        evaluation = task.evaluation()
        evaluation.add(*task.compare(rows, predict(rows)))
        found[split] = {key: one.as_dict() for key, one in evaluation.metrics().items()}
    return {**found, "seconds": time.perf_counter() - begin}


def texts_by_regression(task, train):
    """Logistic regression on TF-IDF of words and pairs of words."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from ambos.tasks.classify import Classified

    def text(row) -> str:
        return row.text if hasattr(row, "text") else f"{row.text_a}\n{row.text_b}"

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2),
        LogisticRegression(C=10, max_iter=1000),
    )
    model.fit([text(row) for row in train], [row.labels[0] for row in train])
    nothing = np.zeros(len(task.labels), np.float32)
    return lambda rows: [
        Classified((str(label),), nothing, nothing) for label in model.predict([text(row) for row in rows])
    ]


def commonest_tags(task, train):  # noqa: ARG001
    """The tag that each word has most often; of unknown words, the commonest of all."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for row in train:
        for word, tag in zip(row.words, row.tags, strict=True):
            counts[word][tag] += 1
    every = sum(counts.values(), Counter()).most_common(1)[0][0]
    known = {word: tags.most_common(1)[0][0] for word, tags in counts.items()}
    return lambda rows: [tagged([known.get(word, every) for word in row.words]) for row in rows]


def tags_by_regression(task, train):  # noqa: ARG001
    """Logistic regression on TF-IDF of a word, its ends, its form and its neighbours, word by word."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline

    def parts(some) -> list[list[str]]:
        return [features(row.words, place) for row in some for place in range(len(row.words))]

    model = make_pipeline(
        TfidfVectorizer(analyzer=list, min_df=2),
        SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=20, tol=None, random_state=0),
    )
    model.fit(parts(train), [tag for row in train for tag in row.tags])

    def predict(rows) -> list:
        found = iter(model.predict(parts(rows)))
        return [tagged([str(next(found)) for _ in row.words]) for row in rows]

    return predict


def features(words: tuple[str, ...], place: int) -> list[str]:
    """Return what is known of a word.

    Examples
    --------
    >>> features(("Ana", "ri"), 1)
    ['w=ri', 'e1=i', 'e2=ri', 'e3=ri', 'f=xx', 'p=Ana', 'n=']
    """
    word = words[place]
    form = "".join("X" if letter.isupper() else "9" if letter.isdigit() else "x" for letter in word[:4])
    ends = [f"e{size}={word[-size:].lower()}" for size in (1, 2, 3)]
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    return [f"w={word}", *ends, f"f={form}", f"p={before}", f"n={after}"]


def tagged(tags: list[str]):
    import numpy as np

    from ambos.tasks.tag import Tagged

    return Tagged(tuple(tags), np.zeros(len(tags), np.float32))


BASELINES = {
    "classify": {"TF-IDF and logistic regression": texts_by_regression},
    "tag": {
        "commonest tag of a word": commonest_tags,
        "TF-IDF and logistic regression": tags_by_regression,
    },
    "score": {},
    "answer": {},
}


if __name__ == "__main__":
    main()
