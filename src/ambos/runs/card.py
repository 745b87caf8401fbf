"""The model card: what a bundle is, for whoever finds it later."""

import json
from pathlib import Path
from typing import Any

from ambos.bundle.bundle import Bundle
from ambos.runs.folder import METRICS, read_run

_LIMITS = (
    "It repeats what its texts say, with their gaps and prejudices. "
    "It was measured on text of the same kind as it was trained on,\nand on nothing else."
)


def write_card(run: Path, bundle: Bundle) -> str:
    """Return the README.md of a bundle that a run made, with figures from the run's own log."""
    about, config = read_run(run), bundle.config
    corpus = about.get("corpus", {})
    languages = corpus.get("languages", [])
    listed = "".join(f"- {code}\n" for code in languages if code != "und")
    head = (
        "---\nlibrary_name: transformers\npipeline_tag: fill-mask\n"
        + (f"language:\n{listed}" if listed else "")
        + f"tags:\n- ambos\n- {config.family}\n---\n"
    )
    shape = (
        f"{config.depth} layers of width {config.width}, {config.heads} heads, {config.vocab_size:,} ids, "
        f"at most {config.context} tokens."
    )
    begun = f", begun with `{about['base']}`" if about.get("base") else ""
    trained = (
        f"Trained on {corpus.get('tokens', 0):,} tokens in {corpus.get('documents', 0):,} documents "
        f"({', '.join(languages) or 'language not stated'})."
    )
    measured = _last(run)
    figures = ""
    if measured:
        figures = (
            f"Held-out text ({about.get('heldout', {}).get('how', 'kept back')}): masked-LM loss "
            f"{measured['mlm_loss']:.3f}, accuracy {measured['mlm_accuracy']:.1%} at "
            f"{measured['mlm_tokens']:,} hidden tokens "
            f"(15 % of the tokens), after {measured['step']:,} steps and {measured['tokens']:,} tokens.\n"
        )
    return f"""{head}
# A {config.family} encoder pretrained by ambos

{shape}
Recipe `{about.get("recipe", "own")}`{begun}.

{trained}
{figures}
{_LIMITS}

```python
import ambos

model = ambos.load("this folder")
model.fill("... [MASK] ...")
```

`transformers.AutoModelForMaskedLM.from_pretrained("this folder")` opens it too.
"""


def _last(run: Path) -> dict[str, Any] | None:
    found = None
    for line in (run / METRICS).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "heldout":
            found = record
    return found
