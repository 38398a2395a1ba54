// The driver by the names that programs open it by, and as the file that some look for. Nothing is linked.
// RUN: c++ -x c++ %s -o %t -ldl
// RUN: %gpusched run --device=cpu -- %t
// RUN: env LD_LIBRARY_PATH=/nowhere %gpusched run --device=cpu -- sh -c 'echo $LD_LIBRARY_PATH' | FileCheck %s
// CHECK: {{^/.*/lib/driver:/nowhere$}}
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

int main() {
  const char* const paths = std::getenv("LD_LIBRARY_PATH");
  const std::string folder(paths, std::strcspn(paths, ":"));
  void* first = nullptr;
  for (const std::string& name : {std::string("libcuda.so.1"), std::string("libcuda.so"),
                                  folder + "/libcuda.so.1", folder + "/libcuda.so"}) {
    void* const library = dlopen(name.c_str(), RTLD_NOW);
    const auto init = library ? reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit")) : nullptr;
    if (!init || init(0) != 0 || (first && reinterpret_cast<void*>(init) != first))
      return 1;
    first = reinterpret_cast<void*>(init);
  }
}
