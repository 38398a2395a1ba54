// Second.cu - another file of the program that headers.cu is linked with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shared.cuh"

void second(int* values, int blocks) {
  add<<<blocks, 32>>>(values, 5);
  twice<<<blocks, 32>>>(values);
  mark<<<blocks, 32>>>(values);
}
