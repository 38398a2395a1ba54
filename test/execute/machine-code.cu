// Who compiles (NVRTC) or links (nvJitLink) while it runs and asks for machine code gets PTX where that is wanted: by the
// cpu device, and for twins. Libraries stand for both; their "machine code" is a fat binary, and triples what their PTX doubles.
// RUN: rm -rf %t.lib && mkdir %t.lib && %nvcc -arch=sm_90 -ptx -DTIMES=2 %s -o %t.2.ptx && %nvcc -arch=sm_90 -fatbin -DTIMES=3 %s -o %t.3.fatbin
// RUN: %nvcc -arch=sm_90 -rdc=true -ptx -DCALLER %S/../device/cudart/Inputs/two-modules.cu -o %t.caller.ptx && %nvcc -arch=sm_90 -rdc=true -ptx -DCALLEE %S/../device/cudart/Inputs/two-modules.cu -o %t.callee.ptx
// RUN: %nvcc -x c++ -DCOMPILER -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/compiler.so
// RUN: %nvcc -x c++ -DTWINS=1 -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/broken.so
// RUN: %nvcc -x c++ -DTWINS=0 -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/none.so
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin %t.caller.ptx %t.callee.ptx | FileCheck %s --check-prefixes=PTX,ONLY
// RUN: env GPUSCHED_PTX_CODE=0 %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin %t.caller.ptx %t.callee.ptx | FileCheck %s --check-prefix=CODE
//
// Linked modules, which only the cpu device can load, have no twins.
// RUN: %gpusched run --device=cpu --variant=persistent --ptx-twins -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin %t.caller.ptx %t.callee.ptx 2>&1 | FileCheck %s --check-prefixes=PTX,ONLY --implicit-check-not=warning
//
// With twins, on a device that takes both:
// RUN: rm -f %t.json
// RUN: env GPUSCHED_PTX_CODE=0 %gpusched run --device=cpu --variant=persistent --ptx-twins --trace=%t.json -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin %t.caller.ptx %t.callee.ptx | FileCheck %s --check-prefixes=PTX,BOTH
// RUN: grep -c '"variant": "persistent"' %t.json | grep -qx 7
// If the driver does not take the text with twins, or no kernel has one, the program's machine code is loaded.
// RUN: env GPUSCHED_PTX_CODE=0 GPUSCHED_PTX=%t.lib/broken.so %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin %t.caller.ptx %t.callee.ptx 2>&1 | FileCheck %s --check-prefixes=BROKEN,CODE
// RUN: env GPUSCHED_PTX_CODE=0 GPUSCHED_PTX=%t.lib/none.so %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin %t.caller.ptx %t.callee.ptx 2>&1 | FileCheck %s --check-prefix=CODE
// BROKEN: gpusched: warning: the driver does not take a PTX text with twins
// PTX: compiled 2
// PTX: linked LTO 2
// PTX: linked LTO, decorated 2
// PTX: linked PTX 2
// PTX: linked LTO that PTX cannot be made of 3 by code
// PTX: the same, seen late 3 by code
// ONLY: linked two 5
// BOTH: linked two 3 by code
// ONLY: linked LTO and a library 2
// BOTH: linked LTO and a library 2
// ONLY: linked LTO, PTX and a library 5
// BOTH: linked LTO, PTX and a library 3 by code
// PTX: linked file 2
// PTX: linked file of LTO 2
// PTX: 17 links made, 0 left
// CODE: compiled 3
// CODE: linked LTO 3
// CODE: linked LTO, decorated 3
// CODE: linked PTX 3
// CODE: linked LTO that PTX cannot be made of 3
// CODE: the same, seen late 3
// CODE: linked two 3
// CODE: linked LTO and a library 3
// CODE: linked LTO, PTX and a library 3
// CODE: linked file 3
// CODE: linked file of LTO 3
// CODE: links made, 0 left
#if defined(TIMES)
extern "C" __global__ void scale(int* data) { data[threadIdx.x] *= TIMES; }
#elif defined(TWINS)
#include <cstddef>
extern "C" int gpusched_ptx_add_twins(const void*, size_t, unsigned, void (*take)(void*, const char*, size_t), void* context) {
  if (TWINS)
    take(context, ".version 9.0\nnonsense", 21);
  return TWINS;
}
#elif defined(COMPILER)
#include "Inputs/FakeCompilers.h"
#else
#include "../device/cudart/Inputs/Driver.h"
#include "../device/cudart/Inputs/FileText.h"

#include <string>
#include <utility>
#include <vector>

static void* library;


template <class... Arguments> static void call(const std::string& name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name.c_str()));
  CHECK_TRUE(function != nullptr);
  CHECK_IS(function(arguments...), 0);
}

static void run(const char* what, const std::vector<char>& code) {
  CUmodule module;
  CUfunction scale;
  CUdeviceptr data = openFirstDevice(4);
  int value = 1;
  CHECK_CU(cuModuleLoadData, &module, code.data());
  CHECK_CU(cuModuleGetFunction, &scale, module, "scale");
  CHECK_CU(cuMemcpyHtoD, data, &value, 4);
  void* arguments[] = {&data};
  CHECK_CU(cuLaunchKernel, scale, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  CHECK_CU(cuMemcpyDtoH, &value, data, 4);
  std::printf("%s %d%s\n", what, value, code[0] == '/' ? "" : " by code");
}

static void compile() {
  size_t bytes = 0;
  call("nvrtcGetCUBINSize", static_cast<void*>(nullptr), &bytes);
  std::vector<char> code(bytes);
  call("nvrtcGetCUBIN", static_cast<void*>(nullptr), code.data());
  run("compiled", code);
}

enum Input { Ptx = 2, Lto = 3, Library = 6 };
using Inputs = std::vector<std::pair<Input, std::string>>;
enum class Add { Data, File };

/// Names of the library are BEFORE + "Create" + AFTER.
static void link(const char* what, const Inputs& inputs, const char* options, Add how = Add::Data,
                 const char* before = "nvJitLink", const char* after = "") {
  const auto name = [&](const char* function) { return std::string(before) + function + after; };
  void* handle = nullptr;
  const char* all[] = {"-arch=sm_90", options};
  size_t bytes = 0;
  call(name("Create"), &handle, 2u, all);
  for (const auto& [kind, input] : inputs)
    if (how == Add::File)
      call(name("AddFile"), handle, int(kind), input.c_str());
    else
      call(name("AddData"), handle, int(kind), static_cast<const void*>(input.data()), input.size(), "input");
  call(name("Complete"), handle);
  call(name("GetLinkedCubinSize"), handle, &bytes);
  std::vector<char> code(bytes);
  call(name("GetLinkedCubin"), handle, code.data());
  call(name("Destroy"), &handle);
  run(what, code);
}

int main(int, char** arguments) {
  library = dlopen(arguments[1], RTLD_NOW);
  CHECK_TRUE(library != nullptr);
  CHECK_TRUE(dlsym(RTLD_DEFAULT, "nvrtcGetCUBIN") == nullptr);
  call("setFiles", static_cast<const char*>(arguments[2]), static_cast<const char*>(arguments[3]));
  compile();
  const auto text = [&](int argument) { return fileText(arguments[argument]); };
  link("linked LTO", {{Lto, "code"}}, "-lto");
  link("linked LTO, decorated", {{Lto, "code"}}, "-lto", Add::Data, "__nvJitLink", "_13_0");
  link("linked PTX", {{Ptx, text(2)}}, "-O3");
  link("linked LTO that PTX cannot be made of", {{Lto, "code"}, {Lto, "bad"}}, "-lto");
  link("the same, seen late", {{Lto, "code"}, {Lto, "late"}}, "-lto");
  link("linked two", {{Ptx, text(4)}, {Ptx, text(5)}}, "-O3");
  link("linked LTO and a library", {{Lto, "code"}, {Library, "bad"}}, "-lto");
  call("setFiles", static_cast<const char*>(arguments[4]), static_cast<const char*>(arguments[3]));
  link("linked LTO, PTX and a library", {{Lto, "code"}, {Ptx, text(5)}, {Library, "bad"}}, "-lto");
  call("setFiles", static_cast<const char*>(arguments[2]), static_cast<const char*>(arguments[3]));
  link("linked file", {{Ptx, arguments[2]}}, "-O3", Add::File);
  link("linked file of LTO", {{Lto, "code"}}, "-lto", Add::File);
  call("printLinks");
}
#endif
