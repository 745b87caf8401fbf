"""The report of the pair lab: what each way of reading pairs reaches, and what it costs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ambos.analysis.evaluation_pictures import words
from ambos.analysis.numbers import SPACE, duration, with_interval
from ambos.analysis.page import Page, Text, faint, strong
from ambos.analysis.pairs_advice import is_real, warned
from ambos.analysis.pairs_pictures import Result, draw_costs, draw_figures
from ambos.files import write_file


def write_pairs_report(folder: Path, result: Result) -> Path:
    """Write `report.html` into the folder of the lab."""
    rows = result["rows"]
    page = Page(
        folder.resolve().name,
        f"Ways of reading pairs, {result['task']} from {result['base']}: {rows['train']:,} training pairs, "
        f"measured with {_measured(result)}",
    )
    page.paragraph(strong(result["recommendation"]))
    for note in warned(result):
        page.paragraph(note)
    page.heading(f"{words(result['metric']).capitalize()}")
    page.picture(draw_figures(result), "With 95 % intervals; baselines, which have no encoder, in grey.")
    _show_figures(page, result)
    page.heading("Costs")
    page.picture(
        draw_costs(result),
        "What a scheme gains for what it costs: pairs a second where every text of one list meets every "
        "one of another (logarithmic).",
    )
    _show_costs(page, result)
    page.heading("With the two texts exchanged")
    _show_swapped(page, result)
    page.heading("What the systems are")
    _show_legend(page, result)
    write_file(folder / "report.html", page.html().encode())
    return folder / "report.html"


def _measured(result: Result) -> str:
    if result["split"] == "folds":
        return f"all of them, each held out once ({result['rows']['train']:,})"
    return f"{result['rows'][result['split']]:,} {result['split']} pairs"


def by_figure(result: Result) -> list[Mapping[str, Any]]:
    """Return all systems, best first."""
    sign = -1 if result["less_is_better"] else 1
    systems = [*result["candidates"], *result["baselines"]]
    return sorted(systems, key=lambda one: -sign * one["figure"]["value"])


def verdict(beside: Mapping[str, Any] | None, result: Result) -> str:
    """Return whether a difference from the best scheme is real, in a word."""
    if beside is None:
        return "best"
    if not is_real(beside):
        return "unclear"
    return "worse" if beside["better"] == result["best"] else "better"


def _show_figures(page: Page, result: Result) -> None:
    numbers = [f"{result['metric']} [95{SPACE}%]", f"from the best [95{SPACE}%]", "p"]
    rows: list[Sequence[Text]] = []
    for one in by_figure(result):
        beside = one["against_best"]
        apart = [with_interval(beside["difference"], sign="+"), f"{beside['p']:.4f}"] if beside else ["", ""]
        name = strong(one["name"]) if one["name"] == result["best"] else one["name"]
        rows.append([name, with_interval(one["figure"]), *apart, verdict(beside, result)])
    page.table(["system", *numbers, ""], rows, right=numbers)
    page.paragraph(
        faint(
            f"Paired: all systems answered the same pairs. {_tested(result)} p is corrected by Holm's method "
            "for all pairs of systems. A difference is taken for real where its interval is on one side of 0 "
            f"and p is below 0.05.{_chosen_here(result)}"
        )
    )
    if result["method"] == "seeds":
        metric = result["metric"]
        numbers = ["standard deviation over seeds", f"the run that is kept [95{SPACE}%]"]
        page.paragraph("What seeds change, and the run of each scheme that was best on the dev pairs:")
        page.table(
            ["scheme", *numbers],
            [
                [one["name"], f"{one['spread'][metric]['sd']:.4f}", with_interval(one["metrics"][metric])]
                for one in result["candidates"]
            ],
            right=numbers,
        )


def _tested(result: Result) -> str:
    """Return how a difference from the best is tested."""
    if result["method"] == "seeds":
        few = " Two seeds know little of how much seeds differ: if much, p is too small; three will do."
        return (
            "Figures of schemes are means over seeds. Their intervals, those of differences and p count the "
            "doubt about pairs (bootstrap) and about seeds (Student's t; of differences Welch's)."
            + few
            * any(one["runs"] == 2 for one in result["candidates"])
        )
    return "Intervals of differences are by bootstrap, p is by randomisation."


def _chosen_here(result: Result) -> str:
    """Return what flatters: that the best was chosen by the rows that it is measured with."""
    said = ""
    if len(result["candidates"]) > 1:
        said += (
            " The best scheme was chosen by these pairs, so its figure and interval are optimistic: it is "
            f"the best of {len(result['candidates'])}. Measure it with pairs that nobody has looked at."
        )
    if result["split"] == "dev":
        said += (
            " The weights were selected by the same dev pairs, which flatters all schemes: --test does not."
        )
    return said


def _show_costs(page: Page, result: Result) -> None:
    numbers = ["parameters", "training", "one pair", "pairs/s", "n x m pairs/s", "tokens read for n x m"]
    rows: list[Sequence[Text]] = [
        [
            one["name"],
            f"{one['parameters']:,}",
            duration(one["train_seconds"]),
            f"{1000 * one['costs']['latency']:.1f}{SPACE}ms",
            f"{one['costs']['pairs_per_second']:,.0f}",
            f"{one['costs']['grid_per_second']:,.0f}",
            f"{one['costs']['grid_tokens']:,}",
        ]
        for one in result["candidates"]
    ]
    page.table(["scheme", *numbers], rows, right=numbers)
    grid = result["candidates"][0]["costs"]["grid"]
    page.paragraph(
        faint(
            f"n x m: every one of {grid:,} first texts with every one of {grid:,} second texts. Schemes that "
            "read texts apart read each once; joint reads every pair, and its rate is measured with some."
        )
    )


def _show_swapped(page: Page, result: Result) -> None:
    scores = "mean_difference" in result["candidates"][0]["swapped"]
    if scores:
        rows: list[Sequence[Text]] = [
            [one["name"], f"{one['swapped']['mean_difference']:.3f}", f"{one['swapped']['correlation']:.3f}"]
            for one in result["candidates"]
        ]
        page.table(
            ["scheme", "mean difference", "correlation"], rows, right=["mean difference", "correlation"]
        )
    else:
        head = f"pairs that get another label [95{SPACE}%]"
        rows = [
            [
                one["name"],
                "{changed:.1%} [{low:.1%}, {high:.1%}]".format(**one["swapped"]),
            ]
            for one in result["candidates"]
        ]
        page.table(["scheme", head], rows, right=[head])
    asked = " Every pair was asked of the model that had not learnt from it." * (result["split"] == "folds")
    page.paragraph(
        faint(
            "For a symmetric relation, such as paraphrase, a model should not change its mind; for "
            f"entailment it should, where one text says more than the other.{asked}"
        )
    )


_WHAT = {
    "joint": "both texts in one sequence, read together; the head reads the first token",
    "concat": "each text read by itself; the head reads [a; b]",
    "difference": "each text read by itself; the head reads a - b",
    "product": "each text read by itself; the head reads a * b",
    "combined": "each text read by itself; the head reads [a; b; a - b; a * b]",
    "attention": "each text read by itself; then their tokens look at each other",
    "embed": "each text read by itself; the answer is the cosine of their vectors",
}


def _what(scheme: str, result: Result) -> str:
    """Return what a scheme does, as it was set."""
    said, how = _WHAT[scheme], result["pair"]
    if how["absolute"]:
        said = said.replace("a - b", "|a - b|")
    if scheme == "attention" and how["across"] == "self":
        said = said.replace("their tokens look at each other", "all tokens look at those of both")
    return f"{said}, by a hidden layer" if result["hidden"] and scheme != "embed" else said


def _show_legend(page: Page, result: Result) -> None:
    rows: list[Sequence[Text]] = [[one["name"], _what(one["name"], result)] for one in result["candidates"]]
    rows += [[one["name"], one["what"]] for one in result["baselines"]]
    page.table(["system", "what it is"], rows)
