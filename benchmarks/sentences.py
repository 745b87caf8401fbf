"""Sentence splitters side by side: accuracy on gold treebanks, speed on novels.

Run as `AMBOS_DATA=... python benchmarks/sentences.py [--json] [--split dev]`. The gold sentences are
detokenised and joined ten by ten; a splitter is scored on the borders inside each ten.
"""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ambos.text.sentences import sentence_ends, split_sentences, word_shape

GOLD = {"pt": "ud_pt_bosque", "en": "ud_en_ewt"}
GROUP = 10  # gold sentences joined into one paragraph
PYSBD_LINES = 100  # it is too slow for the whole text
WHOLE, TABLE = "ambos, one call for the text", "ambos, on a word table"
ATTACH_LEFT = re.compile(
    r"[.,;:!?…%)\]}»”]+|n't|n’t|'(?:s|m|d|ll|re|ve|t)|’(?:s|m|d|ll|re|ve)", re.IGNORECASE
)
ATTACH_RIGHT = frozenset("([{«“$#¿¡")
TERMINATED = re.compile(r"[.!?…][\"'”’»)\]]*$")


def read_gold(path: Path) -> list[str]:
    """Detokenise the sentences of a `token TAB tag` file."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    return [detokenise([line.split("\t")[0] for line in block.split("\n")]) for block in blocks]


def detokenise(tokens: list[str]) -> str:
    """Attach closing marks to the left and opening marks to the right; pair straight quotes."""
    out: list[str] = []
    glue = True  # whether the next token is attached to what is there
    open_quotes: set[str] = set()
    for index, token in enumerate(tokens):
        if token in {'"', "'", "``", "''"}:
            is_last = index == len(tokens) - 1
            closes = index > 0 and (
                token in open_quotes
                or is_last
                or (tokens.count(token) == 1 and ATTACH_LEFT.fullmatch(tokens[index + 1]) is not None)
            )
            out.append(token if closes or glue else " " + token)
            open_quotes ^= {token}
            if closes:
                open_quotes.discard(token)
            glue = not closes
            continue
        attach = glue or ATTACH_LEFT.fullmatch(token) is not None
        out.append(token if attach else " " + token)
        glue = token in ATTACH_RIGHT
    return "".join(out).strip()


Group = tuple[str, set[int]]  # the text and its gold borders, counted in characters that are not whitespace


def build_groups(sentences: list[str]) -> list[Group]:
    """Join every ten sentences with spaces; the border after the last of a group is not asked for."""
    groups = []
    for start in range(0, len(sentences), GROUP):
        part = sentences[start : start + GROUP]
        borders = np.cumsum([solid(sentence) for sentence in part])[:-1]
        groups.append((" ".join(part), set(borders.tolist())))
    return groups


def solid(text: str) -> int:
    """Count the characters that are not whitespace."""
    return len("".join(text.split()))


def borders_of(pieces: Iterable[str]) -> set[int]:
    """Borders between pieces in the unit of `Group`, so that it does not matter what becomes of spaces."""
    return set(np.cumsum([solid(piece) for piece in pieces]).tolist()[:-1])


def counts(groups: list[Group], split: Callable[[str], list[str]]) -> np.ndarray:
    """Return found-and-right, found, right for each group."""
    rows = []
    for text, gold in groups:
        found = borders_of(split(text)) - {0, solid(text)}
        rows.append((len(found & gold), len(found), len(gold)))
    return np.array(rows)


def prf(table: np.ndarray) -> tuple[float, float, float]:
    hit, found, gold = table.sum(0)
    return hit / found, hit / gold, 2 * hit / (found + gold)


def resampled_f1(table: np.ndarray) -> np.ndarray:
    """F1 of 2,000 samples of the groups, drawn with replacement; the same samples for every splitter."""
    chosen = np.random.default_rng(0).integers(0, len(table), (2000, len(table)))
    hit, found, gold = table[chosen].sum(1).T
    return 2 * hit / (found + gold)


def scores(table: np.ndarray, ours_table: np.ndarray) -> dict[str, float]:
    """Precision, recall, F1 with its 95 % interval, and the interval of how far ambos is ahead in F1."""
    precision, recall, f1 = prf(table)
    low, high = np.quantile(resampled_f1(table), [0.025, 0.975])
    ahead = np.quantile(resampled_f1(ours_table) - resampled_f1(table), [0.025, 0.975])
    names = ("precision", "recall", "f1", "low", "high", "ahead_low", "ahead_high")
    return dict(zip(names, (precision, recall, f1, low, high, *ahead), strict=True))


# --- the splitters, each called as its documentation says and imported only when it runs ---


def ours(_language: str) -> Callable[[str], list[str]]:
    return lambda text: [text[start:end] for start, end in split_sentences(text)]


def use_sentencex(language: str) -> Callable[[str], list[str]]:
    from sentencex import segment

    return lambda text: list(segment(language, text))


def use_pysbd(language: str) -> Callable[[str], list[str]]:
    import pysbd

    # It has no Portuguese; Spanish is the nearest it offers.
    segmenter = pysbd.Segmenter(language={"pt": "es"}.get(language, language), clean=False)
    return lambda text: list(segmenter.segment(text))


def use_syntok(_language: str) -> Callable[[str], list[str]]:
    from syntok import segmenter

    def split(text: str) -> list[str]:
        return [
            "".join(token.spacing + token.value for token in sentence)
            for paragraph in segmenter.analyze(text)
            for sentence in paragraph
        ]

    return split


def naive(_language: str) -> Callable[[str], list[str]]:
    return re.compile(r"(?<=[.!?…])\s+").split


SPLITTERS: dict[str, Callable[[str], Callable[[str], list[str]]]] = {
    "ambos": ours,
    "sentencex": use_sentencex,
    "pysbd": use_pysbd,
    "syntok": use_syntok,
    "regex": naive,
}


# --- speed ---


def megabytes_per_second(split: Callable[[str], object], texts: list[str]) -> float:
    """Best of three passes."""
    split(texts[0])
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for text in texts:
            split(text)
        best = min(best, time.perf_counter() - start)
    return sum(len(text.encode()) for text in texts) / best / 1e6


def word_table_speed(lines: list[str]) -> dict[str, float]:
    """The path of the token store: shapes of distinct words, then one vectorised call for everything."""
    words = [line.split() for line in lines]
    flat = [word for line in words for word in line]
    last = np.zeros(len(flat), dtype=np.bool_)
    last[np.cumsum([len(line) for line in words]) - 1] = True
    distinct = list(dict.fromkeys(flat))
    index = {word: i for i, word in enumerate(distinct)}
    ids = np.array([index[word] for word in flat], dtype=np.int32)
    best = dict.fromkeys(("shape", "ends", "both"), float("inf"))
    for _ in range(5):
        start = time.perf_counter()
        table = np.array([word_shape(word) for word in distinct], dtype=np.uint8)
        middle = time.perf_counter()
        sentence_ends(table[ids], last)
        stop = time.perf_counter()
        best["shape"] = min(best["shape"], middle - start)
        best["ends"] = min(best["ends"], stop - middle)
        best["both"] = min(best["both"], stop - start)
    size = sum(len(line.encode()) for line in lines)
    return {
        "mb_per_s": size / best["both"] / 1e6,
        "us_per_distinct_word": best["shape"] / len(distinct) * 1e6,
        "ns_per_word": best["ends"] / len(flat) * 1e9,
        "distinct": len(distinct),
        "words": len(flat),
    }


def measure(data: Path, split: str) -> dict[str, Any]:
    result: dict[str, Any] = {"split": split, "accuracy": {}, "speed": {}, "word_table": {}, "data": {}}
    for language, folder in GOLD.items():
        sentences = read_gold(data / folder / f"{split}.conll")
        terminated = [sentence for sentence in sentences if TERMINATED.search(sentence)]
        result["data"][language] = {"all": len(sentences), "terminated": len(terminated)}
        raw = (data / f"raw_{language}" / "dev.txt").read_text(encoding="utf-8").split("\n")
        raw = [line for line in raw if line.strip()]
        for name, make in SPLITTERS.items():
            splitter = make(language)
            for kind, chosen in (("all", sentences), ("terminated", terminated)):
                groups = build_groups(chosen)
                tables = counts(groups, splitter), counts(groups, ours(language))
                result["accuracy"].setdefault(name, {}).setdefault(language, {})[kind] = scores(*tables)
            lines = raw[:PYSBD_LINES] if name == "pysbd" else raw
            result["speed"].setdefault(name, {})[language] = megabytes_per_second(splitter, lines)
        whole = megabytes_per_second(ours(language), ["\n".join(raw)])
        result["speed"].setdefault(WHOLE, {})[language] = whole
        result["word_table"][language] = word_table_speed(raw)
        result["speed"].setdefault(TABLE, {})[language] = result["word_table"][language]["mb_per_s"]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="test", choices=["dev", "test"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if "AMBOS_DATA" not in os.environ:
        sys.exit("set AMBOS_DATA to the folder that holds ud_pt_bosque, ud_en_ewt, raw_pt and raw_en")
    result = measure(Path(os.environ["AMBOS_DATA"]), options.split)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


def show(result: dict[str, Any]) -> None:
    console = Console(width=132)
    table = Table(title=f"Sentence borders, {result['split']} split")
    for column in ("", "splitter"):
        table.add_column(column)
    for column in ("P all", "R all", "F1 all [95 %]", "P term.", "R term.", "F1 term. [95 %]", "MB/s"):
        table.add_column(column, justify="right", no_wrap=True)
    for language in GOLD:
        for name, speeds in result["speed"].items():
            row = [language, name]
            for kind in ("all", "terminated"):
                if name not in result["accuracy"]:
                    row += ["", "", "as above"]
                    continue
                s = result["accuracy"][name][language][kind]
                row += [f"{s['precision']:.3f}", f"{s['recall']:.3f}"]
                row += [f"{s['f1']:.3f} [{s['low']:.3f}, {s['high']:.3f}]"]
            table.add_row(*row, f"{speeds[language]:.2f}")
        table.add_section()
    console.print(table)
    notes: list[str] = []
    for language, folder in GOLD.items():
        sizes, words = result["data"][language], result["word_table"][language]
        shape, ends = words["us_per_distinct_word"], words["ns_per_word"]
        notes += [
            f"{language}: {folder}, {sizes['all']} sentences; term.: {sizes['terminated']} ending in . ! ? …",
            "    " + ahead_of("sentencex", result["accuracy"]["sentencex"][language]),
            f"    {words['words']:,} raw words, {words['distinct']:,} distinct",
            f"    word_shape {shape:.2f} µs a distinct word, sentence_ends {ends:.1f} ns a word",
        ]
    notes += [
        f"Speed: raw_pt and raw_en dev line by line, best of 3; pysbd on {PYSBD_LINES} lines of each (slow).",
        "On a word table: words already split and numbered, as the token store has them.",
    ]
    console.print("\n".join(notes), highlight=False, soft_wrap=True)


def ahead_of(name: str, by_kind: dict[str, dict[str, float]]) -> str:
    parts = [f"{kind} {s['ahead_low']:+.3f} to {s['ahead_high']:+.3f}" for kind, s in by_kind.items()]
    return f"F1 of ambos less that of {name}, 95 % of paired samples: {', '.join(parts)}"


if __name__ == "__main__":
    main()
