// curand_mtgp32_kernel.h - the toolkit's header, with its own declarations of built-in variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a parse for the host it declares threadIdx and blockDim again. Clang's wrapper includes it with
// macros that turn their types into Clang's; here they have nvcc's.
#pragma clang system_header

#pragma push_macro("dim3")
#pragma push_macro("uint3")
#undef dim3
#undef uint3
#include_next <curand_mtgp32_kernel.h>
#pragma pop_macro("dim3")
#pragma pop_macro("uint3")
