// texture_fetch_functions.h - stands in for a header that CUDA 13 no longer has.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's CUDA wrapper before LLVM 22 includes it; nothing in it is needed to parse a program.
#pragma once
