"""Texts that were found, in the order of what a model of pairs says of query and text."""

from typing import TYPE_CHECKING, Any

from ambos.errors import UsageError

if TYPE_CHECKING:
    from ambos.predict.model import Model


class Ranking:
    """Puts the nearest texts in the order of a model that reads query and text together.

    Parameters
    ----------
    model
        Of pairs, with scores or labels.
    label
        Of those the one that means that a text fits.
    """

    def __init__(self, model: "Model", label: str | None) -> None:
        from ambos.data.windows import Ledger  # noqa: PLC0415

        self.model = model
        self.ledger = Ledger()
        task = model.learnt
        if not task.pairs and task.pairs is not None:
            raise UsageError(
                "the model of --rerank reads no pairs of texts",
                expected="one that `ambos finetune pair` made",
                found=f"a model for {task.name}",
            )
        if task.texts > 2:
            raise UsageError(
                f"the model of --rerank reads {task.texts} texts",
                expected="one that reads two, the query and a text",
                fix="fine-tune one without --text-c",
            )
        self.place = None
        if task.name == "classify":
            names = model.labels
            if label is None or label not in names:
                raise UsageError(
                    "it is not said which label of the --rerank model means that a text fits",
                    expected=f"one of {', '.join(names)}",
                    found=label or "no --label",
                    fix="name it: --label LABEL",
                )
            self.place = names.index(label)

    def __call__(self, query: str, hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the texts with their scores, the best first."""
        said = self.model.predict([(query, hit["text"]) for hit in hits], ledger=self.ledger)
        scores = [float(one if self.place is None else one.probabilities[self.place]) for one in said]
        scored = [{**hit, "score": score} for hit, score in zip(hits, scores, strict=True)]
        return sorted(scored, key=lambda hit: -hit["score"])
