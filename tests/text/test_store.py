"""Building a store: what it holds, that how it was built does not matter, and that killing does no harm."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ambos.errors import AmbosError, InputError, OutputError
from ambos.files import working_folder
from ambos.text import store_blocks, store_build
from ambos.text.sentences import split_sentences
from ambos.text.sources import find_sources
from ambos.text.store import TokenStore
from ambos.text.store_build import BuildOptions, build_store
from ambos.text.store_columns import BitColumn, Column, Seen
from ambos.text.stream import ReadOptions
from ambos.text.tokenizer import Tokenizer
from ambos.text.words import WordTable


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def build(texts: list[str], tokenizer: Tokenizer, out: Path, **options) -> TokenStore:
    return build_store(find_sources(texts), tokenizer, out, BuildOptions(**options))


@pytest.fixture
def corpus(sample: Path, tmp_path: Path) -> Path:
    """Two languages, with duplicates and empty documents among them."""
    folder = tmp_path / "texts"
    folder.mkdir()
    pt = (sample / "heldout" / "pt.txt").read_text()
    (folder / "a.pt.txt").write_text(pt)
    (folder / "b.en.txt").write_text((sample / "heldout" / "en.txt").read_text())
    again = pt.split("\n\n")[:3]
    rows = [
        {"text": text, "lang": "pt"} for text in [*again, "Um só.", "", " \u200b ", "\ud800 dois", "Um só."]
    ]
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_store_holds_the_text(tokenizer: Tokenizer, corpus: Path, tmp_path: Path) -> None:
    store = build([str(corpus)], tokenizer, tmp_path / "store")
    pt = [text for text in (corpus / "a.pt.txt").read_text().split("\n\n") if text.strip()]
    en = [text for text in (corpus / "b.en.txt").read_text().split("\n\n") if text.strip()]
    counts = store.manifest["counts"]
    empty = 1 if tokenizer.kind == "bpe" else 2  # only bytes can spell a zero-width space
    assert counts["duplicates"] == 4
    assert counts["empty"] == empty
    assert counts["documents"] == len(store) == len(pt) + len(en) + 2 + (2 - empty)
    assert store.tokens.dtype == np.uint16
    assert store.languages == ["pt", "en"]
    assert [store.language(0), store.language(len(pt))] == ["pt", "en"]
    table = WordTable(tokenizer)
    for number, text in enumerate(pt + en):
        expected = table.encode(text.split("\n"))
        assert store.document(number).tolist() == expected.ids.tolist()
        sentences = [len(store.sentence(place)) for place in store.sentence_range(number)]
        assert sentences == expected.sentence_sizes.tolist()
        assert len(sentences) == sum(len(split_sentences(line)) for line in text.split("\n"))
        begin = int(store.sentence_starts[store.sentence_range(number).start])
        words = store.word_starts(begin, begin + len(expected.ids))
        assert words.tolist() == expected.word_starts.tolist()
    assert counts["tokens"] == len(store.tokens)
    by_language = store.counts_by_language()
    assert sum(row["tokens"] for row in by_language.values()) == len(store.tokens)
    assert by_language["en"]["documents"] == len(en)
    assert " ".join(" ".join(store.text(0)).split()[:3])[:1] == pt[0][:1]
    store.verify()


def test_files_are_plain_numpy(tokenizer: Tokenizer, corpus: Path, tmp_path: Path) -> None:
    store = build([str(corpus)], tokenizer, tmp_path / "store")
    for name in ("tokens", "word_starts", "sentences", "documents", "languages"):
        array = np.load(tmp_path / "store" / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        assert len(array) == store.manifest["lengths"][name]


@pytest.mark.parametrize("size", [1, 300, 5_000])
def test_store_does_not_depend_on_workers(
    tokenizer: Tokenizer, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(store_build, "_BLOCK_CHARACTERS", size)
    if size == 1 and tokenizer.kind != "wordpiece":
        pytest.skip("one kind is enough for the smallest blocks")
    build([str(corpus)], tokenizer, tmp_path / "one", workers=1)
    build([str(corpus)], tokenizer, tmp_path / "three", workers=3)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")


def test_keep_duplicates(tokenizer: Tokenizer, corpus: Path, tmp_path: Path) -> None:
    once = build([str(corpus)], tokenizer, tmp_path / "once")
    store = build([str(corpus)], tokenizer, tmp_path / "store", keep_duplicates=True)
    assert store.manifest["counts"]["duplicates"] == 0
    assert len(store) == len(once) + once.manifest["counts"]["duplicates"]


def test_large_vocabulary_takes_four_bytes(
    corpus: Path, tmp_path: Path, tokenizer_folder: Callable[[str], Path]
) -> None:
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    tokenizer.backend.add_special_tokens([f"[unused{number}]" for number in range(70_000)])
    store = build([str(corpus)], tokenizer, tmp_path / "store")
    assert store.tokens.dtype == np.uint32
    small = build([str(corpus)], Tokenizer.load(tokenizer_folder("wordpiece")), tmp_path / "small")
    assert store.tokens.tolist() == small.tokens.tolist()


def test_building_again_is_free_and_changing_is_refused(
    tokenizer: Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "store"
    build([str(corpus)], tokenizer, out)
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*")}
    build([str(corpus)], tokenizer, out)
    assert {file: file.stat().st_mtime_ns for file in out.rglob("*")} == before
    with pytest.raises(OutputError, match="already there"):
        build([str(corpus)], tokenizer, out, keep_duplicates=True)
    (corpus / "a.pt.txt").write_text("Outro texto.")
    with pytest.raises(OutputError, match="already there"):
        build([str(corpus)], tokenizer, out)
    store = build_store(find_sources([str(corpus)]), tokenizer, out, force=True)
    assert store.text(0)


def test_bad_input_leaves_nothing(tokenizer: Tokenizer, corpus: Path, tmp_path: Path) -> None:
    (corpus / "z.txt").write_bytes(b"caf\xe9\n")
    out = tmp_path / "out" / "store"
    with pytest.raises(InputError, match="UTF-8"):
        build([str(corpus)], tokenizer, out, workers=2)
    assert not out.parent.exists()


def test_no_text_at_all(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("  \n\n \n")
    with pytest.raises(InputError, match="no text"):
        build([str(tmp_path / "a.txt")], tokenizer, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_damage_is_found(tokenizer: Tokenizer, corpus: Path, tmp_path: Path) -> None:
    store = build([str(corpus)], tokenizer, tmp_path / "store")
    file = tmp_path / "store" / "tokens.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(InputError, match="damaged") as caught:
        store.verify()
    assert caught.value.file == str(file)
    file.write_bytes(data[:-2])
    with pytest.raises(InputError):
        TokenStore(tmp_path / "store")


@pytest.mark.parametrize("manifest", [None, "", "[]", '{"format": 99}', '{"format": 1}', "{"])
def test_what_is_not_a_store(tmp_path: Path, manifest: str | None) -> None:
    if manifest is not None:
        (tmp_path / "store.json").write_text(manifest)
    with pytest.raises(InputError, match="token store"):
        TokenStore(tmp_path)


def test_a_worker_that_dies_is_reported(
    tokenizer: Tokenizer, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_build, "_BLOCK_CHARACTERS", 300)
    killed = []

    def kill_a_worker(_: object) -> None:
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        for child in children:
            if not killed and b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)
                killed.append(child)

    with pytest.raises(AmbosError, match="worker"):
        build_store(
            find_sources([str(corpus)]),
            tokenizer,
            tmp_path / "store",
            BuildOptions(workers=2),
            progress=kill_a_worker,
        )
    assert killed
    assert not (tmp_path / "store").exists()


SLOW_BUILD = """
import sys, time
from pathlib import Path
from ambos.text import store_build, store_work
from ambos.text.sources import find_sources
from ambos.text.store_build import BuildOptions, build_store
from ambos.text.stream import ReadOptions
from ambos.text.tokenizer import Tokenizer

if __name__ == "__main__":
    texts, tokenizer, out, workers = sys.argv[1:]
    store_build._BLOCK_CHARACTERS = 20_000
    store_work.JOURNAL_SECONDS = 0.0
    build_store(
        find_sources([texts]), Tokenizer.load(tokenizer), Path(out), BuildOptions(workers=int(workers)),
        progress=lambda _: time.sleep(0.02),
    )
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_random_moments_and_run_again(
    workers: int, sample: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """SIGKILL at ten random moments each; the store is byte for byte that of an undisturbed run."""
    script = tmp_path / "build.py"
    script.write_text(SLOW_BUILD)
    texts, folder = str(sample / "corpus"), str(tokenizer_folder("bpe"))

    def start(out: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, script, texts, folder, out, str(workers)])

    undisturbed = tmp_path / "undisturbed"
    begin = time.monotonic()
    assert start(undisturbed).wait(timeout=120) == 0
    duration = time.monotonic() - begin
    disturbed = tmp_path / "disturbed"
    kills = resumed = 0
    moments = random.Random(workers)
    while kills < 10:
        process = start(disturbed)
        try:
            code = process.wait(timeout=moments.uniform(0.3, 1.0) * duration * 0.7)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        kills += code != 0
        resumed += (working_folder(disturbed) / "journal.json").exists()
        if disturbed.exists():  # it got to the end before the kill: begin again
            assert contents(disturbed) == contents(undisturbed)
            shutil.rmtree(disturbed)
    assert start(disturbed).wait(timeout=120) == 0
    assert contents(disturbed) == contents(undisturbed)
    assert not working_folder(disturbed).exists()
    assert resumed >= 3  # most kills came in the middle of the work, not before it began


def test_workers_end_with_a_killed_parent(
    sample: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    script = tmp_path / "build.py"
    script.write_text(SLOW_BUILD.replace("0.02", "0.2"))
    process = subprocess.Popen(
        [sys.executable, script, sample / "corpus", tokenizer_folder("bpe"), tmp_path / "store", "2"]
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers: list[str] = []
    until = time.monotonic() + 30
    while len(workers) < 2 and time.monotonic() < until:
        time.sleep(0.1)
        workers = [
            child
            for child in children.read_text().split()
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
    time.sleep(1.0)
    process.kill()
    process.wait()
    until = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert len(workers) == 2
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_two_builds_of_one_store(
    sample: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    script = tmp_path / "build.py"
    script.write_text(SLOW_BUILD.replace("0.02", "0.2"))
    out = tmp_path / "store"
    process = subprocess.Popen([sys.executable, script, sample / "corpus", tokenizer_folder("bpe"), out, "1"])
    until = time.monotonic() + 30
    while not working_folder(out).exists() and time.monotonic() < until:
        time.sleep(0.02)
    try:
        with pytest.raises(OutputError, match="another"):
            build([str(sample / "corpus")], Tokenizer.load(tokenizer_folder("bpe")), out)
    finally:
        process.kill()
        process.wait()


def test_another_plan_does_not_go_on_from_old_work(
    sample: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    script = tmp_path / "build.py"
    script.write_text(SLOW_BUILD)
    out = tmp_path / "store"
    process = subprocess.Popen([sys.executable, script, sample / "corpus", tokenizer_folder("bpe"), out, "1"])
    journal = working_folder(out) / "journal.json"
    until = time.monotonic() + 30
    while not journal.exists() and time.monotonic() < until:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert journal.exists()
    other = Tokenizer.load(tokenizer_folder("wordpiece"))
    store = build([str(sample / "corpus")], other, out)
    fresh = build([str(sample / "corpus")], other, tmp_path / "fresh")
    assert contents(store.path) == contents(fresh.path)


STOPPED_BUILD = """
import os, sys
from pathlib import Path
from ambos import files
from ambos.text import store_columns, store_work
from ambos.text.sources import find_sources
from ambos.text.store_build import BuildOptions, build_store
from ambos.text.tokenizer import Tokenizer

texts, tokenizer, out, last = sys.argv[1:]
steps = 0

def stopping(function):
    def step(*arguments, **options):
        global steps
        steps += 1
        if steps > int(last):
            os._exit(9)
        return function(*arguments, **options)
    return step

def arm(*_):  # from the moment that all text is read: headers, hashes, manifest, renames
    Path.unlink, Path.rename, Path.replace = map(stopping, (Path.unlink, Path.rename, Path.replace))
    Path.mkdir, os.fsync = map(stopping, (Path.mkdir, os.fsync))
    store_columns.Column.finish = stopping(store_columns.Column.finish)
    store_work.sha256 = stopping(files.sha256)

finish = store_work.StoreWork.finish
store_work.StoreWork.finish = lambda build, tokenizer: (arm(), finish(build, tokenizer))
options = BuildOptions(workers=1)
build_store(find_sources([texts]), Tokenizer.load(tokenizer), Path(out), options, progress=lambda _: None)
"""


@pytest.mark.slow
def test_stopped_at_every_step_of_the_end(
    corpus: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Wherever it stops between the last document and the finished folder, the next run gives the same."""
    folder = tokenizer_folder("wordpiece")
    undisturbed = build([str(corpus)], Tokenizer.load(folder), tmp_path / "undisturbed")
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED_BUILD)
    out = tmp_path / "disturbed"
    steps = 0
    while True:
        command = [sys.executable, script, corpus, folder, out, str(steps)]
        code = subprocess.run(command, check=False).returncode
        if code == 0:
            break
        assert code == 9
        store = build([str(corpus)], Tokenizer.load(folder), out)
        assert contents(store.path) == contents(undisturbed.path), steps
        shutil.rmtree(out)
        steps += 1
    assert steps > 25
    assert contents(out) == contents(undisturbed.path)


def test_missing_files_of_a_stopped_build_are_noticed(
    corpus: Path, tokenizer_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tokenizer_folder("wordpiece")
    undisturbed = build([str(corpus)], Tokenizer.load(folder), tmp_path / "undisturbed")
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED_BUILD)
    out = tmp_path / "disturbed"
    subprocess.run([sys.executable, script, corpus, folder, out, "9"], check=False)
    assert (working_folder(out) / "journal.json").exists()
    (working_folder(out) / "digests.npy").unlink()
    store = build([str(corpus)], Tokenizer.load(folder), out)
    assert contents(store.path) == contents(undisturbed.path)


def test_a_large_document_is_tokenised_in_parts(
    tokenizer: Tokenizer, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build([str(corpus)], tokenizer, tmp_path / "whole", workers=1)
    monkeypatch.setattr(store_blocks, "_AT_ONCE", 5)
    build([str(corpus)], tokenizer, tmp_path / "parts", workers=1)
    assert contents(tmp_path / "whole") == contents(tmp_path / "parts")


def test_a_damaged_store_is_replaced_only_with_force(
    tokenizer: Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "store"
    build([str(corpus)], tokenizer, out)
    (out / "tokens.npy").write_bytes(b"")
    with pytest.raises(OutputError, match="already there"):
        build([str(corpus)], tokenizer, out)
    build_store(find_sources([str(corpus)]), tokenizer, out, force=True).verify()


def test_columns_wind_back(tmp_path: Path) -> None:
    column = Column(tmp_path / "c.npy", np.uint16)
    column.append(np.arange(10))
    column.close()
    column = Column(tmp_path / "c.npy", np.uint16, length=4)
    column.append(np.array([7]))
    assert column.read().tolist() == [0, 1, 2, 3, 7]
    column.finish()
    assert np.load(tmp_path / "c.npy").tolist() == [0, 1, 2, 3, 7]


def test_bits_of_any_length(tmp_path: Path) -> None:
    bits = np.random.default_rng(0).random(1001) < 0.5
    column = BitColumn(Column(tmp_path / "b.npy", np.uint8), [])
    at = 0
    for size in (0, 1, 7, 8, 9, 300, 676):
        column.append(bits[at : at + size])
        at += size
    column.finish()
    assert np.unpackbits(np.load(tmp_path / "b.npy"))[:1001].astype(bool).tolist() == bits.tolist()


def test_seen_keeps_the_first() -> None:
    generator = np.random.default_rng(0)
    digests = np.array(
        [bytes([value]) + b"\0" * 14 + bytes([1]) for value in generator.integers(0, 250, 5000)], "S16"
    )
    seen = Seen(digests[:0])
    kept = np.concatenate([seen.add(digests[begin : begin + 37]) for begin in range(0, 5000, 37)])
    known: set[bytes] = set()
    expected = [not (digest in known or known.add(digest)) for digest in digests.tolist()]
    assert kept.tolist() == expected
    again = Seen(digests[kept])
    assert not again.add(digests).any()


def test_reading_options_reach_the_store(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Olá.\nCafé.\n".encode("latin-1"))
    read = ReadOptions(document="line", encoding="latin-1")
    assert len(build([str(tmp_path / "a.txt")], tokenizer, tmp_path / "store", read=read)) == 2
