"""signal_compile.py - start a compile, send a signal while it runs, say how it ended.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    signal_compile.py SIGNAL parent|child COMMAND...

`child` is the process that compiles behind gpusched-cc's guard. The signal goes out as soon as
the private folder in $TMPDIR is there. Prints the exit status as a shell would, the entries left in
$TMPDIR, and the processes of the compile that are still alive.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time


def children(pid):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def group_members(group):
    alive = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            alive.append(stat.parent.name)
    return alive


def main():
    number = getattr(signal, sys.argv[1])
    temporary = pathlib.Path(os.environ["TMPDIR"])
    compile_ = subprocess.Popen(
        sys.argv[3:], start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (list(temporary.glob("gpusched-*/0")) and
                                               children(compile_.pid)):
        time.sleep(0.002)
    child = children(compile_.pid)[0]
    os.kill(compile_.pid if sys.argv[2] == "parent" else child, number)
    status = compile_.wait(timeout=60)
    time.sleep(0.1)
    print("status", status if status >= 0 else 128 - status)
    print("left", sorted(p.name for p in temporary.iterdir()))
    print("alive", group_members(child))


main()
