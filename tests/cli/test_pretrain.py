"""`ambos pretrain` and `ambos resume`: what they say; for every mistake one message, and nothing left."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

USAGE, INPUT, OUTPUT = 2, 3, 4
SMALL = [
    "--set",
    "phases=[{length=32, sequences=4}]",
    "--set",
    "evaluation.sequences=8",
    "--set",
    "evaluation.times=1",
]
TINY = ["--preset", "bert-tiny", "--steps", "2", *SMALL]
GOOD = "\n\n".join(
    f"O gato número {number} dorme no telhado. A lua {number} sobe. O rio corre {number} vezes para o mar."
    for number in range(120)
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a good text and a hidden place for what tests prepare."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.txt").write_text(GOOD)
    return tmp_path


@pytest.fixture
def tokenizer(tokenizer_folder: Callable[[str], Path]) -> list[object]:
    return ["--tokenizer", tokenizer_folder("wordpiece")]


def entries(folder: Path) -> set[str]:
    return {str(entry.relative_to(folder)) for entry in folder.rglob("*")}


def test_what_it_says(ambos: Callable[..., Ran], here: Path, tokenizer: list[object]) -> None:
    ran = ambos("pretrain", "good.txt", *tokenizer, "--recipe", "bert", *TINY, "--out", "new/run")
    assert ran.code == 0, ran.err
    out = ran.out.splitlines()
    assert out[0].startswith("bert, 0.8 M parameters, trained for 2 steps on")
    assert "held-out loss" in out[1]
    assert "pairs (chance 50 %)" in out[2]
    assert out[3].strip() == "model new/run/bundle, report new/run/report.html"
    assert out[4].startswith("Next: ambos fill new/run ")
    err = ran.err.splitlines()
    assert err[0] == "1 file: 1 of unknown language"
    assert err[1] == "tokenising"
    assert [line.split(" · ")[0] for line in err[2:] if line.startswith("step")] == [
        "step      0",
        "step      2",
    ]


def test_json(ambos: Callable[..., Ran], here: Path, tokenizer: list[object]) -> None:
    ran = ambos("pretrain", "good.txt", *tokenizer, *TINY, "--out", "run", "--json")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    said = json.loads(ran.out)
    assert (said["out"], said["done"], said["status"], said["steps"]) == ("run", True, "finished", 2)
    assert said["measured"]["step"] == 2
    assert said["measured"]["mlm_loss"] > 0
    assert said["heldout"]["how"] == "whole documents, drawn at random"
    assert said["model"]["preset"] == "bert-tiny"
    ran = ambos("resume", "run", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["measured"] == said["measured"]
    ran = ambos("resume", "run", "--json", "--set", "optim.lr=1e-4")
    assert ran.code == INPUT
    assert ran.out == ""
    assert "--anyway" in json.loads(ran.err)["error"]["fix"]


def test_quiet(ambos: Callable[..., Ran], here: Path, tokenizer: list[object]) -> None:
    ran = ambos("pretrain", "good.txt", *tokenizer, *TINY, "--out", "run", "--quiet")
    assert ran == Ran(0, "", "")
    assert ambos("resume", "run", "--quiet") == Ran(0, "", "")


def test_a_tokenizer_is_learnt(ambos: Callable[..., Ran], here: Path) -> None:
    ran = ambos("pretrain", "good.txt", *TINY, "--set", "tokenizer.vocab_size=120", "--out", "run")
    assert ran.code == 0, ran.err
    assert "learning a vocabulary (wordpiece, up to 120)" in ran.err
    assert json.loads(Path("run/run.json").read_text())["model"]["vocab_size"] == 120


def test_a_recipe_of_ones_own(ambos: Callable[..., Ran], here: Path, tokenizer: list[object]) -> None:
    """A file that names its texts; options and --set lie on top."""
    Path("my.toml").write_text(
        'name = "mine"\ntexts = ["good.txt"]\nseed = 3\n[model]\npreset = "bert-mini"\n'
        '[data]\nscheme = "sentences"\n[budget]\nsteps = 50\n[optim]\nlr = 0.1\n'
    )
    ran = ambos(
        "pretrain", "my.toml", *tokenizer, *TINY, "--set", "optim.lr=1e-4", "--seed", "4", "--out", "run"
    )
    assert ran.code == 0, ran.err
    about = json.loads(Path("run/run.json").read_text())
    assert (about["recipe"], about["steps"], about["model"]["preset"]) == ("mine", 2, "bert-tiny")
    recipe = Path("run/recipe.toml").read_text()
    assert "seed = 4" in recipe
    assert "lr = 0.0001" in recipe


def test_the_recipe_of_a_run_runs_it_again(
    ambos: Callable[..., Ran], here: Path, tokenizer: list[object]
) -> None:
    """It names the texts of the command, whatever the recipe named that the command chose."""
    Path("my.toml").write_text('texts = ["others.txt"]\n')
    first = ambos("pretrain", "good.txt", "--recipe", "my.toml", *tokenizer, *TINY, "--out", "run")
    assert first.code == 0, first.err
    again = ambos("pretrain", "run/recipe.toml", *tokenizer, "--out", "again")
    assert again.code == 0, again.err
    for file in ("recipe.toml", "metrics.jsonl", "bundle/model.safetensors"):
        assert Path("again", file).read_bytes() == Path("run", file).read_bytes()


def test_the_recipe_of_a_run_with_a_base_begins_with_it_again(
    ambos: Callable[..., Ran], here: Path, model_folder: Callable[[str], Path]
) -> None:
    base = model_folder("wordpiece")
    first = ambos("pretrain", "good.txt", "--base", base, *TINY[2:], "--out", "run")
    assert first.code == 0, first.err
    again = ambos("pretrain", "run/recipe.toml", "--out", "again")
    assert again.code == 0, again.err
    assert json.loads(Path("again/run.json").read_text())["base"] == str(base)
    for file in ("recipe.toml", "metrics.jsonl", "bundle/model.safetensors"):
        assert Path("again", file).read_bytes() == Path("run", file).read_bytes()
    both = ambos("pretrain", "run/recipe.toml", "--preset", "bert-tiny", "--out", "other")
    assert str(base) in both.refused(USAGE, "a base brings its own size")["found"]


def test_the_length_can_be_set_like_any_setting(
    ambos: Callable[..., Ran], here: Path, tokenizer: list[object]
) -> None:
    short = ["--preset", "bert-tiny", *SMALL, "--set", "budget.tokens=200"]
    ran = ambos("pretrain", "good.txt", *tokenizer, *short, "--out", "run")
    assert ran.code == 0, ran.err
    assert "10 minutes" not in ran.err
    assert json.loads(Path("run/run.json").read_text())["tokens"] >= 200


def test_replacing_a_run(ambos: Callable[..., Ran], here: Path, tokenizer: list[object]) -> None:
    arguments = ["pretrain", "good.txt", *tokenizer, *TINY, "--out", "run"]
    assert ambos(*arguments).code == 0
    before = {name: (here / name).stat().st_mtime_ns for name in entries(here)}
    said = ambos(*arguments).refused(OUTPUT, "the output is already there")
    assert "--force" in said["fix"]
    assert {name: (here / name).stat().st_mtime_ns for name in entries(here)} == before
    assert ambos(*arguments, "--force", "--seed", "1").code == 0
    told = Path("run/run.json").read_bytes()
    Path("bad.txt").write_bytes(b"good\nbad \xff\n")
    ambos("pretrain", "bad.txt", *arguments[2:], "--force").refused(INPUT, "not valid UTF-8")
    ambos("pretrain", "good.txt", "--base", "run", *TINY[2:], "--out", "run", "--force").refused(
        OUTPUT, "the output would replace what it is made from"
    )
    assert Path("run/run.json").read_bytes() == told
    Path("run/mine.txt").write_text("keep me")
    ambos(*arguments, "--force").refused(OUTPUT, "--force replaces only what such a command wrote")
    assert Path("run/mine.txt").read_text() == "keep me"
    Path("file").write_text("a file")
    ambos(*arguments[:-1], "file", "--force").refused(OUTPUT, "--force replaces only")
    Path("other").mkdir()
    Path("other/notes.txt").write_text("keep me")
    ambos(*arguments[:-1], "other").refused(OUTPUT, "the output is already there")
    assert entries(here / "other") == {"notes.txt"}


PAIRS = ["--recipe", "bert"]
MISTAKES: dict[str, tuple[dict[str, str], list[str], int, str, str]] = {
    # files to make, options, exit code, what the message says, what stands below it
    "no such file": ({}, ["none.txt", *TINY], INPUT, "none.txt", ""),
    "no text in a folder": ({"empty/a.bin": "x"}, ["empty", *TINY], INPUT, "", ""),
    "empty file": ({"a.txt": ""}, ["a.txt", *TINY], INPUT, "no text", ""),
    "only blanks": ({"a.txt": " \n\n \n"}, ["a.txt", *TINY], INPUT, "no text", ""),
    "no text for a tokenizer": ({"a.txt": ""}, ["a.txt", *TINY, "learn"], INPUT, "no text", ""),
    "one sentence a document, pairs": (
        {"a.txt": "\n\n".join(f"Frase número {n}." for n in range(300))},
        ["a.txt", *PAIRS, *TINY],
        INPUT,
        "there is no text to train on",
        "at least two sentences",
    ),
    "one document, next": (
        {"a.txt": GOOD.replace("\n\n", "\n")},
        ["a.txt", *PAIRS, *TINY],
        INPUT,
        "pairs",
        "two documents",
    ),
    "one word": ({"a.txt": "gato"}, ["a.txt", *TINY], INPUT, "", ""),
    "unknown recipe": ({}, ["good.txt", *TINY, "--recipe", "brt"], USAGE, "there is no recipe 'brt'", "bert"),
    "unknown preset": (
        {},
        ["good.txt", "--steps", "2", "--preset", "bert-tyni"],
        USAGE,
        "bert-tyni",
        "bert-tiny",
    ),
    "unknown family": ({}, ["good.txt", *TINY, "--set", "model.family=brt"], USAGE, "brt", ""),
    "unknown setting": (
        {},
        ["good.txt", *TINY, "--set", "optim.leraning=1", "--set", "sede=3"],
        USAGE,
        "2 settings are wrong",
        "there is no setting",
    ),
    "no setting": (
        {},
        ["good.txt", *TINY, "--set", "optim.lr"],
        USAGE,
        "is not understood",
        "--set optim.lr=VALUE",
    ),
    "wrong value": (
        {},
        ["good.txt", *TINY, "--set", "optim.lr=fast"],
        USAGE,
        "a setting is wrong",
        "optim.lr",
    ),
    "toml with mistakes": (
        {"my.toml": 'texts = ["good.txt"]\nsteps = 3\n[optim]\nlr = -1\nname = "sgd"\n'},
        ["my.toml", *TINY],
        USAGE,
        "my.toml: 3 settings are wrong",
        "there is no setting steps",
    ),
    "toml that is none": ({"my.toml": "texts = [\n"}, ["my.toml", *TINY], INPUT, "my.toml: not a recipe", ""),
    "no such toml": ({}, ["my.toml", *TINY], INPUT, "my.toml: cannot read the recipe", "No such file"),
    "toml without texts": ({"my.toml": "seed = 1\n"}, ["my.toml", *TINY], USAGE, "no text", ""),
    "two recipes": (
        {"my.toml": ""},
        ["my.toml", "--recipe", "bert", *TINY],
        USAGE,
        "two recipes are given",
        "",
    ),
    "vocabulary too small": (
        {},
        ["good.txt", *TINY, "learn", "--set", "tokenizer.vocab_size=5"],
        USAGE,
        "vocab",
        "",
    ),
    "longer than the model reads": (
        {},
        ["good.txt", *TINY, "--recipe", "bert", "--set", "phases=[{length=600, sequences=2}]"],
        USAGE,
        "the sequences are longer than the model can read",
        "at most 512 tokens",
    ),
    "longer than a smaller context": (
        {},
        ["good.txt", *TINY, "--set", "model.context=16"],
        USAGE,
        "the sequences are longer than the model can read",
        "length=16",
    ),
    "next sentence for roberta": (
        {},
        ["good.txt", "--recipe", "bert", *TINY, "--set", "model.family=roberta-base"],
        USAGE,
        "roberta models have no head for the objective next",
        "bert or albert",
    ),
    "pairs that are not planned": (
        {},
        ["good.txt", *TINY, "--recipe", "roberta", "--set", "objectives.next=1"],
        USAGE,
        "a setting is wrong",
        "needs data.scheme = pairs",
    ),
    "two lengths": ({}, ["good.txt", "--steps", "2", "--minutes", "1"], USAGE, "exclude each other", ""),
    "no steps": ({}, ["good.txt", "--steps", "0"], USAGE, "--steps", ""),
    "a base and a preset": (
        {},
        ["good.txt", "--base", "minilm", *TINY],
        USAGE,
        "a base brings its own size",
        "",
    ),
    "no such base": (
        {},
        ["good.txt", "--base", "minlim", "--steps", "2"],
        INPUT,
        "there is no model 'minlim'",
        "minilm",
    ),
    "no such tokenizer": ({}, ["good.txt", *TINY, "learn", "--tokenizer", "none"], INPUT, "none", ""),
    "no such held-out text": ({}, ["good.txt", *TINY, "--heldout", "none.txt"], INPUT, "none.txt", ""),
    "empty held-out text": ({"a.txt": ""}, ["good.txt", *TINY, "--heldout", "a.txt"], INPUT, "no text", ""),
    "not UTF-8": ({"a.txt": "caf\udce9"}, ["a.txt", *TINY], INPUT, "UTF-8", "--encoding"),
    "no such option": ({}, ["good.txt", "--stesp", "3"], USAGE, "--stesp", "--steps"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(ambos: Callable[..., Ran], here: Path, tokenizer: list[object], name: str) -> None:
    files, options, code, what, below = MISTAKES[name]
    for path, text in files.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_bytes(text.encode("utf-8", "surrogateescape"))
    before = entries(here)
    if "learn" in options:
        options = [option for option in options if option != "learn"]
    elif "--base" not in options:
        options = [*options, *tokenizer]
    said = ambos("pretrain", *options, "--out", "new/run").refused(code, what)
    assert below in " ".join(said.values()), said
    assert entries(here) == before


def test_no_text_at_all(ambos: Callable[..., Ran], here: Path) -> None:
    ambos("pretrain", "--out", "run").refused(USAGE, "TEXT")
    ambos("pretrain", "good.txt").refused(USAGE, "--out")


@pytest.mark.parametrize(
    ("run", "what"),
    [("none", "not a run folder"), ("good.txt", "not a run folder"), (".", "not a run folder")],
)
def test_what_cannot_be_resumed(ambos: Callable[..., Ran], here: Path, run: str, what: str) -> None:
    before = entries(here)
    ambos("resume", run).refused(INPUT, what)
    assert entries(here) == before


def test_resumed_from_inside(
    ambos: Callable[..., Ran], here: Path, tokenizer: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ambos("pretrain", here / "good.txt", *tokenizer, *TINY, "--out", "run").code == 0
    monkeypatch.chdir("run")
    ran = ambos("resume", ".")
    assert ran.code == 0, ran.err


def test_a_run_that_lost_its_parts(ambos: Callable[..., Ran], here: Path, tokenizer: list[object]) -> None:
    assert ambos("pretrain", "good.txt", *tokenizer, *TINY, "--out", "run").code == 0
    Path("run/store/store.json").rename("store.json")
    ambos("resume", "run").refused(INPUT, "not a token store")
    Path("store.json").rename("run/store/store.json")
    recipe = Path("run/recipe.toml")
    text = recipe.read_text()
    recipe.write_text(text + "[x]\n")
    ambos("resume", "run").refused(USAGE, "a setting is wrong")
    recipe.unlink()
    ambos("resume", "run").refused(INPUT, "cannot read the recipe")
    recipe.write_text(text)
    ambos("resume", "run", "--set", "optim.lr").refused(USAGE, "is not understood")
    assert ambos("resume", "run").code == 0


LATE = """
import sys
from ambos.cli.app import main
sys.argv = ["ambos", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    print(ended.code, "torch" in sys.modules)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["pretrain", "--help"],
        ["resume", "--help"],
        ["pretrain", "a.txt", "--out", "run", "--recipe", "brt"],
        ["pretrain", "a.txt", "--out", "run", "--set", "optim.leraning=1"],
        ["pretrain", "a.txt", "--out", "run", "--steps", "1", "--tokens", "2"],
        ["pretrain", "a.txt"],
    ],
    ids=" ".join,
)
def test_help_and_mistakes_do_not_wait_for_torch(tmp_path: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    code = "0" if "--help" in arguments else "2"
    assert done.stdout.split()[-2:] == [code, "False"], done.stdout + done.stderr
