"""What `ambos doctor` shows of rows: a table of splits, one of labels, findings, and what training takes."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from ambos.cli.screen import printable, size, table

_LABELS = 20  # of the table
_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}

Value = Mapping[str, Any]


def show(console: Console, value: Value) -> None:
    """Print an examination, as the command gives it with `--json`."""
    splits = value["splits"]
    console.print(_rows(splits))
    if any(figures["labels"] for figures in splits.values()):
        console.print()
        _show_labels(console, splits)
    if any(figures["tokens"] for figures in splits.values()):
        console.print()
        console.print(_lengths(splits, value["max_length"]))
    console.print()
    _show_findings(console, value["findings"])
    if value["estimate"] is not None:
        console.print()
        _show_estimate(console, value)


def _rows(splits: Value) -> Table:
    scored = any(figures["scores"] for figures in splits.values())
    columns = ["rows", "empty", "repeated", "in train, too", *(["scores", "mean"] if scored else [])]
    rows = table("split", *columns, right=columns)
    for name, figures in splits.items():
        cells = [f"{figures[key]:,}" for key in ("rows", "empty", "duplicates", "in_train")]
        if name == "train":
            cells[-1] = ""
        scores = figures["scores"]
        if scores:
            cells += [f"{scores['least']:g} to {scores['most']:g}", f"{scores['mean']:.2f}"]
        rows.add_row(name, *cells)
    return rows


def _lengths(splits: Value, limit: int | None) -> Table:
    beyond = f"beyond {limit:,}" if limit else "cut"
    columns = [
        "50 %",
        "90 %",
        "99 %",
        "longest",
        f"rows {beyond}",
        f"tokens {beyond}",
        "tokens/word",
        "unknown",
    ]
    rows = table("tokens of a row", *columns, right=columns)
    for name, figures in splits.items():
        tokens = figures["tokens"]
        if tokens:
            cells = [f"{tokens[key]:,}" for key in ("p50", "p90", "p99", "longest")]
            shares = [tokens["cut_rows"] / figures["rows"], tokens["cut_tokens"] / tokens["tokens"]]
            cells += [f"{share:.1%}" for share in shares]
            rows.add_row(name, *cells, f"{tokens['fertility']:.2f}", f"{tokens['unknown']:.1%}")
    return rows


def _show_labels(console: Console, splits: Value) -> None:
    labels = list(dict.fromkeys(label for figures in splits.values() for label in figures["labels"]))
    names = list(splits)
    rows = table("label", *names, right=names)
    for label in labels[:_LABELS]:
        shares = [figures["labels"].get(label) for figures in splits.values()]
        cells = [f"{share['count']:,} {share['share']:>6.1%}" if share else f"0 {'-':>6}" for share in shares]
        rows.add_row(printable(label), *cells)
    console.print(rows)
    if len(labels) > _LABELS:
        console.print(f"[dim]and {len(labels) - _LABELS:,} more[/]")


def _show_findings(console: Console, findings: list[Value]) -> None:
    if not findings:
        console.print("[bold green]nothing found that is wrong[/]")
    for finding in findings:
        severity = finding["severity"]
        label = f"[{_COLOURS[severity]}]{severity:<7}[/]"
        console.print(f"{label}  {printable(finding['what'])}", soft_wrap=True)
        console.print(f"{'':9}[cyan]fix[/]  {printable(finding['fix'])}", soft_wrap=True)
        lines: dict[str, list[int]] = {}
        for file, line in finding["examples"]:
            lines.setdefault(file, []).append(line)
        for file, numbers in lines.items():
            where = f"{'line' if len(numbers) == 1 else 'lines'} {', '.join(map(str, numbers))}"
            console.print(f"{'':9}[cyan]see[/]  {printable(file)}, {where}", soft_wrap=True)
        if finding["ids"]:
            questions = (
                f"{'question' if len(finding['ids']) == 1 else 'questions'} {', '.join(finding['ids'])}"
            )
            console.print(f"{'':9}[cyan]see[/]  {printable(questions)}", soft_wrap=True)


def _show_estimate(console: Console, value: Value) -> None:
    cost = value["estimate"]
    console.print(
        f"Fine-tuning {printable(value['model'])} for {cost['epochs']:g} epochs would take about "
        f"[bold]{duration(cost['seconds'])}[/] and [bold]{size(cost['bytes'])}[/] of memory."
    )
    learning, measuring = (
        f"{cost[count] / 1e9:,.0f} billion operations in matrix products, "
        f"at {cost['share']:.0%} of the {cost[speed] / 1e9:,.0f} billion a second that it reaches now"
        for count, speed in (("operations", "speed"), ("measuring", "measuring_speed"))
    )
    console.print(
        "[dim]A rough estimate for this machine; small models take two or three times as long. "
        f"Time: {cost['steps']:,} steps of {learning}; to measure, {measuring}. Memory: "
        f"{size(cost['weights'])} for weights and optimiser, {size(cost['activations'])} for what a step "
        "remembers, the rest for the program.[/]"
    )


def duration(seconds: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> duration(42), duration(200), duration(9000)
    ('42 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
