"""Which size of encoder is worth most in how many minutes: the recipe `fast` with encoders of several sizes.

    AMBOS_DATA=... python benchmarks/sizes.py [--minutes 2.5 10] [--sizes 128x2 256x4] [--work DIR]

First the speed of each size is measured, some seconds on all cores; then each is trained on as many tokens as
it reads in so many minutes at that speed. So what else the machine does while they train changes how long it
takes, and not what comes out. With --work DIR, what was measured is kept there; --plan measures speeds alone.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from pretraining import prepare, run, say

TRIAL_MINUTES = 0.25


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="wikitext2", choices=["wikitext2", "raw_pt"])
    parser.add_argument("--minutes", type=float, nargs="+", default=[2.5, 10.0])
    parser.add_argument("--sizes", nargs="+", default=["128x2", "192x3", "256x4"], help="width x layers")
    parser.add_argument("--base", nargs="+", default=[], help="settings to change in all of them")
    parser.add_argument("--plan", action="store_true", help="measure speeds, train nothing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    if not os.environ.get("AMBOS_DATA"):
        sys.exit("set AMBOS_DATA to the folder of data sets")
    with tempfile.TemporaryDirectory(prefix="ambos-bench-") as temporary:
        work = (arguments.work or Path(temporary)) / arguments.data
        prepare(arguments.data, work)
        file = work / "sizes.json"
        known = json.loads(file.read_text()) if file.exists() else {}

        def measured(key: list, **options: object) -> dict:
            name = json.dumps(key)
            if name not in known:
                known[name] = run(kind="fast", work=work / "", recipe="fast", target=0.0, **options)
                file.write_text(json.dumps(known, indent=1))
            return known[name]

        speeds = {}
        for size in arguments.sizes:
            settings = [*arguments.base, *settings_of(size)]
            trial = measured(["speed", *settings], settings=settings, minutes=TRIAL_MINUTES, times=1)
            speeds[size] = trial["tokens_per_second"]
            say(f"{size}: {speeds[size]:,.0f} tokens/s")
        if arguments.plan:
            return
        print(f"\n{arguments.data}, seed {arguments.seed}\n\n| minutes | size | tokens | loss | accuracy |")
        print("|---|---|---|---|---|")
        for minutes in arguments.minutes:
            for size in arguments.sizes:
                settings = [*arguments.base, *settings_of(size), f"seed={arguments.seed}"]
                tokens = round(speeds[size] * minutes * 60)
                found = measured(["loss", minutes, *settings], settings=settings, tokens=tokens, times=10)
                print(
                    f"| {minutes:g} | {size} | {tokens:,} | {found['loss']:.3f} | {found['accuracy']:.1%} |",
                    flush=True,
                )


def settings_of(size: str) -> list[str]:
    width, depth = size.split("x")
    return [f"model.width={width}", f"model.depth={depth}", "precision=bf16"]


if __name__ == "__main__":
    main()
