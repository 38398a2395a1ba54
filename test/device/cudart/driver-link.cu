// The driver's linker: PTX of two modules, as data and as a file, beside a library that is there anyway.
// RUN: %nvcc -arch=sm_90 -rdc=true -ptx -DCALLER %S/Inputs/two-modules.cu -o %t.caller.ptx && %nvcc -arch=sm_90 -rdc=true -ptx -DCALLEE %S/Inputs/two-modules.cu -o %t.callee.ptx
// Names that are the modules' own stay apart.
// RUN: sed -i 's/__nv_static_[0-9a-z_]*_part/part/' %t.caller.ptx %t.callee.ptx
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.caller.ptx %t.callee.ptx 2>&1 | FileCheck %s
#include "Inputs/Driver.h"
#include "Inputs/FileText.h"

int main(int, char** arguments) {
  CUdeviceptr data = openFirstDevice(4);
  std::string caller = fileText(arguments[1]);
  CUlinkState state;
  CHECK_CU(cuLinkCreate, 0, nullptr, nullptr, &state);
  CHECK_CU(cuLinkAddData, state, CU_JIT_INPUT_PTX, caller.data(), caller.size() + 1, "caller", 0, nullptr, nullptr);
  CHECK_CU(cuLinkAddFile, state, CU_JIT_INPUT_PTX, arguments[2], 0, nullptr, nullptr);
  CHECK_CU(cuLinkAddFile, state, CU_JIT_INPUT_LIBRARY, arguments[0], 0, nullptr, nullptr);
  CHECK_IS(DRIVER(cuLinkAddFile)(state, CU_JIT_INPUT_PTX, "/no/such", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  // CHECK: gpusched: error: linking that one: the cpu device links PTX
  CHECK_IS(DRIVER(cuLinkAddData)(state, CU_JIT_INPUT_CUBIN, caller.data(), 4, "that one", 0, nullptr, nullptr),
           CUDA_ERROR_NOT_SUPPORTED);
  void* image = nullptr;
  size_t bytes = 0;
  CHECK_CU(cuLinkComplete, state, &image, &bytes);
  CHECK_IS(std::string(static_cast<char*>(image)).size(), bytes);
  CUmodule module;
  CUfunction scale;
  CHECK_CU(cuModuleLoadData, &module, image);
  CHECK_CU(cuLinkDestroy, state);
  CHECK_CU(cuModuleGetFunction, &scale, module, "scale");
  int value = 3;
  CHECK_CU(cuMemcpyHtoD, data, &value, 4);
  void* parameters[] = {&data};
  CHECK_CU(cuLaunchKernel, scale, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  CHECK_CU(cuMemcpyDtoH, &value, data, 4);
  CHECK_IS(value, 15);
}
