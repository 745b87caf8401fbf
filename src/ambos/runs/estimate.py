"""How long fine-tuning would take, and how much memory, before anything is trained."""

import math
from dataclasses import dataclass, replace

from ambos.data.tally_rows import TokenFigures
from ambos.encoder.config import EncoderConfig
from ambos.encoder.operations import encoder_operations
from ambos.runs.finetune_settings import FinetuneRecipe

SHARE = 0.45  # of the speed of matrix products that fine-tuning reaches
_AT_THE_END = 2  # passes over the dev rows: the temperature is fitted, and the saved model measured
_KEPT = 24  # bytes of a parameter: weight, gradients of two parts, two moments, the best weights so far
_PROGRAM = 400_000_000  # bytes of Python, torch and all that is loaded


@dataclass(frozen=True)
class Cost:
    """What fine-tuning would take.

    Parameters
    ----------
    steps
        Updates of the weights.
    operations, measuring
        Of the matrix products: three times those of a forward pass for training; once for measuring.
    seconds
        They take at `share` of the speed of each.
    weights, activations
        Bytes of the parameters with all that is kept for each, and of what one part of a step must remember.
    bytes
        Of all memory, the program's own among it.
    speed, measuring_speed
        Operations a second, in the precision of training and in float32.
    """

    steps: int
    operations: float
    measuring: float
    seconds: float
    weights: int
    activations: int
    bytes: int
    speed: float
    measuring_speed: float
    share: float


@dataclass(frozen=True)
class Amount:
    """How much there is to read: so many rows of so many tokens, the longest of which has `longest`.

    `read` is how many of a row's tokens a head reads.
    """

    rows: int
    tokens: int
    longest: int
    read: float

    @classmethod
    def of(cls, rows: int, figures: TokenFigures, recipe: FinetuneRecipe, limit: int) -> "Amount":
        """Read it off the figures of a split, as a recipe would read the rows."""
        tokens = figures.tokens - figures.cut_tokens
        mean = tokens / rows
        read = 1.0
        if recipe.task == "tag":
            read = mean / max(1.0, figures.fertility)
        elif recipe.task == "answer" or recipe.head.pooling in {"mean", "max"}:
            read = mean
        return cls(rows, tokens, min(limit, figures.longest), read)

    def part(self, share: float) -> "Amount":
        """Return a share of it."""
        return replace(self, rows=max(1, round(share * self.rows)), tokens=round(share * self.tokens))

    def operations(self, config: EncoderConfig) -> float:
        """Count the operations of a forward pass of all rows, as if they were of equal length."""
        length = max(1, round(self.tokens / self.rows))
        return self.rows * encoder_operations(config, [length], max(1, round(self.read)))


def estimate_finetuning(
    config: EncoderConfig,
    parameters: int,
    recipe: FinetuneRecipe,
    train: Amount,
    dev: Amount | None,
    test: Amount | None = None,
    *,
    speed: float,
    measuring_speed: float | None = None,
    share: float = SHARE,
) -> Cost:
    """Estimate the time and the memory of a run, roughly: small models take two or three times as long.

    Time is that of the matrix products, at a share of what the machine reaches with them alone, which stands
    for all else that a step does. Reading the files, and a process that shares the cores, are not counted.

    Parameters
    ----------
    parameters
        Of the whole model.
    train, dev, test
        What is learnt from; what is measured after every epoch, calibrates, and is measured at the end; what
        is measured at the end.
    speed, measuring_speed
        Operations a second of training and of measuring, which is in float32 always, as
        `ambos.train.machine.matrix_speed` measures them; by default the same.

    Examples
    --------
    >>> from ambos.encoder.presets import PRESETS
    >>> recipe = FinetuneRecipe(task="classify", epochs=2)
    >>> rows = Amount(rows=1000, tokens=128_000, longest=128, read=1)
    >>> cost = estimate_finetuning(PRESETS["bert-mini"].encoder, 11_200_000, recipe, rows, None, speed=1e11)
    >>> cost.steps, round(cost.seconds)
    (64, 92)
    """
    steps = max(1, round(recipe.epochs * math.ceil(train.rows / recipe.batch)))
    evaluations = max(1, round(recipe.epochs * recipe.selection.per_epoch))
    operations = 3 * recipe.epochs * train.operations(config)
    measuring = (evaluations + _AT_THE_END) * dev.operations(config) if dev else 0.0
    measuring += test.operations(config) if test else 0.0
    measuring_speed = measuring_speed or speed
    weights = _KEPT * parameters
    activations = _activations(config, recipe, train)
    return Cost(
        steps=steps,
        operations=operations,
        measuring=measuring,
        seconds=(operations / speed + measuring / measuring_speed) / share,
        weights=weights,
        activations=activations,
        bytes=weights + activations + _PROGRAM,
        speed=speed,
        measuring_speed=measuring_speed,
        share=share,
    )


def _activations(config: EncoderConfig, recipe: FinetuneRecipe, train: Amount) -> int:
    """Return the bytes that a part of a step keeps for its gradients.

    Of each token and layer: ten vectors of the width (inputs of linear layers and norms, queries, keys,
    values, contexts, dropout masks), two of the inner width, three where it is gated; and where attention
    has dropout, three numbers for every head and token that it meets.
    """
    mean = train.tokens / train.rows
    tokens = min(max(recipe.part_tokens, train.longest), recipe.batch * mean + train.longest)
    dropout = config.attention_dropout if recipe.learning.dropout is None else recipe.learning.dropout
    vectors = 10 * config.width + (3 if config.gated else 2) * config.inner_width
    met = 3 * config.heads * mean if dropout else 0
    return round(4 * tokens * config.depth * (vectors + met))
