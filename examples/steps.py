"""What the examples share: the commands of ambos, one after the other, each shown, none done twice."""

import json
import subprocess
import sys
from pathlib import Path


def ambos(*words: object) -> None:
    """Run `ambos WORDS...`, and end with it if it fails or is interrupted: it says why."""
    print("$ ambos", *words, file=sys.stderr, flush=True)
    process = subprocess.Popen([sys.executable, "-m", "ambos", *map(str, words)])
    try:
        code = process.wait()
    except KeyboardInterrupt:  # it was told as well
        code = process.wait()
    if code:
        sys.exit(code)


def done(run: Path) -> bool:
    """Tell whether a run was made; go on with it if it was interrupted."""
    file = run / "run.json"
    if not file.is_file():
        return False
    if json.loads(file.read_text()).get("status") != "finished":
        ambos("resume", run)
    return True
