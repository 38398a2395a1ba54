// The driver by the names that programs open it by, and as the file that some look for. Nothing is linked.
// RUN: c++ -x c++ %s -o %t -ldl
// RUN: %gpusched run --device=cpu -- %t
// RUN: %gpusched run --device=cpu -- env LD_LIBRARY_PATH=/nowhere %t
// RUN: env LD_LIBRARY_PATH=/nowhere %gpusched run --device=cpu -- sh -c 'echo $LD_LIBRARY_PATH' | FileCheck %s
// CHECK: {{^/.*/lib/driver:/nowhere$}}
//
// Who is loaded with RTLD_DEEPBIND has the C library's dlsym, and finds the functions that stand before the driver's.
// RUN: c++ -x c++ -DDEEP -shared -fPIC %s -o %t.deep.so
// RUN: %gpusched run --device=cpu -- %t %t.deep.so | FileCheck %s --check-prefix=DEEP
// DEEP: {{/lib/libgpusched_modules.so$}}
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifdef DEEP
extern "C" void printLibrary() {
  Dl_info found;
  if (dladdr(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuLaunchKernel"), &found))
    std::puts(found.dli_fname);
}
#else
int main(int count, char** arguments) {
  if (count > 1) {
    void* const deep = dlopen(arguments[1], RTLD_NOW | RTLD_DEEPBIND);
    reinterpret_cast<void (*)()>(dlsym(deep, "printLibrary"))();
    return 0;
  }
  const char* const paths = std::getenv("LD_LIBRARY_PATH");
  const std::string folder(paths, std::strcspn(paths, ":"));
  void* first = nullptr;
  for (const std::string& name : {std::string("libcuda.so.1"), std::string("libcuda.so"),
                                  folder + "/libcuda.so.1", folder + "/libcuda.so"}) {
    if (name[0] == '/' && folder == "/nowhere")
      continue;
    void* const library = dlopen(name.c_str(), RTLD_NOW);
    const auto init = library ? reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit")) : nullptr;
    if (!init || init(0) != 0 || (first && reinterpret_cast<void*>(init) != first))
      return 1;
    first = reinterpret_cast<void*>(init);
  }
}
#endif
