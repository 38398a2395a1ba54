#!/usr/bin/env python3
"""register_steps - does each twin of a profile take a higher allocation step than its native kernel?

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

One line for a kernel and target: `column sm_90 same` or `column sm_90 higher`. Steps are of eight registers
a thread, from 32 on: with fewer no more warps are resident.
"""
import json
import pathlib
import sys


def step(variant):
    return max(4, (variant["registersPerThread"] + 7) // 8)


for kernel in json.loads(pathlib.Path(sys.argv[1]).read_text())["kernels"]:
    static = kernel["static"]
    for native, twin in zip(static["native"], static["persistent"]):
        print(static["kernel"], native["target"], "higher" if step(twin) > step(native) else "same")
