"""One sample for all tests of this folder, written once."""

import json
from functools import cache

import pytest

from ambos.sample import write_sample

JSONL = ("sentiment", "topic", "paraphrase", "entailment", "senses", "agreement")
SPLITS = ("train", "dev", "test")


class Sample:
    def __init__(self, root, summary):
        self.root = root
        self.summary = summary

    def rows(self, name, split):
        return [
            json.loads(line) for line in (self.root / name / f"{split}.jsonl").read_text("utf-8").splitlines()
        ]

    def sentences(self, name, split):
        blocks = (self.root / name / f"{split}.conll").read_text("utf-8").strip("\n").split("\n\n")
        return [[tuple(line.split("\t")) for line in block.splitlines()] for block in blocks]

    def paragraphs(self, split):
        data = json.loads((self.root / "questions" / f"{split}.json").read_text("utf-8"))["data"]
        return [paragraph for article in data for paragraph in article["paragraphs"]]

    def corpus(self, language, part="corpus"):
        return (self.root / part / f"{language}.txt").read_text("utf-8")

    @cache  # noqa: B019 - one sample for the whole session
    def all_text(self, language):
        """Return the corpus and every text of the labelled sets in a language."""
        texts = [self.corpus(language), self.corpus(language, "heldout")]
        for name in JSONL:
            for split in SPLITS:
                rows = [row for row in self.rows(name, split) if row["language"] == language]
                texts += [row[key] for row in rows for key in ("text", "text_a", "text_b") if key in row]
        return "\n".join(texts)


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    root = tmp_path_factory.mktemp("sample")
    return Sample(root, write_sample(root))
