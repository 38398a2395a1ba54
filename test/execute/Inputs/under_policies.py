#!/usr/bin/env python3
"""under_policies.py - runs a program under every policy, and with what goes with them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    under_policies.py --gpusched=FILE [--gpu=DESCRIPTION] PROGRAM [ARGUMENTS...]

Each run must end with 0 within a minute, print what the program prints by itself, and say nothing. Budgets and raises
depend on time, so that a mistake of theirs need not show in one run.
"""
import argparse
import os
import re
import subprocess
import sys


def policies(gpusched, program):
    """Those that are listed where there is none of that name."""
    said = run(gpusched, [], {"GPUSCHED": "none-of-these"}, program).stderr
    return re.findall(r"[a-z-]+", said.split("there are: ")[1].split(";")[0])


def configurations(names):
    for policy in names:
        yield [f"--policy={policy}"], {}
        yield [f"--policy={policy}", "--fuse=always"], {}
    for policy in ("even", "preemptive"):
        yield [f"--policy={policy}"], {"GPUSCHED_PREEMPT": "3"}
        yield [f"--policy={policy}"], {"GPUSCHED_PAUSE_EVERY": "100"}
        yield [f"--policy={policy}"], {"CUDA_DEVICE_MAX_CONNECTIONS": "8"}
        # Streams hold each other back, ours among them, and who launches waits for room.
        yield [f"--policy={policy}"], {"GPUSCHED_CONNECTIONS": "8:16"}
        yield [f"--policy={policy}"], {"GPUSCHED_CONNECTIONS": "8:16", "GPUSCHED_DEEP_QUEUE": "2"}
        yield [f"--policy={policy}"], {"GPUSCHED_PREEMPT": "3", "GPUSCHED_CONNECTIONS": "2:16"}
        # Whoever waits too long for the others' lock, on a busy machine, warns and goes on.
        yield [f"--policy={policy}", "--share", "--priority=low"], {"GPUSCHED_LOG": "error"}


def run(gpusched, options, variables, program):
    command = [gpusched, "run", "--device=cpu", *options, "--", *program]
    try:
        return subprocess.run(command, text=True, capture_output=True, env={**os.environ, **variables},
                              timeout=60)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, "none within a minute", "", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpusched", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    expected = run(arguments.gpusched, ["--variant=native"], {}, arguments.program).stdout
    failed = 0
    for options, variables in configurations(policies(arguments.gpusched, arguments.program)):
        done = run(arguments.gpusched, [*options, f"--gpu={arguments.gpu}"], variables,
                   arguments.program)
        if (done.returncode, done.stdout, done.stderr) == (0, expected, ""):
            continue
        failed += 1
        print(f"{' '.join(options)} {variables}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
