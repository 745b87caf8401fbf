"""How many parameters a shape or a model has, part by part; a weight that two parts share counts once."""

import torch
from torch import nn

from ambos.bundle.bundle import parameters
from ambos.bundle.configs import write_config
from ambos.bundle.families import FAMILIES
from ambos.bundle.network import Network, build_head, build_network, tie
from ambos.encoder.presets import Preset


def count_parameters(preset: Preset) -> tuple[int, int]:
    """Count the parameters of a published shape, as `transformers` does; nothing is allocated.

    Returns
    -------
    tuple of int
        Of the encoder, with the pooler where the family has one; and of the model as it was pretrained, with
        its heads (a masked-LM head alone comes without the pooler).

    Examples
    --------
    >>> from ambos.encoder.presets import PRESETS
    >>> count_parameters(PRESETS["bert-base"])
    (109482240, 110106428)
    """
    config, family = preset.encoder, FAMILIES[preset.encoder.family]
    settings = {**family.defaults, **write_config(config)}
    with torch.device("meta"):
        network = build_network(config, pooler=family.pooler is not None)
        bare = parameters(network)
        for kind in preset.objective.split("+"):
            shape = family.heads[kind]
            outputs = shape.outputs or config.vocab_size
            head = build_head(shape, config, outputs=outputs, settings=settings)
            network.add_head(kind, head, shape.reads)
            if kind == "mlm":
                tie(network)
    if "pooled" not in network.reads.values():
        network.pooler = None
    return bare, parameters(network)


def count_parts(network: Network) -> dict[str, int]:
    """Count the parameters of a network part by part, in the order of the computation.

    Examples
    --------
    >>> count_parts(bundle.network)  # doctest: +SKIP
    {'token embeddings': 11720448, 'other embeddings': 198144, 'layers': 10646784, 'pooler': 147840}
    """
    embeddings = network.encoder.embeddings
    parts: list[tuple[str, nn.Module | None]] = [
        ("token embeddings", embeddings.token),
        ("other embeddings", embeddings),
        ("layers", network.encoder.layers),
        ("last norm", network.encoder.norm),
        ("pooler", network.pooler),
        *((f"{kind} head", head) for kind, head in network.heads.items()),
    ]
    seen: set[nn.Parameter] = set()
    counts = {}
    for name, module in parts:
        if module is None:
            continue
        new = set(module.parameters()) - seen
        seen |= new
        counts[name] = sum(weight.numel() for weight in new)
    return counts
