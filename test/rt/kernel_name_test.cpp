// kernel_name_test - names out of symbols.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/KernelName.h"
#include "test/Check.h"

using gpusched::kernelName;

int main() {
  CHECK_EQUAL(kernelName("softmax_kernel"), "softmax_kernel"); // of Triton
  CHECK_EQUAL(kernelName("f"), "f");
  CHECK_EQUAL(kernelName("_Z3sum"), "sum");
  CHECK_EQUAL(kernelName("_Z5scalePf"), "scale");
  CHECK_EQUAL(kernelName("_ZN2ns5scaleIiLi4EEEvPT_"), "ns::scale<int, 4>");
  CHECK_EQUAL(kernelName("_ZN12_GLOBAL__N_15scaleEPf"), "(anonymous namespace)::scale");
  CHECK_EQUAL(kernelName("_Z5applyIPFfffEEvT_Pf"), "apply<float (*)(float, float)>");
  CHECK_EQUAL(kernelName("_ZN8__main__4axpyB2v1B4cw51Ef5ArrayIfLi1E1C7mutable7alignedE"),
              "__main__::axpy");
  CHECK_EQUAL(kernelName(""), "");
  return checkResult();
}
