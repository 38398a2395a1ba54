// FakeCuptiRest.cpp - every CUPTI function that FakeCupti.cpp does not define: returns its script.
//
// Weak, so that a definition there wins; no CUPTI header here, because the types do not matter.
#include "test/gpu/fakes/Script.h"

#define GPUSCHED_CUPTI_HOST(NAME)                                                                  \
  extern "C" __attribute__((weak)) int NAME() {                                                    \
    return scripted(#NAME);                                                                        \
  }
#define GPUSCHED_CUPTI_TARGET(NAME) GPUSCHED_CUPTI_HOST(NAME)
#include "rt/counters/cupti/CuptiSymbols.def"
