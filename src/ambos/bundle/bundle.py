"""The folder a user ships: what `transformers` reads, and ambos.json."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from ambos import __version__
from ambos.bundle.configs import family_of, read_config, write_config
from ambos.bundle.families import FAMILIES
from ambos.bundle.family import Family
from ambos.bundle.keys import Match, match_tensors, name_tensors
from ambos.bundle.loading import load_network
from ambos.bundle.manifest import ENTRIES, FILE, FORMAT, read_manifest
from ambos.bundle.network import (
    Network,
    build_head,
    build_network,
    build_pooler,
    fill_new,
    head_input,
    tie,
)
from ambos.bundle.resolve import resolve
from ambos.bundle.safe_files import parse_object, read_whole
from ambos.bundle.sentence import SentenceSettings, read_sentence_settings, write_sentence_settings
from ambos.bundle.weights import Weights, write_weights
from ambos.encoder.config import EncoderConfig
from ambos.encoder.packed import PackedLinear
from ambos.errors import InputError
from ambos.files import new_folder, sha256
from ambos.text.tokenizer import Tokenizer
from ambos.text.tokenizer_files import has_tokenizer

_MAX_CONFIG = 20_000_000
# Keys of config.json that would speak of the file that was read, not of the one that is written.
_NOT_KEPT = frozenset({"torch_dtype", "_name_or_path", "id2label", "label2id", "num_labels"})
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
        How a pair of texts is read; "joint" is one input of two segments.
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

    @property
    def config(self) -> EncoderConfig:
        """The shape of the encoder."""
        return self.network.encoder.config

    @property
    def family(self) -> Family:
        """Whose names the weights have when saved."""
        return FAMILIES[self.config.family]

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
        manifest = read_manifest(folder)
        file = inside / "config.json"
        raw = parse_object(read_whole(file, _MAX_CONFIG), file, part="the configuration")
        family = family_of(raw, file)
        config = read_config(raw, file)
        loaded = load_network(Weights.open(inside), raw, config, family, inside)
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
        return cls(
            loaded.network,
            raw,
            tokenizer,
            task=stated if stated in loaded.network.heads else loaded.task,
            labels=loaded.labels,
            pair=str(manifest.get("pair", "joint")),
            sentence=sentence,
            source=folder,
            unused=loaded.unused,
            provenance=dict(manifest.get("provenance", {})),
        )

    def require(self, kind: str) -> None:
        """Raise `InputError` if the model has no head of this kind."""
        if kind not in self.network.heads:
            raise InputError(
                f"this model has no {kind} head",
                expected=f"a model that {TASKS[kind]}",
                found=f"a model that {TASKS[self.task]}" if self.task != "embed" else TASKS["embed"],
                fix="choose a model with such a head, or train one; a new, untrained head must be asked for",
                file=self.source,
            )

    def add_head(self, kind: str, labels: tuple[str, ...] = (), *, seed: int = 0) -> None:
        """Attach a new head with random weights, and make it the model's task. It must be trained.

        The heads of pretraining (mlm, next) stay together; otherwise the new head takes the place of the
        others, because a class of `transformers`, and so a saved folder, has one.

        Parameters
        ----------
        kind
            mlm, next, classify, tag, answer or replaced, where the family has it.
        labels
            Names of the outputs, for classify and tag.
        """
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
            self.write(work)
        return out

    def write(self, folder: Path) -> None:
        """Write the files into an existing empty folder."""
        if self.tokenizer is not None:
            self.tokenizer.save(folder)
        if self.sentence is not None:
            write_sentence_settings(folder, self.sentence, self.config.width)
        if self.card:
            (folder / "README.md").write_text(self.card, encoding="utf-8")
        bare = not self.network.heads
        matches = list(match_tensors(self.network, self.family, "" if bare else f"{self.family.base}."))
        self._refuse_loss(matches)
        tied = self._tied()
        write_weights(folder, name_tensors(self.network, matches, tied))
        _write_json(folder / "config.json", self._config_json(tied=bool(tied)))
        manifest = {
            "format": FORMAT,
            "task": self.task,
            "labels": list(self.labels),
            "pair": self.pair,
            "provenance": {
                **self.provenance,
                "written_by": f"ambos {__version__}",
                "written": datetime.now(UTC).isoformat(timespec="seconds"),
            },
            "files": {
                str(file.relative_to(folder)): sha256(file)
                for file in sorted(folder.rglob("*"))
                if file.is_file()
            },
        }
        _write_json(folder / FILE, manifest)

    def _refuse_loss(self, matches: list[Match]) -> None:
        """Raise ValueError rather than write a folder that would hold less than the network does."""
        if any(isinstance(part, PackedLinear) for part in self.network.modules()):
            raise ValueError("these weights are laid out for inference; load the model anew to save it")
        named = {name for match in matches for name in match.ours}
        left = {name for name, _ in self.network.named_parameters(remove_duplicate=False)} - named
        if left:
            raise ValueError(f"{self.family.model_type} has no name for {', '.join(sorted(left))}")

    def _tied(self) -> set[str]:
        """Names of parameters that are the token table itself."""
        table = self.network.encoder.embeddings.token.weight
        known = self.network.named_parameters(remove_duplicate=False)
        return {name for name, weight in known if weight is table and name.startswith("heads.")}

    def _config_json(self, *, tied: bool) -> dict[str, Any]:
        raw = {key: value for key, value in self.raw.items() if key not in _NOT_KEPT}
        raw |= {"architectures": [self.class_name], "dtype": "float32"}
        if "mlm" in self.network.heads:
            raw["tie_word_embeddings"] = tied
        if self.labels:
            raw["id2label"] = {str(number): label for number, label in enumerate(self.labels)}
            raw["label2id"] = {label: number for number, label in enumerate(self.labels)}
        if self.tokenizer is not None:
            raw.setdefault("pad_token_id", self.tokenizer.special_id("pad"))
        return raw

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


def _write_json(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
