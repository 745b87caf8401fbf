"""The memory of training does not depend on the size of the corpus."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ambos.text.sources import find_sources
from ambos.text.store import COLUMNS
from ambos.text.store_build import build_store
from ambos.text.tokenizer import Tokenizer
from tests.runs.conftest import ONE_THREAD

MEASURED = """
import sys
from pathlib import Path
from ambos.recipe import load_recipe
from ambos.runs.choices import choose
from ambos.runs.named import recipe_values
from ambos.runs.folder import begin_folder
from ambos.runs.pretrain import Job
from ambos.runs.settings import PretrainRecipe
from ambos.train.team import Team

folder, recipe, scheme, steps = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
changes = {
    "model": {"preset": "bert-tiny"},
    "data": {"scheme": scheme},
    "phases": [{"length": 64, "sequences": 8}],
    "budget": {"steps": steps},
    "evaluation": {"times": 2, "sequences": 64},
}
recipe = choose(load_recipe(PretrainRecipe, [recipe_values(recipe), changes]), Team())
begin_folder(folder, recipe, None, [])
Job(folder, recipe).run()
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
"""
RECIPES = {"blocks": "fast", "sentences": "roberta", "pairs": "bert"}


def enlarge(store: Path, out: Path, times: int) -> None:
    """Write a store that holds all of another so many times, one after the other."""
    out.mkdir(parents=True)
    arrays = {name: np.load(store / f"{name}.npy") for name in COLUMNS}
    tokens, sentences, documents = (
        len(arrays["tokens"]),
        len(arrays["sentences"]) - 1,
        len(arrays["languages"]),
    )
    lengths = {
        "tokens": tokens * times,
        "word_starts": -(-tokens * times // 8),
        "sentences": sentences * times + 1,
        "documents": documents * times + 1,
        "languages": documents * times,
    }
    files = {
        name: np.lib.format.open_memmap(out / f"{name}.npy", "w+", arrays[name].dtype, (length,))
        for name, length in lengths.items()
    }
    for number in range(times):
        files["tokens"][number * tokens : (number + 1) * tokens] = arrays["tokens"]
        files["languages"][number * documents : (number + 1) * documents] = arrays["languages"]
        shifted = arrays["sentences"][:-1] + np.uint64(number * tokens)
        files["sentences"][number * sentences : (number + 1) * sentences] = shifted
        shifted = arrays["documents"][:-1] + np.uint64(number * sentences)
        files["documents"][number * documents : (number + 1) * documents] = shifted
    files["sentences"][-1], files["documents"][-1] = tokens * times, sentences * times
    bits = np.unpackbits(arrays["word_starts"])[:tokens]
    eight = np.packbits(np.tile(bits, 8))
    for first in range(0, times, 8):
        part = np.packbits(np.tile(bits, times - first)) if times - first < 8 else eight
        files["word_starts"][first * tokens // 8 :][: len(part)] = part
    for file in files.values():
        file.flush()
    (out / "tokenizer").symlink_to(store / "tokenizer")
    manifest = json.loads((store / "store.json").read_text())
    manifest["lengths"] = lengths
    manifest["counts"] |= {
        "tokens": tokens * times,
        "sentences": sentences * times,
        "documents": documents * times,
    }
    (out / "store.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def corpora(
    sample: Path, tokenizer_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[int, Path]:
    """Token stores of about 100 MB and 1 GB of text, by their megabytes."""
    folder = tmp_path_factory.mktemp("corpora")
    tokenizer = Tokenizer.load(tokenizer_folder("wordpiece"))
    sources = find_sources([str(sample / "corpus")])
    small = build_store(sources, tokenizer, folder / "small").path
    size = sum(source.bytes for source in sources)
    found = {}
    for megabytes in (100, 1000):
        found[megabytes] = folder / str(megabytes)
        enlarge(small, found[megabytes], round(megabytes * 1e6 / size))
    return found


def peak(store: Path, folder: Path, scheme: str, steps: int) -> float:
    """Return the largest memory, in MB, of a process that trains on a store."""
    folder.mkdir()
    (folder / "store").symlink_to(store)
    script = folder.parent / "measured.py"
    script.write_text(MEASURED)
    done = subprocess.run(
        [sys.executable, script, folder, RECIPES[scheme], scheme, str(steps)],
        env=ONE_THREAD,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1]) / 1000


@pytest.mark.slow
@pytest.mark.parametrize("scheme", RECIPES)
def test_ten_times_the_text_takes_no_more_memory(
    corpora: dict[int, Path], scheme: str, tmp_path: Path
) -> None:
    found = {size: peak(store, tmp_path / str(size), scheme, 300) for size, store in corpora.items()}
    print(scheme, {size: f"{memory:.1f} MB" for size, memory in found.items()})
    assert found[1000] < 1.05 * found[100], found
