"""What an estimator remembers of its training."""

from typing import Any


class History:
    """The listener of a training loop that keeps its records, and prints a line for each measurement."""

    def __init__(self, *, verbose: bool) -> None:
        self.records: list[dict[str, Any]] = []
        self._verbose = verbose
        self._losses: list[float] = []

    def trained(self, record: dict[str, Any], seconds: float, operations: float) -> None:  # noqa: ARG002
        """Keep the record of a step."""
        self.records.append(record)
        self._losses.append(record["loss"])

    def evaluated(self, records: list[dict[str, Any]]) -> None:
        """Keep the records of a measurement."""
        if self._verbose:
            loss = sum(self._losses) / len(self._losses)
            figures = [f"{one['metric']} {one[one['metric']]['value']:.4f}" for one in records]
            print(", ".join([f"step {self.records[-1]['step']:,}: loss {loss:.4f}", *figures]))
        self._losses = []
        self.records += records

    def saved(self, step: int) -> None:
        """Do nothing: nothing is saved on the way."""
