// injected_program - a program as the profiler library sees it, with no GPU: argument 1 is the
// library, argument 2 the number of launches. Loads it as the driver would in cuInit. Of three
// launches two are scale and one is other; where pairs are fused, one is the kernel for both.
// FAKE_WAITING: its kernels wait for each other, so that launches that do stop it. FAKE_PTX: its
// twin is one of gpusched-ptx.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

template <class Function> static Function find(void* library, const char* name) {
  auto found = reinterpret_cast<Function>(dlsym(library, name));
  if (!found) {
    std::fprintf(stderr, "no %s: %s\n", name, dlerror());
    std::exit(3);
  }
  return found;
}

int main(int count, char** arguments) {
  void* cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_GLOBAL);
  void* profiler = dlopen(arguments[1], RTLD_NOW);
  if (count < 3 || !cupti || !profiler) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  auto context = find<void (*)()>(cupti, "fakeContext");
  auto end = find<void (*)()>(cupti, "fakeContextEnd");
  auto launch = find<void (*)(const char*, unsigned, unsigned, unsigned)>(cupti, "fakeLaunch");
  if (std::getenv("FAKE_WAITING") && std::getenv("CUDA_LAUNCH_BLOCKING"))
    return 4;
  const char* variant = std::getenv("GPUSCHED_VARIANT");
  const bool persistent =
      std::getenv("GPUSCHED") && !(variant && std::strcmp(variant, "native") == 0);
  const char* twin = std::getenv("FAKE_PTX") ? "_Z5scalePf__gs" : "_Z9scale__gsPf";
  const char* scale = persistent ? twin : "_Z5scalePf";
  const char* second = std::getenv("GPUSCHED_FUSE") ? "_Z12scale_othersv" : scale;
  find<int (*)()>(profiler, "InitializeInjection")();
  if (const char* measured = std::getenv("FAKE_NO_SUBSCRIBER"); !measured) {
    context();
    for (int i = 0; i < std::atoi(arguments[2]); ++i)
      launch(i % 3 == 2 ? "_Z5otherPf" : i % 3 == 1 ? second : scale, i % 3 == 2 ? 7 : 100, 256, 0);
    if (std::getenv("FAKE_CONTEXT_END"))
      end();
  }
  std::puts("the program's own output");
  return 0;
}
