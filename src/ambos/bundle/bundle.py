"""The folder a user ships: what `transformers` reads, and ambos.json."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from ambos.bundle.configs import family_of, read_config, write_config
from ambos.bundle.families import FAMILIES
from ambos.bundle.family import Family
from ambos.bundle.loading import load_network
from ambos.bundle.manifest import ENTRIES, FILE, read_manifest
from ambos.bundle.network import (
    Network,
    build_head,
    build_network,
    build_pooler,
    fill_new,
    head_input,
    tie,
)
from ambos.bundle.own_head import OwnHead, own_head, with_own_head
from ambos.bundle.resolve import refuse_no_model, resolve
from ambos.bundle.safe_files import parse_object, read_whole
from ambos.bundle.sentence import SentenceSettings, read_sentence_settings
from ambos.bundle.weights import Weights
from ambos.bundle.writing import write_files
from ambos.encoder.combine import Twin
from ambos.encoder.config import EncoderConfig
from ambos.encoder.pooling import Pooling
from ambos.errors import InputError, UsageError
from ambos.files import new_folder
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_files import has_tokenizer

_MAX_CONFIG = 20_000_000
TASKS = {
    "embed": "a bare encoder",
    "mlm": "fills masks",
    "next": "tells whether two texts follow each other",
    "classify": "classifies texts",
    "tag": "tags words",
    "answer": "finds answers in a passage",
    "replaced": "tells replaced tokens from original ones",
}


@dataclass
class Bundle:
    """A model with everything needed to use it.

    Parameters
    ----------
    network
        Encoder and heads, on the CPU in float32.
    raw
        What config.json says, kept whole so that saving loses nothing.
    tokenizer
        None if the folder has no tokenizer files.
    task
        What the model is for: a key of `TASKS`.
    labels
        Names of the outputs of a `classify` or `tag` head, in order.
    pair
        How a pair of texts is read; "joint" is one input of two segments, else they are read apart, and meet
        in the scheme of a `Twin`, or ("embed") in the cosine of their vectors.
    sentence
        How embeddings of texts are made, where the folder says so.
    source
        Where it was loaded from.
    unused
        Tensors of the file that no part of the network took.
    provenance
        Where the model comes from, in its maker's words; goes into ambos.json.
    card
        What the model is, for people; goes into README.md.
    own
        The head, where it is not one of the family's own.
    learnt
        What it was fine-tuned for: `name`, classify, score, tag or answer, and what its predictions need.

    Examples
    --------
    >>> bundle = Bundle.load("folder")  # doctest: +SKIP
    >>> bundle.save("copy")  # doctest: +SKIP
    """

    network: Network
    raw: dict[str, Any]
    tokenizer: Tokenizer | None = None
    task: str = "embed"
    labels: tuple[str, ...] = ()
    pair: str = "joint"
    sentence: SentenceSettings | None = None
    source: Path | None = None
    unused: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
    card: str = ""
    own: OwnHead | None = None
    learnt: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> EncoderConfig:
        """The shape of the encoder."""
        return self.network.encoder.config

    @property
    def family(self) -> Family:
        """Whose names the weights have when saved."""
        return with_own_head(FAMILIES[self.config.family], self.own)

    @property
    def pooling(self) -> str:
        """How the tokens of a text become its vector: as it was learnt, else by the mean."""
        if self.sentence is not None:
            return self.sentence.pooling
        return self.own.pooling if self.own is not None and self.own.twin is not None else "mean"

    @classmethod
    def new(
        cls, config: EncoderConfig, tokenizer: Tokenizer | None = None, *, pooler: bool = False, seed: int = 0
    ) -> "Bundle":
        """Make a model with new random weights; add heads with `add_head`."""
        with torch.device("meta"):
            network = build_network(config, pooler=pooler)
        fill_new(network, config, seed)
        return cls(network.eval(), write_config(config), tokenizer)

    @classmethod
    def load(cls, name: str | Path) -> "Bundle":
        """Read a folder, an installed package of weights, or a hub id; see `ambos.bundle.resolve`.

        Nothing in the folder is run, and nothing is allocated before every size has been checked.

        Raises
        ------
        InputError
            If something is missing, does not fit together, or would need code of its own.
        """
        folder = resolve(name)
        sentence = read_sentence_settings(folder)
        inside = folder / sentence.folder if sentence else folder
        refuse_no_model(inside)
        manifest = read_manifest(folder)
        file = inside / "config.json"
        raw = parse_object(read_whole(file, _MAX_CONFIG), file, part="the configuration")
        own = OwnHead.read(manifest["head"], folder / FILE) if manifest.get("head") else None
        family = with_own_head(family_of(raw, file), own)
        config = read_config(raw, file)
        loaded = load_network(Weights.open(inside), raw, config, family, inside, own.kind if own else None)
        if manifest and tuple(manifest["labels"]) != loaded.labels:
            raise InputError(
                "the labels in ambos.json and config.json differ",
                expected=", ".join(loaded.labels) or "no labels",
                found=", ".join(map(str, manifest["labels"])) or "no labels",
                fix="copy the bundle again; labels are never reordered by guess",
                file=folder,
            )
        tokenizer = Tokenizer.load(inside) if has_tokenizer(inside) else None
        stated = str(manifest.get("task"))
        if sentence is not None:
            loaded.network.reads["embed"] = sentence.reads
        return cls(
            loaded.network,
            raw,
            tokenizer,
            task=stated if stated in loaded.network.heads else loaded.task,
            labels=loaded.labels,
            pair=str(manifest.get("pair", "joint" if loaded.network.heads or sentence is None else "embed")),
            sentence=sentence,
            source=folder,
            unused=loaded.unused,
            provenance=dict(manifest.get("provenance", {})),
            own=own,
            learnt=dict(manifest.get("learnt") or {}),
        )

    @property
    def apart(self) -> bool:
        """Whether it reads the two texts of a pair apart."""
        return self.pair != "joint"

    def require(self, kind: str, fix: str = "choose a model with such a head, or train one") -> None:
        """Raise `InputError` if the model has no head of this kind; `fix` says what to do then."""
        if kind not in self.network.heads:
            raise InputError(
                f"this model has no {kind} head",
                expected=f"a model that {TASKS[kind]}",
                found=f"a model that {TASKS[self.task]}" if self.task != "embed" else TASKS["embed"],
                fix=fix,
                file=self.source,
            )

    def add_head(
        self,
        kind: str,
        labels: tuple[str, ...] = (),
        *,
        pooling: Pooling | None = None,
        hidden: bool = False,
        twin: Twin | None = None,
        seed: int = 0,
    ) -> None:
        """Attach a new head with random weights, and make it the model's task. It must be trained.

        The heads of pretraining (mlm, next) stay together; otherwise the new head takes the place of the
        others, because a class of `transformers`, and so a saved folder, has one.

        Parameters
        ----------
        kind
            mlm, next, classify, tag, answer or replaced, where the family has it.
        labels
            Names of the outputs, for classify and tag.
        pooling
            What a head of texts reads: the first token (cls), the mean or the maximum of all; None as the
            family has it. Others than the family's, and hidden layers, are saved as `OwnHead` says.
        hidden
            Whether a linear layer with ReLU comes before the last one.
        twin
            Of a classify head: it reads pairs whose texts were read apart, which meet so.
        """
        if twin is not None and twin.scheme == "attention" and self.config.width % twin.heads:
            raise UsageError(
                "the heads of the attention do not divide the width",
                expected=f"a divisor of {self.config.width}",
                found=f"{twin.heads} heads",
                fix="--set pair.heads=N",
            )
        self.own = own_head(FAMILIES[self.config.family], kind, pooling, hidden, twin)
        self.pair = "joint" if twin is None else twin.scheme
        stated = kind == "classify" and "classifier_pooling" in self.family.defaults
        if self.own is None and pooling is not None and stated:
            self.raw["classifier_pooling"] = "mean" if pooling == "mean" else "cls"
        self.learnt = {}
        outputs = self._outputs(kind, labels)
        shape, settings = self.family.heads[kind], {**self.family.defaults, **self.raw}
        for other in set(self.network.heads) - ({"mlm", "next"} if kind in {"mlm", "next"} else set()):
            self.network.drop_head(other)
        with torch.device("meta"):
            head = build_head(shape, self.config, outputs=outputs, settings=settings)
            pooler = build_pooler(self.config)
        fill_new(head, self.config, seed)
        if shape.reads == "pooled" and self.network.pooler is None:
            fill_new(pooler, self.config, seed + 1)
            self.network.pooler = pooler.eval()
        self.network.add_head(kind, head.eval(), head_input(self.family, kind, settings))
        if kind == "mlm":
            tie(self.network)
        self.task, self.labels = kind, tuple(labels)

    def bare(self, pooling: Pooling | None = None) -> None:
        """Take all heads away: what is left makes vectors of texts, of which cosines tell how alike they are.

        Parameters
        ----------
        pooling
            How; None as the model says, or by the mean.
        """
        for kind in list(self.network.heads):
            self.network.drop_head(kind)
        self.network.pooler = None
        said = self.sentence or SentenceSettings()
        self.sentence = replace(said, pooling=pooling or said.pooling, normalize=True, folder="")
        self.network.reads["embed"] = self.sentence.reads
        self.task, self.labels, self.own, self.learnt, self.pair = "embed", (), None, {}, "embed"

    @torch.no_grad()
    def grow_segments(self, count: int) -> None:
        """Give the model as many segments as `count`; new ones begin as copies of its last one."""
        table = self.network.encoder.embeddings.segment
        if table is None or count < len(table.weight):
            raise ValueError("segments can only be added to a table that there is")
        new = table.weight[-1:].expand(count - len(table.weight), -1)
        rows = torch.cat([table.weight, new])
        self.network.encoder.embeddings.segment = torch.nn.Embedding(count, rows.shape[1], _weight=rows)
        self.network.encoder.config = replace(self.config, segments=count)
        self.raw[self.family.settings["segments"]] = count

    def _outputs(self, kind: str, labels: tuple[str, ...]) -> int:
        """Return how many outputs a new head has, or raise `InputError` if there can be no such head."""
        shape = self.family.heads.get(kind)
        if shape is None:
            raise InputError(
                f"{self.family.model_type} models have no {kind} head",
                expected=f"one of {', '.join(self.family.heads)}",
            )
        fixed = self.config.vocab_size if kind == "mlm" else shape.outputs
        if (fixed is None) != bool(labels) or len(set(labels)) != len(labels):
            raise InputError(
                f"the labels of a {kind} head are not right",
                expected="at least one label, each once" if fixed is None else "no labels",
                found=", ".join(labels) or "no labels",
            )
        if kind == "next" and shape.suffix == "ForPreTraining" and "mlm" not in self.network.heads:
            raise InputError(
                f"{self.family.model_type} has its next head only together with the mlm head",
                fix='add_head("mlm") first',
            )
        return fixed or len(labels)

    def save(self, out: str | Path, *, force: bool = False) -> Path:
        """Write the folder, whole or not at all; `transformers` opens it as it is."""
        out = Path(out)
        with new_folder(out, entries=ENTRIES, force=force) as work:
            write_files(self, work)
        return out

    @property
    def class_name(self) -> str:
        """The class of `transformers` that it is saved as."""
        kinds = set(self.network.heads)
        if not kinds:
            suffix = "Model"
        elif kinds == {"mlm", "next"}:
            suffix = "ForPreTraining"
        else:
            suffix = self.family.heads[self.task].suffix
        return self.family.class_prefix + suffix


def parameters(module: torch.nn.Module | None) -> int:
    """Count the parameters of a module; shared ones once."""
    return 0 if module is None else sum(weight.numel() for weight in module.parameters())
