#!/usr/bin/env python3
"""many_twins - PTX of 64 kernels of 20 registers with twins of 30, for Inputs/ptxas.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
for number in range(100, 164):
    kernel, twin = f"_Z4k{number}Pf", f"_Z8k{number}__gs15gpusched_paramsPf"
    print(f"// {kernel}: 20 registers\n.visible .entry {kernel}(.param .u64 p)\n{{ ret; }}\n"
          f"// {twin}: 30 registers, 8 spilled below 30\n"
          f".visible .entry {twin}(.param .align 8 .b8 {twin}_param_0[88])\n{{ ret; }}")
