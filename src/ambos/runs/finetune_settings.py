"""The settings of a fine-tuning run, in groups; what a recipe says."""

from math import inf
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field, ValidationInfo, field_validator, model_validator

from ambos.data.detect_columns import FURTHER
from ambos.encoder.combine import Combination
from ambos.recipe import MisfitError, Settings
from ambos.runs.pair_settings import PairSettings
from ambos.runs.search_settings import SearchSettings
from ambos.runs.settings import Count, Positive, Rate, Saving, ScheduleSettings, Seed, Share

TaskName = Literal["classify", "score", "tag", "answer", "embed"]
Method = Literal["seeds", "folds", "search"]
Times = Annotated[int, Field(ge=0)]
TRIED = {"tried": True}
"""Context of a recipe (see `recipe.build`) of runs that try several schemes, or of one that has begun: what
the scheme makes nothing of is left aside. Of a run that is asked for by its scheme, it is refused."""
_COMBINED = 10.0  # the rate of a head that reads two vectors, if that of the encoder is 1


class HeadSettings(Settings):
    """The new head."""

    pooling: Literal["cls", "mean", "max"] | None = None
    """What a head reads; by default `cls`; of texts read apart `mean`, `max` of `attention` with `cross`."""
    hidden: bool = False
    """Put a linear layer with ReLU before the last one."""


class Learning(Settings):
    """The optimiser, and what of the encoder it changes."""

    lr: Positive | None = None
    """Peak learning rate; by default 5e-5 for an encoder of width 768, and more for narrower ones."""
    layer_decay: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Every layer learns at this factor of the rate of the layer above it."""
    head_lr: Positive | None = None
    """Factor of the learning rate for the new head; by default 1, and 10 where two vectors are combined."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.01
    """Decoupled; not on biases and LayerNorms."""
    betas: tuple[Share, Share] = (0.9, 0.999)
    """Of AdamW."""
    eps: Positive = 1e-8
    """Of AdamW."""
    clip: Annotated[float, Field(ge=0)] = 1.0
    """Largest norm of the gradient; 0 for any."""
    freeze: Annotated[int, Field(ge=0)] | Literal["all"] = 0
    """How many layers, from the first one and with the embeddings, stay as they are; `all`: the encoder."""
    dropout: Rate | None = None
    """Of everything, if not as the base has it."""
    smoothing: Rate = 0.0
    """Share of a target that is spread over all labels."""
    class_weights: Literal["none", "balanced"] | list[Positive] = "none"
    """How much examples of each label count: alike, in inverse proportion to their number, or as listed."""

    @field_validator("class_weights", mode="before")
    @classmethod
    def _weights(cls, value: object) -> object:
        """Say in one sentence what is wrong."""
        if value not in ("none", "balanced") and not (
            isinstance(value, list) and all(isinstance(one, int | float) and 0 < one < inf for one in value)
        ):
            raise ValueError("should be none, balanced, or a positive number for each label")
        return value


class Selection(Settings):
    """When to measure on the dev set, and which checkpoint is kept."""

    per_epoch: Count = 1
    """How often to measure in an epoch."""
    metric: str | None = None
    """What decides which checkpoint is best; by default the main metric of the task."""
    patience: Annotated[int, Field(ge=0)] = 0
    """Stop after so many measurements without a better one; 0, never."""


class Checks(Settings):
    """What is looked at once more when a run has ended, to warn of what went wrong."""

    rows: Times = 256
    """Training rows that are measured, to set beside the dev rows; 0, none."""
    sequences: Times = 256
    """Dev texts that tell what a base with a masked-LM head forgot; 0, that is not measured."""


class DataFiles(Settings):
    """Where the labelled rows are."""

    train: list[str] = Field(default_factory=list)
    """Files, folders or globs to learn from."""
    dev: list[str] = Field(default_factory=list)
    """Those that decide which weights are kept; without them a tenth of the training rows do."""
    test: list[str] = Field(default_factory=list)
    """Those to measure with at the end."""
    columns: dict[str, str] = Field(default_factory=dict)
    """What a column holds -> its name, where that is not clear from the names."""
    pairs: bool | None = None
    """Whether rows are pairs of texts, where that is not clear from the names of columns."""
    separator: Annotated[str, Field(min_length=1)] = "|"
    """Between several labels in one field."""
    encoding: str = "utf-8"
    """Of text files."""
    skip_bad: bool = False
    """Leave rows out that cannot be used, and count them, instead of refusing them."""


class FinetuneRecipe(Settings):
    """All settings of a fine-tuning run."""

    page: ClassVar[str] = "docs/finetuning.md"

    task: TaskName
    """What is learnt."""
    base: str = ""
    """The model to begin with."""
    several: bool = False
    """Of `classify`: a text may have any number of labels."""
    seed: Seed = 0
    """Decides every draw: the new head, order, dropout."""
    epochs: Positive = 4.0
    """How often every example is read."""
    minutes: Positive | None = None
    """Of the clock, instead of epochs."""
    batch: Count = 32
    """Examples of a step."""
    part_tokens: Count = 4096
    """Tokens computed at a time: more take more memory."""
    max_length: Annotated[int, Field(ge=8)] | None = None
    """Longest sequence in tokens, if not as the base reads."""
    long: Literal["cut", "head-tail", "windows", "error"] = "cut"
    """What becomes of longer ones."""
    precision: Literal["fp32", "bf16", "auto"] = "auto"
    """Of matrix products while training; weights and sums stay fp32. `auto`: bf16 where it is faster."""
    seeds: Times = 0
    """Train so many times, with this seed and the next ones; 0, once."""
    folds: Times = 0
    """Cross-validate with so many parts of the training rows, each held out once; 0, not."""
    data: DataFiles = DataFiles()
    head: HeadSettings = HeadSettings()
    pair: PairSettings = PairSettings()
    learning: Learning = Learning()
    schedule: ScheduleSettings = ScheduleSettings(warmup=0.1)
    selection: Selection = Selection()
    saving: Saving = Saving()
    checks: Checks = Checks()
    search: SearchSettings = SearchSettings()

    @property
    def method(self) -> Method | None:
        """What several runs are made for, if it is not one."""
        return next(iter(self._asked), None)

    @property
    def _asked(self) -> list[Method]:
        counts: dict[Method, int] = {"seeds": self.seeds, "folds": self.folds, "search": self.search.trials}
        return [name for name, count in counts.items() if count]

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> "FinetuneRecipe":
        tried = bool((info.context or {}).get("tried"))
        of_pairs = self._problems_of_pairs(tried=tried)
        problems = [] if tried else self._ignored
        if len(self._asked) > 1:
            problems.append(f"one of seeds, folds and search at a time, not {' and '.join(self._asked)}")
        problems += [f"{name} must be 2 or more" for name in ("seeds", "folds") if getattr(self, name) == 1]
        if self.several and self.task != "classify":
            problems.append("several labels are for classify alone")
        if self.learning.class_weights != "none" and self.task not in {"classify", "tag"}:
            problems.append(f"{self.task} has no classes to weight")
        if of_pairs:
            raise MisfitError("; ".join([*of_pairs, *problems]), group="pair")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def _ignored(self) -> list[str]:
        """What the task would make nothing of."""
        found = []
        if self.learning.smoothing and self.task not in {"classify", "tag"}:
            found.append(f"learning.smoothing is for labels, and {self.task} has none to smooth")
        if {"label", "score"} <= self.data.columns.keys():
            found.append(
                "data.columns.label and data.columns.score: one of them is learnt in a run, not both"
            )
        return found

    def _problems_of_pairs(self, *, tried: bool) -> list[str]:
        """Say what does not go with the scheme; where schemes are `tried`, it is left aside if it can be."""
        found = self._problems_of_next()
        if not tried:
            found += [*self.pair.ignored, *self._ignored_by_scheme]
        if (self.pair.scheme == "embed") != (self.task == "embed"):
            found.append("pair.scheme = embed is what the task embed learns, and nothing else")
        if self.pair.scheme != "joint" and self.task in {"tag", "answer"}:
            found.append(f"{self.task} reads no pairs that could be read apart")
        return found

    @property
    def _ignored_by_scheme(self) -> list[str]:
        """What is outside of the group `pair`, and the scheme would make nothing of."""
        of_head = {"head.hidden": self.head.hidden, "learning.head_lr": self.learning.head_lr}
        found = [
            f"{name} is for schemes with a head, and embed has none"
            for name, value in of_head.items()
            if value and self.pair.scheme == "embed"
        ]
        if self.head.pooling and self.task in {"tag", "answer"}:
            found.append(
                f"head.pooling is for heads that read a text as a whole, and {self.task} reads tokens"
            )
        if self.search.space and not self.search.trials:
            found.append("search.space is for a search, and search.trials asks for none")
        further = [f"data.columns.{role}" for role in FURTHER if role in self.data.columns]
        if further and (self.pair.scheme != "joint" or self.task in {"tag", "answer"}):
            other = self.task if self.pair.scheme == "joint" else self.pair.scheme
            found.append(
                f"{' and '.join(further)}: more than two texts are for the scheme joint, not for {other}"
            )
        return found

    def _problems_of_next(self) -> list[str]:
        """Say why the base's head for neighbouring sentences cannot be the beginning of this one."""
        if self.pair.start != "nsp" or self.pair.scheme != "joint":
            return []
        found = []
        if self.task not in {"classify", "score"}:
            found.append(f"pair.start = nsp is for labels and scores of pairs, not for {self.task}")
        if self.head.hidden:
            found.append("pair.start = nsp is a head without a hidden layer: leave out head.hidden")
        if self.head.pooling not in {None, "cls"}:
            found.append(
                f"pair.start = nsp reads the first token, not the {self.head.pooling} of all (head.pooling)"
            )
        if self.several:
            found.append("pair.start = nsp tells one label from another, and several may be right here")
        return found


def learning_rate(settings: Learning, width: int) -> float:
    """Return the peak learning rate: narrow encoders take larger ones.

    Examples
    --------
    >>> learning_rate(Learning(), 768), learning_rate(Learning(lr=1e-4), 768)
    (5e-05, 0.0001)
    """
    return settings.lr if settings.lr is not None else 5e-5 * 768 / width


def head_factor(settings: Learning, pair: PairSettings) -> float:
    """Return the factor of the learning rate for the new head.

    A head that reads a combination of two vectors has to learn how they compare from numbers that are small:
    components of a mean of tokens are about 0.25 in all-MiniLM-L6-v2, and their products 0.06. At the rate of
    the encoder it is too slow, and the encoder learns the training pairs by heart meanwhile (docs/pairs.md).

    Examples
    --------
    >>> head_factor(Learning(), PairSettings()), head_factor(Learning(), PairSettings(scheme="product"))
    (1.0, 10.0)
    """
    return settings.head_lr or (_COMBINED if pair.scheme in get_args(Combination) else 1.0)
