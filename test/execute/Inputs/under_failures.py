#!/usr/bin/env python3
"""under_failures.py - runs a program while calls fail that gpusched makes of CUDA.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    under_failures.py --gpusched=FILE --library=FailingCudart.so [--gpu=DESCRIPTION] [--seed=N] PROGRAM [ARGUMENTS...]

The program has a shared cudart. Under every configuration of under_policies.py any call may fail, seldom and often; under a few
of them those of one function at a time. Each run must end with 0, print what the program prints by itself, and say of each failure
what it means, once.
"""
import argparse
import collections
import pathlib
import re
import sys

from under_policies import configurations, policies, run

PER_MILLE = (5, 30, 200)
# What a launch that has stopped cannot go on without: the copy of its budget and one more launch, where a test stops it, and says so;
# the event that tells whether its context is there still.
NEVER = {"GPUSCHED_PAUSE_EVERY": {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaEventQuery"},
         "GPUSCHED_PREEMPT": {"cudaEventQuery", "cuEventQuery"}}
ONE_BY_ONE = (["--policy=kscheduler", "--fuse=always"], {}), (["--policy=even"], {"GPUSCHED_PREEMPT": "3"}), \
    (["--policy=even"], {"GPUSCHED_PAUSE_EVERY": "100"}), (["--variant=persistent"], {})


def failing_functions():
    source = pathlib.Path(__file__).with_name("FailingCudart.cpp").read_text()
    return [*re.findall(r"^FAILING(?:_DRIVER)?\((\w+)", source, re.M), "cudaLaunchKernel", "cudaGetDriverEntryPointByVersion"]


def cases(names, all_policies):
    for options, variables in configurations(all_policies):
        for rate in PER_MILLE:
            yield options, variables, rate, names
    for options, variables in ONE_BY_ONE:
        for name in names:
            yield options, variables, 300, [name]


def mistake(done, expected):
    """None where the run is as it must be."""
    if (done.returncode, done.stdout) != (0, expected):
        return f"exit {done.returncode}"
    said = collections.Counter(done.stderr.splitlines())
    if any(count > 1 or not line.startswith("gpusched: ") for line, count in said.items()):
        return "says something twice, or what is not gpusched's"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpusched", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    program = ["sh", "-c", f'LD_PRELOAD="{arguments.library}:$LD_PRELOAD" exec "$@"', "sh", *arguments.program]
    expected = run(arguments.gpusched, ["--variant=native"], {}, program).stdout
    failed = 0
    for count, (options, variables, rate, names) in enumerate(
            cases(failing_functions(), policies(arguments.gpusched, program))):
        for variable in variables:
            names = [name for name in names if name not in NEVER.get(variable, ())]
        if not names:
            continue
        failing = f"{arguments.seed + count}:{rate}:{','.join(names)}"
        done = run(arguments.gpusched, [*options, f"--gpu={arguments.gpu}"],
                   {**variables, "FAILING_CUDART": failing}, program)
        if wrong := mistake(done, expected):
            failed += 1
            print(f"{' '.join(options)} {variables} FAILING_CUDART={failing}: {wrong}\n{done.stdout}{done.stderr}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
