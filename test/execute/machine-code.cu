// Who compiles (NVRTC) or links (nvJitLink) while it runs and asks for machine code gets PTX where that is wanted: by the
// cpu device, and for twins. Libraries stand for both; their "machine code" is a fat binary, and triples what their PTX doubles.
// RUN: rm -rf %t.lib && mkdir %t.lib && %nvcc -arch=sm_90 -ptx -DTIMES=2 %s -o %t.2.ptx && %nvcc -arch=sm_90 -fatbin -DTIMES=3 %s -o %t.3.fatbin
// RUN: %nvcc -x c++ -DCOMPILER -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/compiler.so
// RUN: %nvcc -x c++ -DTWINS=1 -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/broken.so
// RUN: %nvcc -x c++ -DTWINS=0 -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/none.so
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin | FileCheck %s --check-prefix=PTX
// RUN: env GPUSCHED_PTX_CODE=0 %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin | FileCheck %s --check-prefix=CODE
//
// With twins, on a device that takes both:
// RUN: rm -f %t.json
// RUN: env GPUSCHED_PTX_CODE=0 %gpusched run --device=cpu --variant=persistent --ptx-twins --trace=%t.json -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin | FileCheck %s --check-prefix=PTX
// RUN: grep -c '"variant": "persistent"' %t.json | grep -qx 6
// If the driver does not take the text with twins, or no kernel has one, the program's machine code is loaded.
// RUN: env GPUSCHED_PTX_CODE=0 GPUSCHED_PTX=%t.lib/broken.so %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin 2>&1 | FileCheck %s --check-prefixes=BROKEN,CODE
// RUN: env GPUSCHED_PTX_CODE=0 GPUSCHED_PTX=%t.lib/none.so %gpusched run --device=cpu -- %t %t.lib/compiler.so %t.2.ptx %t.3.fatbin 2>&1 | FileCheck %s --check-prefix=CODE
// BROKEN: gpusched: warning: the driver does not take a PTX text with twins
// PTX: compiled 2
// PTX: linked LTO 2
// PTX: linked LTO, decorated 2
// PTX: linked PTX 2
// PTX: linked LTO that PTX cannot be made of 3
// PTX: the same, seen late 3
// PTX: linked two 3
// PTX: linked file 2
// PTX: linked file of LTO 2
// PTX: 0 links left
// CODE: compiled 3
// CODE: linked LTO 3
// CODE: linked LTO, decorated 3
// CODE: linked PTX 3
// CODE: linked LTO that PTX cannot be made of 3
// CODE: the same, seen late 3
// CODE: linked two 3
// CODE: linked file 3
// CODE: linked file of LTO 3
// CODE: 0 links left
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

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static void* library;

static std::string fileText(const char* path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

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
  std::printf("%s %d\n", what, value);
}

static void compile() {
  size_t bytes = 0;
  call("nvrtcGetCUBINSize", static_cast<void*>(nullptr), &bytes);
  std::vector<char> code(bytes);
  call("nvrtcGetCUBIN", static_cast<void*>(nullptr), code.data());
  run("compiled", code);
}

enum Input { Ptx = 2, Lto = 3 };
enum class Add { Data, File };

/// Names of the library are BEFORE + "Create" + AFTER.
static void link(const char* what, std::vector<std::string> inputs, Input kind, const char* options, Add how = Add::Data,
                 const char* before = "nvJitLink", const char* after = "") {
  const auto name = [&](const char* function) { return std::string(before) + function + after; };
  void* handle = nullptr;
  const char* all[] = {"-arch=sm_90", options};
  size_t bytes = 0;
  call(name("Create"), &handle, 2u, all);
  for (const std::string& input : inputs)
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
  link("linked LTO", {"code"}, Lto, "-lto");
  link("linked LTO, decorated", {"code"}, Lto, "-lto", Add::Data, "__nvJitLink", "_13_0");
  link("linked PTX", {fileText(arguments[2])}, Ptx, "-O3");
  link("linked LTO that PTX cannot be made of", {"code", "bad"}, Lto, "-lto");
  link("the same, seen late", {"code", "late"}, Lto, "-lto");
  link("linked two", {fileText(arguments[2]), fileText(arguments[2])}, Ptx, "-O3");
  link("linked file", {arguments[2]}, Ptx, "-O3", Add::File);
  link("linked file of LTO", {"code"}, Lto, "-lto", Add::File);
  call("printLinks");
}
#endif
