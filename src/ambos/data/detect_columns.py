"""Which columns of a table hold what a task needs, by their names alone."""

import unicodedata
from collections.abc import Sequence
from dataclasses import fields
from itertools import chain, product
from pathlib import Path
from typing import Literal

from ambos.data.rows import Columns, option
from ambos.errors import InputError, UsageError
from ambos.text.records import check_columns, list_columns

FURTHER = ("text_c", "text_d")  # texts that a row may have beside the two of a pair
Task = Literal["classify", "score", "pair", "pair-score", "embed", "tag", "answer"]

_TEXTS = (
    "text texto sentence sentença frase review resenha comment comentário content conteúdo "
    "document documento message mensagem tweet"
)
_PAIRS = (
    "text_a+text_b text1+text2 texto_a+texto_b texto1+texto2 sentence_a+sentence_b sentence1+sentence2 "
    "sentença1+sentença2 frase_a+frase_b frase1+frase2 premise+hypothesis premissa+hipótese "
    "question1+question2 pergunta1+pergunta2 s1+s2 anchor+positive âncora+positivo "
    "query+passage query+document consulta+passagem consulta+trecho consulta+documento "
    "question+answer pergunta+resposta"
)
_FURTHER = "text_{} texto_{} sentence_{} sentença_{} frase_{} question_{} pergunta_{}"  # texts of a row
_LABELS = (
    "label labels gold_label class classe category categoria target rótulo rótulos etiqueta etiquetas "
    "sentiment sentimento topic tópico entailment_judgment is_duplicate"
)
_SCORES = (
    "score nota rating stars estrelas pontuação similarity similaridade similarity_score relatedness_score"
)
# The names by which columns are known. Those of a later group count only where none of an earlier is there.
_KNOWN: dict[tuple[str, ...], tuple[str, ...]] = {
    ("text",): (_TEXTS,),
    ("text_a", "text_b"): (_PAIRS,),
    ("text_c",): (f"{_FURTHER.replace('{}', 'c')} {_FURTHER.replace('{}', '3')}",),
    ("text_d",): (f"{_FURTHER.replace('{}', 'd')} {_FURTHER.replace('{}', '4')}",),
    ("label",): (_LABELS,),
    ("score",): (_SCORES, _LABELS),
    ("words",): ("words tokens palavras",),
    ("tags",): ("tags ner_tags pos_tags upos", _LABELS),
    ("question",): ("question pergunta questão",),
    ("passage",): ("passage context contexto passagem paragraph parágrafo trecho",),
    ("answers",): ("answers respostas",),
    ("id",): ("id qid question_id",),
    ("title",): ("title título",),
}
_NEEDED: dict[Task, tuple[tuple[str, ...], ...]] = {
    "classify": (("text",), ("label",)),
    "score": (("text",), ("score",)),
    "pair": (("text_a", "text_b"), ("label",)),
    "pair-score": (("text_a", "text_b"), ("score",)),
    "embed": (("text_a", "text_b"),),
    "tag": (("words",), ("tags",)),
    "answer": (("question",), ("passage",), ("answers",), ("id",), ("title",)),
}
_SHOWN = 8  # names that an error lists
_OPTIONAL = (("id",), ("title",))
_TARGETS = (("label",), ("score",), ("tags",), ("answers",))  # what rows to predict for do without


def detect_columns(
    names: Sequence[str],
    task: Task,
    given: Columns | None = None,
    *,
    labelled: bool = True,
    texts: int | None = None,
    file: Path | None = None,
) -> Columns:
    """Say which of a table's columns hold what a task needs, by their names alone, never by their order.

    Case, accents and signs in names do not count: `Rótulo` is `rotulo`, `sentence_1` is `sentence1`. Where no
    column or more than one could be meant, `InputError` lists the columns and the option that says which. No
    column holds two things, and none is named for what the task does not read: `UsageError` if one is `given`
    so.

    Parameters
    ----------
    given
        What the user named; only the rest is looked for.
    labelled
        Without labels no column of them is looked for, but one of ids, if there is one; and words may be
        running text.
    texts
        Of pairs: how many texts a row must have. The third and the fourth are looked for only then; else they
        are read if they are `given`.
    file
        Named in errors.

    Examples
    --------
    >>> print(detect_columns(["id", "Frase", "rótulo"], "classify"))
    text: Frase, label: rótulo
    """
    given = given or Columns()
    refuse_twice(given)
    _refuse_unread(given, task)
    check_columns(names, given.wanted, file)
    found = given.chosen
    free = [
        name for name in names if name not in found.values()
    ]  # what is named for one thing holds no other
    needed = _NEEDED[task]
    if ("text_a", "text_b") in needed:
        _refuse_texts(given, texts)
        needed = (*needed[:1], *((role,) for role in FURTHER[: (texts or 2) - 2]), *needed[1:])
    if not labelled:
        needed = (*(roles for roles in needed if roles not in _TARGETS), ("id",))
    for roles in needed:
        missing = [role for role in roles if role not in found]
        if not missing:
            continue
        if len(missing) < len(roles):
            raise UsageError(
                "only one of the two texts has a column",
                expected="a column named for both, or for neither, so that both are looked for",
                found=str(given),
                fix=f"{option(missing[0])} COLUMN",
            )
        candidates = _candidates(roles, free)
        if not candidates and roles == ("words",) and not labelled:
            candidates = _candidates(("text",), free)
        if len(candidates) == 1:
            found |= zip(roles, candidates[0], strict=True)
        elif candidates or roles not in _OPTIONAL:
            raise _unclear(roles, candidates, names, file)
    return Columns(**found)


def refuse_twice(given: Columns) -> None:
    """Raise `UsageError` if one column is named for two things; only an id may be what is read, too."""
    first: dict[str, str] = {}
    for role, name in given.chosen.items():
        if role == "id":
            continue
        if name in first:
            raise UsageError(
                f"one column is named for two things: {name}",
                expected="a column of its own for each",
                found=f"{option(first[name])} {name} {option(role)} {name}",
                fix=f"name another column for one of them: {option(role)} COLUMN",
            )
        first[name] = role


def reads(task: Task, given: Columns) -> bool:
    """Tell whether a task reads every column that is given.

    Examples
    --------
    >>> reads("classify", Columns(text="a", id="n")), reads("classify", Columns(words="a"))
    (True, False)
    """
    return not given.chosen.keys() - _roles(task)


def _roles(task: Task) -> set[str]:
    """Return what columns may be named for; ids and titles for every task: they are only handed on."""
    needed = _NEEDED[task]
    more = FURTHER if ("text_a", "text_b") in needed else ()
    return {role for roles in needed for role in roles} | {"id", "title", *more}


def _refuse_unread(given: Columns, task: Task) -> None:
    """Raise `UsageError` if a column is named for what the task does not read."""
    if reads(task, given):
        return
    roles = _roles(task)
    unread = [role for role in given.chosen if role not in roles]
    named = [one.name for one in fields(Columns) if one.name in roles - {"id", "title"}]
    raise UsageError(
        f"rows for {task} are read without {' and '.join(map(option, unread))}",
        expected=f"columns for {', '.join(map(option, named))}",
        found=" ".join(f"{option(role)} {given.of(role)}" for role in unread),
        fix=f"leave out {' and '.join(map(option, unread))}",
    )


def _refuse_texts(given: Columns, texts: int | None) -> None:
    """Raise `UsageError` for a fourth text without a third, or more texts than are to be read."""
    more = [role for role in FURTHER if role in given.chosen]
    if more == [FURTHER[1]]:
        raise UsageError(
            "a fourth text has a column, and a third has none",
            expected="a column for the third, too",
            found=str(given),
            fix="--text-c COLUMN",
        )
    if texts is not None and len(more) > texts - 2:
        raise UsageError(
            f"the model learnt from {texts} texts, and there are columns for {2 + len(more)}",
            expected=f"columns for {texts} texts",
            found=str(given),
            fix=f"leave out {' and '.join(map(option, more[texts - 2 :]))}",
        )


def _candidates(roles: tuple[str, ...], names: Sequence[str]) -> list[tuple[str, ...]]:
    columns: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        columns.setdefault(_fold(name), []).append(name)
    for group in _KNOWN[roles]:
        known = [[columns.get(_fold(name), []) for name in entry.split("+")] for entry in group.split()]
        candidates = [candidate for entry in known for candidate in product(*entry)]
        if candidates:
            return candidates
    return []


def known_columns(names: Sequence[str], role: str) -> list[str]:
    """Return the columns whose names are known for a role, by the first choice of names alone.

    Examples
    --------
    >>> known_columns(["a", "Nota"], "score"), known_columns(["label"], "score")
    (['Nota'], [])
    """
    known = {_fold(name) for name in _KNOWN[(role,)][0].split()}
    return [name for name in names if _fold(name) in known]


def known_pairs(names: Sequence[str], roles: tuple[str, str] = ("text_a", "text_b")) -> list[tuple[str, str]]:
    """Return the columns, two and two, whose names are known for the texts of a pair: first and second.

    Examples
    --------
    >>> known_pairs(["Hypothesis", "label", "premise"]), known_pairs(["a", "b"])
    ([('premise', 'Hypothesis')], [])
    >>> known_pairs(["context", "id", "question"], ("question", "passage"))
    [('question', 'context')]
    """
    parts = [roles] if roles in _KNOWN else [(role,) for role in roles]
    candidates = product(*(_candidates(part, names) for part in parts))
    return [(first, second) for first, second in (chain(*found) for found in candidates)]


def _fold(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", name).casefold() if letter.isalnum())


def _unclear(
    roles: tuple[str, ...], candidates: Sequence[tuple[str, ...]], names: Sequence[str], file: Path | None
) -> InputError:
    held = " and ".join(roles)
    what = f"no column is known to hold the {held}"
    values = ["COLUMN" for _ in roles]
    if candidates:
        either = " or ".join("+".join(candidate) for candidate in candidates)
        what, values = f"it is not clear what holds the {held}: {either}", list(candidates[0])
    known = [entry.replace("+", " and ") for group in _KNOWN[roles] for entry in group.split()]
    number = "one column" if len(roles) == 1 else "two columns"
    return InputError(
        what,
        expected=f"{number} named {', '.join(known[:_SHOWN])} or the like",
        found=list_columns(names),
        fix="say which: "
        + " ".join(f"{option(role)} {name}" for role, name in zip(roles, values, strict=True))
        + ("" if candidates else _other_task(roles, names)),
        file=file,
    )


def _other_task(roles: tuple[str, ...], names: Sequence[str]) -> str:
    """Return what a table is for: one with scores for labels, or with pairs for texts, or the reverse."""
    if roles == ("label",) and (found := known_columns(names, "score")):
        return f"; if the numbers in {found[0]} are to be learnt, the task is score"
    if roles == ("text",) and (pairs := known_pairs(names)):
        return (
            f"; {' and '.join(pairs[0])} are known as the two texts of a pair, and single texts are read here"
        )
    if roles == ("text_a", "text_b") and (found := known_columns(names, "text")):
        return f"; {found[0]} is known as a single text, and pairs are read here"
    if roles == ("score",) and (found := known_columns(names, "label")):
        return f"; if the names in {found[0]} are to be learnt, the task is classify"
    return ""
