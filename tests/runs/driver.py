"""Runs ambos commands in forked processes: torch is imported once, yet each command can be killed.

Reads one JSON object a line: {"arguments": [...], "out": FILE, "err": FILE, "fault": [POINT, TIME] or null,
"limit": BYTES or null}. Answers with {"pid": ...} at once and {"code": ...} when the process has ended. A
fault is a SIGKILL that the process sends to itself at the so-many-th time that a save comes to a point; a
limit is the largest file that it may write.
"""

import json
import os
import resource
import signal
import sys
from pathlib import Path

import torch

import ambos.cli.training
import ambos.runs.finetune_run
import ambos.runs.start  # noqa: F401 (what a run would import late is imported here, once for all)
from ambos.analysis.curves import draw_curves
from ambos.cli.app import main
from ambos.train import checkpoint


def child(order: dict) -> None:
    for name, stream in (("out", 1), ("err", 2)):
        os.dup2(os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), stream)
    if order["limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["limit"], order["limit"]))
    if order["fault"]:
        point, left = order["fault"]

        def fault(here: str) -> None:
            nonlocal left
            left -= here == point
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        checkpoint.fault = fault
    sys.argv = ["ambos", *order["arguments"]]
    try:
        main()
    except SystemExit as ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(ended.code or 0))
    except BaseException:  # noqa: BLE001 (whatever it is: the fork must not go on as if it were the driver)
        import traceback  # noqa: PLC0415

        traceback.print_exc()
        os._exit(1)


def serve() -> None:
    torch.set_num_threads(1)
    torch.optim.AdamW([torch.zeros(1)])
    torch.empty_like(torch.zeros(1, device="meta"))
    draw_curves([{"kind": "train", "step": 1, "mlm_loss": 1.0}], [])
    threads = len(list(Path("/proc/self/task").iterdir()))
    assert threads == 1, f"{threads} threads: forking is not safe"
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            child(order)
        print(json.dumps({"pid": pid}), flush=True)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    serve()
