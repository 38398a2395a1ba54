// FakeNewerCupti.cpp - a CUPTI of CUDA 13.2 or later, as far as it may be asked without a driver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 13.2 itself fills the stack when it is asked for its version then; so any call here is the end.
#include <cstdlib>

extern "C" int cuptiActivityGetStructSize() {
  std::abort();
}
extern "C" int cuptiGetVersion(unsigned*) {
  std::abort();
}
