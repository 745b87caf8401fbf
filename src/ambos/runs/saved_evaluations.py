"""Evaluations on disk: JSON for people and programs, and beside it what models are compared by."""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ambos.analysis.evaluation_report import write_evaluation_report, write_finetuning_report
from ambos.data.label_set import LabelSet
from ambos.errors import InputError, OutputError
from ambos.evaluate.evaluation import Evaluation
from ambos.evaluate.sparse_rows import Rows, dense_parts, sparse
from ambos.files import sha256, write_file
from ambos.runs.evaluation import Evaluated
from ambos.runs.folder import METRICS
from ambos.tasks.answer import Answer
from ambos.tasks.classify import Classify
from ambos.tasks.embed import Embed
from ambos.tasks.score import Score
from ambos.tasks.tag import Tag
from ambos.tasks.task import Task
from ambos.write_errors import output_errors

FOLDER = "evaluation"  # of a run
ALONE, REPORT = "evaluation", "report.html"  # in a folder of its own
ENTRIES = frozenset({f"{ALONE}.json", f"{ALONE}.npy", REPORT})
SPLITS = ("test", "dev")  # the first that is there is compared by


@dataclass(frozen=True)
class SavedEvaluation:
    """An evaluation that was read again.

    Parameters
    ----------
    file
        Its JSON file.
    values
        What `Evaluated.as_dict` gave.
    examples
        (n, d) as in `Evaluated`: sparse where its rows are.
    """

    file: Path
    values: dict[str, Any]
    examples: Rows

    @property
    def evaluation(self) -> Evaluation:
        """What computes the metrics of such examples."""
        labels, known = LabelSet(tuple(self.values["labels"])), self.values["metrics"]
        tasks: dict[str, Task[Any, Any]] = {
            "classify": Classify(labels, several=self.values["several"]),
            "tag": Tag(labels),
            "score": Score(),
            "embed": Embed("in-batch" if "mrr" in known else "cosine", graded="pearson" in known),
            "answer": Answer(),
        }
        return tasks[self.values["task"]].evaluation()


def save_evaluation(folder: Path, name: str, evaluated: Evaluated) -> Path:
    """Write `name.json` and `name.npy` into a folder; return the first.

    Each file is written whole. The JSON comes last and has the other's SHA-256, so that a pair that does not
    belong together is found out.
    """
    file, rows = folder / f"{name}.json", folder / f"{name}.npy"
    with output_errors(folder, instead="make the folder writable"):
        folder.mkdir(exist_ok=True)
        write_file(rows, _npy(evaluated.examples))
        values = {**evaluated.as_dict(), "npy": sha256(rows)}
        write_file(file, (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode())
    return file


def _npy(examples: Rows) -> Iterator[bytes]:
    """Yield the bytes of a `.npy` file with all numbers of the examples, zeros too, some rows at a time."""
    header = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(examples.dtype)
    about = {"descr": descr, "fortran_order": False, "shape": tuple(map(int, examples.shape))}
    np.lib.format.write_array_header_1_0(header, about)
    yield header.getvalue()
    for part in dense_parts(examples):
        yield part.tobytes()


def write_folder(folder: Path, evaluated: Evaluated) -> None:
    """Write an evaluation and its report into a folder of its own, which is there and empty."""
    save_evaluation(folder, ALONE, evaluated)
    write_evaluation_report(folder / REPORT, evaluated.as_dict(), evaluated.examples)


def keep_in_run(run: Path, evaluated: Evaluated) -> None:
    """Write an evaluation into a run, called after its files, and the report of the run anew."""
    save_evaluation(run / FOLDER, name_of(list(evaluated.files)), evaluated)
    if (run / METRICS).is_file():  # the report of a series is about other figures
        write_finetuning_report(run)


def name_of(files: Sequence[str]) -> str:
    """Return what the evaluation of some files is called.

    >>> name_of(["data/test.csv.gz"]), name_of(["a.jsonl", "b.jsonl"])
    ('test', 'a+b')
    """
    return "+".join(dict.fromkeys(Path(file).name.split(".")[0] or "rows" for file in files))


def refuse_other_file(run: Path, files: Sequence[str]) -> None:
    """Raise `OutputError` if a run has an evaluation that is called after other files of the same names."""
    there = run / FOLDER / f"{name_of(files)}.json"
    if not there.is_file():
        return
    before = [one["sha256"] for one in read_evaluation(there).values["files"]]
    if before != [sha256(Path(file)) for file in files]:
        raise OutputError(
            f"the run has an evaluation {there.stem} of another file",
            expected="a file with a name of its own, or the same file again",
            fix="rename the file, or pass --force to replace that evaluation",
            file=there,
        )


def read_evaluation(file: Path) -> SavedEvaluation:
    """Read what `save_evaluation` wrote, or raise `InputError` if it is not whole."""
    rows = file.with_suffix(".npy")
    try:
        values = dict(json.loads(file.read_bytes()))
        if values["npy"] != sha256(rows):
            raise ValueError(f"{rows.name} is not the one that was written with it")
        there = np.load(rows, mmap_mode="r", allow_pickle=False)  # sparse ones are read some at a time
        saved = SavedEvaluation(file, values, there)
        tally = saved.evaluation.tally
        if there.ndim != 2 or there.shape[1] != tally.width:
            raise ValueError(f"{rows.name} has the shape {there.shape}")
        saved = replace(saved, examples=sparse(there) if tally.sparse else np.array(there))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            "not a whole evaluation",
            expected=f"what `ambos evaluate` writes, and {rows.name} beside it",
            found=f"no {error}" if isinstance(error, KeyError) else str(error),
            fix="evaluate the model again",
            file=file,
        ) from error
    return saved


def find_evaluation(run: Path, split: str | None = None) -> SavedEvaluation:
    """Read the evaluation of a run: of a split, else that of the test rows, else that of the dev rows.

    A folder that `ambos evaluate --out` wrote has only one.
    """
    alone = run / f"{ALONE}.json"
    if alone.is_file():
        return read_evaluation(alone)
    folder = run / FOLDER
    for name in [split] if split else SPLITS:
        if (folder / f"{name}.json").is_file():
            return read_evaluation(folder / f"{name}.json")
    there = sorted(path.stem for path in folder.glob("*.json"))
    measure = f"ambos evaluate {run} FILE --save"
    raise InputError(
        f"this run was not evaluated on {split}" if split else "this run has no evaluation",
        expected=f"{FOLDER}/{split or 'test'}.json in it",
        found=f"evaluations of {', '.join(there)}"
        if there
        else "no evaluation"
        if run.is_dir()
        else "no such folder",
        fix=f"--split {there[0]}" if there else measure if run.is_dir() else "check the path",
        file=run,
    )
