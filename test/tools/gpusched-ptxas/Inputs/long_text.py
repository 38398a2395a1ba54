#!/usr/bin/env python3
"""long_text FRAME LINES [within|fits] - PTX of LINES of ten bytes beside a little kernel and its twin,
which spills FRAME bytes below 48 registers, for Inputs/ptxas. within: the lines are the twin's.
fits: the twin takes no more registers than its kernel.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

frame, rest = sys.argv[1], "// filler\n" * int(sys.argv[2])
inside = rest if sys.argv[3:] == ["within"] else ""
wants = 40 if sys.argv[3:] == ["fits"] else 48
twin = "_Z5k__gs15gpusched_paramsPf"
print(f"// _Z1kPf: 40 registers\n.visible .entry _Z1kPf(.param .u64 p)\n{{ ret; }}\n"
      f"// {twin}: {wants} registers, {frame} spilled below {wants}, frame {frame}\n"
      f".visible .entry {twin}(.param .align 8 .b8 {twin}_param_0[88])\n{{\n{inside} ret; }}")
print("" if inside else rest)
