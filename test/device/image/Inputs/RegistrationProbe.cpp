// RegistrationProbe - stands in for the CUDA runtime and prints what programs register.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared object with the few entry points that the start-up code of a program without kernel
// launches needs. Test programs link it instead of cudart (-cudart=none).
#include "rt/device/cpu/image/PtxChoice.h"
#include "rt/device/cpu/image/RegisteredBinary.h"

#include <iostream>

using namespace gpusched;
using namespace gpusched::image;

namespace {

void printUnit(const std::vector<FatBinaryEntry>& unit) {
  for (const FatBinaryEntry& entry : unit)
    std::cout << " " << describe(entry);
  const std::optional<PtxChoice> choice = choosePtx(unit, 90);
  if (!choice) {
    std::cout << "; no PTX\n";
    return;
  }
  const Result<std::string> text = unpack(unit[choice->index]);
  std::cout << "; runs " << describe(unit[choice->index])
            << (text && text->find(".target sm_") != std::string::npos ? " readable" : " damaged")
            << "\n";
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  const Result<RegisteredBinary> binary = readRegisteredBinary(wrapper);
  if (!binary) {
    std::cout << binary.message() << "\n";
    return nullptr;
  }
  std::cout << "registered" << (binary->relocatable ? " linked" : "") << "\n";
  for (const std::vector<FatBinaryEntry>& unit : binary->units) {
    std::cout << "unit:";
    printUnit(unit);
  }
  return nullptr;
}
EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
EXPORT void __cudaUnregisterFatBinary(void**) {}
EXPORT void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
EXPORT void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*,
                                   void*, void*, int*) {}
EXPORT int cudaLaunchKernel() {
  return 1;
}
EXPORT int __cudaLaunchKernel() {
  return 1;
}
EXPORT int __cudaGetKernel() {
  return 1;
}
EXPORT int __cudaPopCallConfiguration() {
  return 1;
}
EXPORT int __cudaPushCallConfiguration() {
  return 1;
}
EXPORT char __cudaInitModule(void**) {
  return 0;
}
