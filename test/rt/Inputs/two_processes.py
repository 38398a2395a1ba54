"""two_processes.py - runs a program twice at once and prints `gpusched share` whenever it has changed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

two_processes.py GPUSCHED FOLDER LASTING RUN...: RUN is the command in front of LASTING (lasting.cu). First
`stream` runs alone, then `iterate` comes, then it goes, or is killed where the environment says
KILL=1. Each time it waits until the table is another one. The environment's STREAM and ITERATE are
their priorities.
"""
import os
import subprocess
import sys
import time

gpusched, folder, lasting, *run = sys.argv[1:]


def table():
    shown = subprocess.run([gpusched, "share", "--folder=" + folder], capture_output=True, text=True, check=True)
    rows = [line.split() for line in shown.stdout.splitlines()[1:]]
    return [{"kernel": row[5], "budget": row[4], "priority": row[3]} for row in rows]


def wait_for(what, wanted):
    """Prints the kernels' budgets once `wanted` says that the table is as it should be."""
    deadline = time.monotonic() + 60
    while not wanted(table()):
        if time.monotonic() > deadline:
            sys.exit(f"{what}: still {table()}")
        time.sleep(0.01)
    budgets = "; ".join(f"{row['kernel']} {row['budget']} {row['priority']}" for row in table())
    print(f"{what}: {budgets}", flush=True)


def start(kernel):
    priority = os.environ.get(kernel.upper(), "normal")
    started.append(subprocess.Popen([*run, f"--priority={priority}", "--", lasting, kernel, f"{folder}/{kernel}"]))
    return started[-1]


def end(process, kernel):
    open(f"{folder}/{kernel}", "w", encoding="utf-8").close()
    return process.wait(60)


def play():
    first = start("stream")
    wait_for("alone", lambda rows: len(rows) == 1 and rows[0]["budget"] != "-")
    alone = table()[0]["budget"]
    second = start("iterate")
    wait_for("two", lambda rows: len(rows) == 2 and rows[1]["budget"] != "-" and rows[0]["budget"] != alone)
    if os.environ.get("KILL"):
        second.kill()
        second.wait()
    elif end(second, "iterate") != 0:
        sys.exit("iterate failed")
    wait_for("alone again", lambda rows: len(rows) == 1 and rows[0]["budget"] == alone)
    sys.exit(end(first, "stream"))


started = []
os.makedirs(folder, mode=0o700)
try:
    play()
finally:
    for process in started:
        process.kill()
