"""config.json to and from the house's own description of an encoder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ambos.bundle.families import FAMILIES
from ambos.bundle.family import Family
from ambos.bundle.safe_files import short
from ambos.encoder.config import EncoderConfig
from ambos.errors import InputError
from ambos.suggest import did_you_mean

_ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}
_ACTIVATION_NAMES = {"gelu": "gelu", "gelu_tanh": "gelu_new", "relu": "relu", "silu": "silu", "tanh": "tanh"}
_NOT_BUILT = {
    "position_embedding_type": "absolute",
    "add_cross_attention": False,
    "quantization_config": None,
}
_LONGEST_MESSAGE = 500  # values out of a hostile file may be of any length
_COMPARE = "compare the config.json with the published one"
_NUMBERS = ("dropout", "attention_dropout", "embedding_dropout", "inner_dropout", "norm_eps", "initial_std")


def family_of(raw: Mapping[str, Any], file: Path | None = None) -> Family:
    """Return the family that a config.json names, after refusing what would need other code than ours."""
    if "auto_map" in raw or raw.get("trust_remote_code"):
        raise InputError(
            "this model asks to run code that comes with it",
            expected=f"a plain model of one of the families {', '.join(FAMILIES)}",
            found="auto_map in config.json",
            fix="code in a model folder is never run; look for a version of the model without it",
            file=file,
        )
    name = raw.get("model_type")
    if not isinstance(name, str) or name not in FAMILIES:
        raise InputError(
            "the family of this model is not one that ambos builds",
            expected=f"model_type to be one of {', '.join(FAMILIES)}",
            found=f"model_type {short(name)}",
            fix=(did_you_mean(name[:100], FAMILIES) if isinstance(name, str) else None)
            or "choose a model of one of these families",
            file=file,
        )
    return FAMILIES[name]


def read_config(raw: Mapping[str, Any], file: Path | None = None) -> EncoderConfig:
    """Turn a config.json into an `EncoderConfig`.

    Examples
    --------
    >>> read_config({"model_type": "roberta", "max_position_embeddings": 514}).context
    512
    """
    family = family_of(raw, file)
    values = {**family.defaults, **{key: value for key, value in raw.items() if value is not None}}
    for key, built in _NOT_BUILT.items():
        if values.get(key, built) != built:
            raise InputError(
                f"{key} {short(values[key])} is not built here",
                expected=f"{key} {built!r}",
                fix="choose a model without it",
                file=file,
            )
    settings: dict[str, Any] = {ours: values[theirs] for ours, theirs in family.settings.items()}
    settings["activation"] = activation_of(settings["activation"], file)
    settings.setdefault("embedding_dropout", settings.get("dropout", 0.0))
    settings["causal"] = bool(values.get("is_decoder", False))
    for name in _NUMBERS:
        value = settings.get(name, 0.0)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _not_a_number(name, value, "a number", file)
    token_width = settings.get("token_width", 1)
    if type(token_width) is not int:
        raise _not_a_number("token_width", token_width, "a whole number", file)
    try:
        settings.update(_PECULIAR.get(family.model_type, _nothing)(settings, values))
        return EncoderConfig(family=family.model_type, **settings)
    except InputError as error:
        error.file = None if file is None else str(file)
        error.found = error.found and error.found[:_LONGEST_MESSAGE]
        raise
    except (AttributeError, TypeError, ValueError, KeyError, OverflowError, ZeroDivisionError) as error:
        raise InputError(
            "this configuration cannot be built",
            expected=f"the settings of a {family.model_type} model",
            found=f"{type(error).__name__}: {error}"[:_LONGEST_MESSAGE],
            fix=_COMPARE,
            file=file,
        ) from error


def _not_a_number(name: str, value: object, expected: str, file: Path | None) -> InputError:
    return InputError(f"{name} is {short(value)}, not {expected}", expected=expected, fix=_COMPARE, file=file)


def activation_of(name: object, file: Path | None = None) -> str:
    """Return our name of an activation that a config.json names."""
    if not isinstance(name, str) or name not in _ACTIVATIONS:
        raise InputError(
            f"the activation {short(name)} is not built here",
            expected=f"one of {', '.join(_ACTIVATIONS)}",
            fix="choose a model with one of these",
            file=file,
        )
    return _ACTIVATIONS[name]


def _nothing(settings: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    return {}


def _roberta(settings: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    offset = values["pad_token_id"] + 1
    if type(offset) is not int or offset < 0:
        raise ValueError(f"pad_token_id {values['pad_token_id']!r}")
    return {"position_offset": offset, "context": settings["context"] - offset}


def _electra(settings: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    same = settings["token_width"] == settings["width"]
    return {"token_width": None if same else settings["token_width"]}


def _albert(settings: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    groups, inner, depth = values["num_hidden_groups"], values["inner_group_num"], settings["depth"]
    if any(type(value) is not int for value in (groups, inner, depth)):
        raise ValueError(f"{groups!r} groups of {inner!r} layers for a depth of {depth!r}")
    if not 1 <= groups <= depth <= 1000 or not 1 <= inner <= 1000 // depth:
        raise ValueError(f"{groups} groups of {inner} layers for a depth of {depth}")
    layers = [
        step * groups // depth * inner + place for step in range(depth) for place in range(inner)
    ]  # as transformers: step / (depth / groups), rounded down
    return {"layers": tuple(layers), "depth": len(layers), "layers_per_group": inner}


def _distilbert(settings: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    return {"norm_eps": 1e-12}


def _modernbert(settings: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    depth = settings["depth"]
    every = values["global_attn_every_n_layers"]
    kinds = values.get("layer_types")
    if kinds is None:
        if not 1 <= depth <= 1000:
            return {}
        kinds = ["sliding_attention" if step % every else "full_attention" for step in range(depth)]
    if len(kinds) != depth or not set(kinds) <= {"sliding_attention", "full_attention"}:
        raise ValueError(f"layer_types names {len(kinds)} layers, {sorted(set(kinds))}")
    rope = values.get("rope_parameters") or {}
    bases = {}
    for kind, key in (("full_attention", "global_rope_theta"), ("sliding_attention", "local_rope_theta")):
        parameters = rope.get(kind) or {}
        if parameters.get("rope_type", "default") != "default":
            raise ValueError(f"rotary positions of type {parameters['rope_type']}")
        bases[kind] = float(parameters.get("rope_theta", values[key]))
    return {
        "positions": "rotary",
        "norm_first": True,
        "gated": True,
        "dropout": 0.0,
        "local_layers": tuple(step for step, kind in enumerate(kinds) if kind == "sliding_attention"),
        "window": int(values["local_attention"]) // 2,
        "rotary_base": bases["full_attention"],
        "rotary_base_local": bases["sliding_attention"],
    }


_PECULIAR = {
    "roberta": _roberta,
    "xlm-roberta": _roberta,
    "camembert": _roberta,
    "electra": _electra,
    "albert": _albert,
    "distilbert": _distilbert,
    "modernbert": _modernbert,
}


def write_config(config: EncoderConfig) -> dict[str, Any]:
    """Turn an `EncoderConfig` into what config.json holds (classes, labels and special tokens aside).

    Raises ValueError where the family cannot say what the encoder is: such a model would load as another.
    """
    family = FAMILIES[config.family]
    raw: dict[str, Any] = {"model_type": family.model_type}
    raw |= {theirs: getattr(config, ours) for ours, theirs in family.settings.items()}
    raw[family.settings["activation"]] = _ACTIVATION_NAMES[config.activation]
    if config.causal:
        raw["is_decoder"] = True
    if config.position_offset:
        raw["max_position_embeddings"] = config.context + config.position_offset
        raw["pad_token_id"] = config.position_offset - 1
    if family.model_type == "electra" and config.token_width is None:
        raw["embedding_size"] = config.width
    if family.model_type == "albert":
        raw["num_hidden_groups"] = config.stored_layers // config.layers_per_group
        raw["inner_group_num"] = config.layers_per_group
        raw["num_hidden_layers"] = config.depth // config.layers_per_group
    if family.model_type == "modernbert":
        raw["layer_types"] = [
            "sliding_attention" if step in config.local_layers else "full_attention"
            for step in range(config.depth)
        ]
        raw["local_attention"] = 2 * (config.window or 0)
        raw["rope_parameters"] = {
            "full_attention": {"rope_type": "default", "rope_theta": config.rotary_base},
            "sliding_attention": {"rope_type": "default", "rope_theta": config.rotary_base_local},
        }
    if read_config(raw) != config:
        raise ValueError(f"a {config.family} config.json cannot say what this encoder is: {config}")
    return raw
