"""The house keeps its shape: rooms import only what they may, modules are small, the map is true."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "ambos"
MODULES = sorted(PACKAGE.rglob("*.py"))

# As in docs/architecture.md: what each room may import, itself aside. `foundation` is for everyone.
FOUNDATION = {"errors", "files", "write_errors", "recipe", "suggest", "advice", "products"}
ROOMS = {
    "text": set(),
    "sample": set(),
    "data": {"text"},
    "encoder": {"data.batch", "data.rectangles"},
    "objectives": {"data", "encoder"},
    "tasks": {"text", "data", "encoder", "evaluate"},
    "classic": {"data", "encoder"},
    "train": {"data"},
    "evaluate": set(),
    "bundle": {"text", "data.batch", "encoder"},
    "predict": {"text", "data", "encoder", "tasks", "evaluate", "bundle"},
    "analysis": {"data", "bundle", "evaluate", "predict"},
    "runs": {
        *("text", "data", "encoder", "objectives", "tasks", "train"),
        *("evaluate", "bundle", "predict", "analysis"),
    },
    "serve": {"bundle", "tasks", "analysis", "predict"},
}
FACES = {"cli", "estimators", "", "__main__"}  # "" is `import ambos` itself


def name_of(module: Path) -> str:
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports_of(module: Path) -> set[str]:
    """Names below `ambos` that a module imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ambos":
            base = node.module.removeprefix("ambos").lstrip(".")
            names = [f"{base}.{alias.name}".lstrip(".") for alias in node.names]
            known = {name_of(other) for other in MODULES}
            found |= {name if name in known else base for name in names}
        if isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("ambos.") for alias in node.names if alias.name.startswith("ambos.")
            }
    return found - {""}


def may_import(importer: str, imported: str) -> bool:
    room, target = importer.split(".", maxsplit=1)[0], imported.split(".", maxsplit=1)[0]
    if room in FACES:
        return True
    if room == target or target in FOUNDATION:
        return target not in FACES
    allowed = ROOMS.get(room, set())
    return any(imported == name or imported.startswith(f"{name}.") for name in allowed)


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_keep_their_direction(module: Path) -> None:
    importer = name_of(module)
    room = importer.split(".")[0]
    assert room in {"", *FOUNDATION, *ROOMS, *FACES}, f"{room} is not a room of the house"
    wrong = [imported for imported in imports_of(module) if not may_import(importer, imported)]
    assert not wrong


def test_the_direction_test_can_fail() -> None:
    assert not may_import("text.store", "cli.app")
    assert not may_import("text.store", "sample")
    assert not may_import("encoder.layer", "data.order")
    assert may_import("encoder.layer", "data.batch")
    assert may_import("text.store", "errors")


def test_the_page_says_what_rooms_there_are_and_may_import() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    told = {
        name: may
        for row in re.findall(r"^\| (`\w+/`.*) \|$", page, re.MULTILINE)
        for name in re.findall(r"`(\w+)/`", row.split(" | ")[0])
        for may in [row.split(" | ")[-1]]
    }
    rooms = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert told.keys() == rooms
    everything = ", ".join(name for name in list(told)[: list(told).index("runs")] if name != "sample")
    told["runs"] = told["runs"].replace("all of the above but sample", everything)
    for room in rooms - FACES:
        assert set(told[room].split(", ")) - {"-"} == ROOMS[room], room
    picture = page.split("```")[1]
    assert rooms <= set(re.findall(r"(\w+)/", picture))


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_modules_say_what_they_are_for_and_stay_small(module: Path) -> None:
    text = module.read_text()
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", "`", "/")), docstring.splitlines()[0]
    data = module.name.startswith(("words_", "topics_", "sets_", "pairs_p", "pairs_e"))
    assert data or len(text.splitlines()) <= 330, "is it still one thing?"


@pytest.mark.parametrize("readme", ["README.md", "README.pt-BR.md"])
def test_the_readme_maps_every_module(readme: str) -> None:
    text = (ROOT / readme).read_text()
    listed = set(re.findall(r"`([\w/]+\.py)`", text))
    files = {str(module.relative_to(PACKAGE)) for module in MODULES if module.name != "__init__.py"}
    # Word lists and other data of the sample generator are mapped as one.
    files = {file for file in files if not re.match(r"sample/(words|topics|sets|pairs)_", file)}
    assert files - listed == set()
    assert {name for name in listed if name.split("/")[0] in ROOMS} - files == set()


def test_no_pickle_and_no_network_in_the_package() -> None:
    banned = re.compile(
        r"^\s*(import|from)\s+(pickle|marshal|shelve|dill|requests|urllib|http|socket)\b", re.MULTILINE
    )
    for module in MODULES:
        assert not banned.search(module.read_text()), module


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["corpus", "build", "--help"],
        ["pairs", "compare", "--help"],
        ["tokenizer", "train", "--ou", "x"],
        *(
            [command, "--help"]
            for command in (
                *("presets", "info", "fill", "score", "embed", "pretrain", "resume"),
                *("finetune", "evaluate", "predict", "compare", "doctor", "search", "coherent"),
            )
        ),
        ["fill", "model", "[MASK]", "--top", "0"],
        ["embed", "model", "a.txt", "--out", "vectors.npz"],
    ],
)
def test_help_and_usage_errors_do_not_import_the_work(arguments: list[str]) -> None:
    """Help answers at once because torch, numpy, pyarrow and the tokenizers library stay on the shelf."""
    code = (
        "import sys\nsys.argv = ['ambos', *sys.argv[1:]]\nfrom ambos.cli.app import main\n"
        "try:\n    main()\nfinally:\n"
        "    heavy = {'torch', 'numpy', 'pyarrow', 'tokenizers', 'transformers', 'sentencepiece'}\n"
        "    print('HEAVY', sorted(heavy & sys.modules.keys()))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert "HEAVY []" in result.stdout
