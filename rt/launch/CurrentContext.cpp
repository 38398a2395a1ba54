// CurrentContext.cpp - cuCtxGetCurrent and cuCtxSetCurrent of the program's driver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/CurrentContext.h"

#include "rt/launch/Cudart.h"

namespace gpusched {

CurrentContext::CurrentContext(const gpusched_cudart& runtime) {
  using GetContext = int (*)(void** context);
  using SetContext = int (*)(void* context);
  const GetContext get = cudart::driverFunction<GetContext>(runtime, "cuCtxGetCurrent",
                                                            cudart::kDriverVersionOfContexts);
  if (get && get(&context_) == cudart::kSuccess)
    set_ = cudart::driverFunction<SetContext>(runtime, "cuCtxSetCurrent",
                                              cudart::kDriverVersionOfContexts);
}

bool CurrentContext::make() const {
  return !set_ || set_(context_) == cudart::kSuccess;
}

} // namespace gpusched
