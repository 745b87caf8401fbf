"""The settings of a pretraining run, in groups; what a recipe says."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from ambos.recipe import Settings

Share = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(ge=0, lt=1)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Objective = Literal["mlm", "next", "order", "span_boundary"]


class TokenizerSettings(Settings):
    """The vocabulary, where none is given."""

    kind: Literal["wordpiece", "bpe", "unigram"] = "wordpiece"
    """Algorithm: `wordpiece` (BERT), `bpe` (RoBERTa) or `unigram` (XLM-R)."""
    vocab_size: Count = 30_000
    """Number of ids; fewer where the text has no more."""
    uncased: bool = False
    """Fold case."""
    segments: bool = False
    """Of `unigram`: `[CLS] a [SEP] b [SEP]` with two segments (ALBERT) instead of one (XLM-R)."""


class ModelSettings(Settings):
    """The encoder."""

    preset: str = "bert-mini"
    """Whose size it has."""
    width: Count | None = None
    """Hidden size, if not that of `preset`; heads stay as wide, the feed-forward grows with it."""
    head_width: Count | None = None
    """Width of an attention head, if not that of `preset`; the hidden size must be a multiple of it."""
    depth: Count | None = None
    """Layers, if not those of `preset`."""
    family: str | None = None
    """The preset whose parts it is made of, if not those of `preset`: `roberta-base`, ..."""
    context: Count | None = None
    """Longest sequence, if not that of the family."""
    dropout: Rate | None = None
    """Of everything, if not as published."""
    initial_std: Positive | None = None
    """Standard deviation of new weights, if not as published."""
    neighbours: bool = False
    """Let heads begin by looking at neighbours; for families with rotary positions."""
    unigram_bias: bool = False
    """Start the output bias at the logarithm of the tokens' frequencies instead of at 0."""


class DataSettings(Settings):
    """How text becomes examples."""

    scheme: Literal["blocks", "sentences", "pairs"] = "pairs"
    """`blocks` of tokens, whole `sentences`, or `pairs` of segments."""
    short: Share = 0.1
    """Of pairs: share that aims at a random shorter length."""
    variants: Annotated[int, Field(ge=0)] = 0
    """Different corruptions of the data; 0, a new one in every epoch; 1, static."""
    alpha: Positive | None = None
    """Draw languages in proportion to their share of the sentences to this power."""


class Corruption(Settings):
    """What is hidden."""

    unit: Literal["token", "word", "span"] = "token"
    """What is chosen together."""
    spans: Literal["geometric", "inverse"] = "geometric"
    """Words of a span: geometric up to 10 (SpanBERT), or n in proportion to 1 / n up to 3 (ALBERT)."""
    rate: Annotated[float, Field(gt=0, lt=1)] = 0.15
    """Share of tokens chosen."""
    rate_end: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share at the end of the run, if it changes on the way."""
    mask: Share = 0.8
    """Share of the chosen that become the mask token."""
    random: Share = 0.1
    """Share of the chosen that become a random token."""

    @model_validator(mode="after")
    def _together(self) -> "Corruption":
        if self.mask + self.random > 1 + 1e-9:
            raise ValueError("mask and random together are more than 1")
        return self


class Optim(Settings):
    """The optimiser."""

    name: Literal["adamw", "muon", "lamb", "stable_adamw"] = "adamw"
    """`muon` for the matrices inside layers, AdamW for the rest; `lamb`, `stable_adamw`: steps by tensor."""
    lr: Positive = 1e-3
    """Peak learning rate."""
    matrix_lr: Positive | None = None
    """Peak learning rate of Muon's matrices, if it is another."""
    betas: tuple[Share, Share] = (0.9, 0.999)
    """Of AdamW."""
    eps: Positive = 1e-6
    """Of AdamW."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.01
    """Decoupled; not on biases and LayerNorms."""
    clip: Annotated[float, Field(ge=0)] = 1.0
    """Largest norm of the gradient; 0 for any."""
    average: Rate = 0.0
    """Decay of a running average of the weights (EMA), which is then measured and shipped; 0 for none."""


class ScheduleSettings(Settings):
    """The learning rate over the run."""

    shape: Literal["linear", "cosine", "constant", "trapezoid"] = "linear"
    """After the warm-up."""
    warmup: Share = 0.1
    """Share of the run in which it rises."""
    decay: Share = 0.2
    """Of a trapezoid: share of the run in which it falls."""
    end: Share = 0.0
    """Factor at the end."""


class Phase(Settings):
    """A part of the run with its own lengths and batches."""

    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the run."""
    length: Annotated[int, Field(ge=8)] = 128
    """Longest sequence, in tokens, special ones included."""
    sequences: Count = 32
    """Sequences of a step."""


class Evaluation(Settings):
    """Held-out text."""

    times: Count = 20
    """How often to measure, beside the start."""
    sequences: Count = 256
    """How many sequences of 128 tokens, at most."""


class Saving(Settings):
    """Checkpoints."""

    minutes: Positive = 5.0
    """Save this often."""
    steps: Annotated[int, Field(ge=0)] = 0
    """Save after so many steps, too; 0 not."""
    keep: Annotated[int, Field(ge=2)] = 2
    """How many to keep."""


class BudgetSettings(Settings):
    """How long to train: one of them."""

    minutes: Positive | None = None
    """Of the clock."""
    steps: Count | None = None
    """Updates."""
    tokens: Count | None = None
    """Tokens read."""

    @model_validator(mode="after")
    def _one(self) -> "BudgetSettings":
        if sum(value is not None for value in (self.minutes, self.steps, self.tokens)) > 1:
            raise ValueError("minutes, steps and tokens exclude each other")
        return self


def _only_mlm() -> dict[Objective, float]:
    return {"mlm": 1.0}


class PretrainRecipe(Settings):
    """All settings of a pretraining run."""

    page: ClassVar[str] = "docs/pretraining.md"

    name: str = "own"
    """What the recipe is called."""
    texts: list[str] = Field(default_factory=list)
    """Files, folders or globs to read, where the command names none."""
    base: str | None = None
    """Model to go on with, which brings its own size and tokenizer; without one, a new model begins."""
    seed: Seed = 0
    """Decides every draw: weights, order, corruption, dropout."""
    objectives: dict[Objective, Positive] = Field(default_factory=_only_mlm)
    """Parts of the loss and their weights; a weight of 0 leaves a part of the recipe out."""
    part_tokens: Count = 8192
    """Tokens computed at a time: more take more memory."""
    precision: Literal["fp32", "bf16", "auto"] = "fp32"
    """Of matrix products; weights and sums stay fp32. `auto`: bf16 where faster, for runs by minutes."""
    parallel: Literal["ddp", "fsdp"] = "ddp"
    """How several processes share the work."""
    tokenizer: TokenizerSettings = TokenizerSettings()
    model: ModelSettings = ModelSettings()
    data: DataSettings = DataSettings()
    corruption: Corruption = Corruption()
    optim: Optim = Optim()
    schedule: ScheduleSettings = ScheduleSettings()
    phases: list[Phase] = Field(default_factory=lambda: [Phase()], min_length=1)
    budget: BudgetSettings = BudgetSettings()
    evaluation: Evaluation = Evaluation()
    saving: Saving = Saving()

    @field_validator("objectives", mode="before")
    @classmethod
    def _without_zeros(cls, given: Any) -> Any:  # noqa: ANN401 (not checked yet)
        """Leave out what weighs nothing: settings laid over a recipe's cannot take parts away otherwise."""
        if not isinstance(given, dict):
            return given
        return {name: weight for name, weight in given.items() if weight != 0}

    @model_validator(mode="after")
    def _fits_together(self) -> "PretrainRecipe":
        problems = []
        related = {"next", "order"} & self.objectives.keys()
        if "mlm" not in self.objectives:
            problems.append("the objectives lack mlm")
        if len(related) > 1:
            problems.append("next and order exclude each other: a pair has one second segment")
        if related and self.data.scheme != "pairs":
            problems.append(f"the objective {related.pop()} needs data.scheme = pairs")
        if "span_boundary" in self.objectives and self.corruption.unit != "span":
            problems.append("the objective span_boundary needs corruption.unit = span")
        if abs(sum(phase.share for phase in self.phases) - 1) > 1e-6:
            problems.append("the shares of the phases do not add up to 1")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def relation(self) -> Literal["next", "order", "none"]:
        """What is asked of pairs."""
        if "next" in self.objectives:
            return "next"
        return "order" if "order" in self.objectives else "none"
