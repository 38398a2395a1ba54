#!/usr/bin/env python3
"""long_text FRAME LINES - PTX of LINES of ten bytes beside a little kernel and its twin, which spills FRAME
bytes below 48 registers, for Inputs/ptxas. long_text FRAME LINES within - the lines are the twin's.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

frame, rest = sys.argv[1], "// filler\n" * int(sys.argv[2])
inside = rest if sys.argv[3:] == ["within"] else ""
twin = "_Z5k__gs15gpusched_paramsPf"
print(f"// _Z1kPf: 40 registers\n.visible .entry _Z1kPf(.param .u64 p)\n{{ ret; }}\n"
      f"// {twin}: 48 registers, {frame} spilled below 48, frame {frame}\n"
      f".visible .entry {twin}(.param .align 8 .b8 {twin}_param_0[64])\n{{\n{inside} ret; }}")
print("" if inside else rest)
