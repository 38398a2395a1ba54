// Doctor.cpp - gpusched doctor: what works on this machine, and how to get the rest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per thing a user may want: ok or missing, what was found, the next step. Looks, and
// changes nothing. Exit code 1 when a program could not be run at all (no runtime library or
// no cpu device), else 0: a machine without a GPU is healthy.
#include "tools/gpusched/DeviceProbe.h"
#include "tools/gpusched/Subcommand.h"

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/policy/Policy.h"
#include "rt/profile/ProfileStore.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/support/Environment.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace gpusched::tool {
namespace {

namespace fs = std::filesystem;

void line(bool ok, const char* what, const std::string& found, const std::string& next = "") {
  std::printf("%-8s %-18s %s\n", ok ? "ok" : "missing", what, found.c_str());
  if (!ok && !next.empty())
    std::printf("%-8s %-18s -> %s\n", "", "", next.c_str());
}

fs::path libraryFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "lib";
}

bool checkRuntime() {
  fs::path path = libraryFolder() / "libgpusched_rt.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  bool ok = library && dlsym(library, GPUSCHED_RT_LAUNCH_SYMBOL);
  const char* why = ok ? nullptr : dlerror();
  line(ok, "runtime",
       ok    ? path.string()
       : why ? why
             : "no launch entry in " + path.string(),
       "build it: ./dev build; programs launch natively without it");
  return ok;
}

bool checkCpuDevice() {
  // Not opened: it is made to be preloaded and would replace this process' CUDA runtime.
  fs::path path = libraryFolder() / "libgpusched_cudart.so";
  bool ok = fs::exists(path);
  line(ok, "cpu device", path.string(), "build it: ./dev build");
  return ok;
}

void checkGpu() {
  Result<int> devices = cudaDevices();
  line(devices.ok(), "GPU",
       devices.ok() ? std::to_string(*devices) + " CUDA devices" : devices.message(),
       "install NVIDIA's driver on a machine with a GPU; until then use --device=cpu");
}

bool isProgram(const fs::path& path) {
  return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

std::string findNvcc() {
  const char* own = std::getenv("GPUSCHED_NVCC");
  if (own && *own)
    return isProgram(own) ? own : "";
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root && isProgram(fs::path(root) / "bin/nvcc"))
      return (fs::path(root) / "bin/nvcc").string();
  std::string folders = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t start = 0; start <= folders.size();) {
    size_t end = std::min(folders.find(':', start), folders.size());
    fs::path candidate = fs::path(folders.substr(start, end - start)) / "nvcc";
    if (isProgram(candidate))
      return candidate.string();
    start = end + 1;
  }
  return "";
}

void checkCompiler() {
  std::string nvcc = findNvcc();
  line(!nvcc.empty(), "nvcc", nvcc.empty() ? "not in GPUSCHED_NVCC, CUDA_HOME or PATH" : nvcc,
       "install CUDA 13, or let ./dev setup --cuda=wheels fetch it; needed to compile only");
}

void checkDescription() {
  std::string wanted = environment("GPUSCHED_GPU");
  Result<DeviceDescription> device = loadDeviceDescription(wanted);
  line(device.ok(), "device description",
       device.ok() ? device->name + " ('" + wanted + "'), " + std::to_string(device->sms) + " SMs"
                   : device.message(),
       "set GPUSCHED_GPU to a shipped name such as h200, or to a .json file");
}

void checkStore() {
  std::string home = profileHome();
  std::error_code error;
  fs::path existing = home;
  while (!existing.empty() && !fs::exists(existing, error))
    existing = existing.parent_path();
  bool ok = access(existing.c_str(), W_OK) == 0;
  size_t fixed = loadProfiles(ProfileStore::staticFolder(home)).kernels.size();
  size_t dynamic = loadProfiles(ProfileStore::dynamicFolder(home)).kernels.size();
  line(ok, "profile store",
       home + ": " + std::to_string(fixed) + " static, " + std::to_string(dynamic) +
           " dynamic kernel profiles",
       "not writable; set GPUSCHED_HOME to a folder of yours");
}

void listPolicies() {
  std::printf("\npolicies (GPUSCHED=<name>, gpusched run --policy=<name>)\n");
  for (const PolicyEntry& entry : policyTable()) {
    std::printf("  %-12s %s\n", entry.name, entry.help);
    Result<std::unique_ptr<Policy>> policy = makePolicy(entry.name);
    for (const PolicyParameter& parameter : (*policy)->parameters())
      std::printf("    %-18s %g %s: %s [%s]\n", parameter.name, parameter.value, parameter.unit,
                  parameter.meaning, parameter.source);
  }
}

void listEnvironment(bool all) {
  std::printf("\nenvironment%s\n", all ? "" : " (set now; --environment lists all)");
  for (const EnvironmentVariable& variable : environmentTable()) {
    const char* value = std::getenv(variable.name);
    if (all)
      std::printf("  %-24s %s [%s] %s%s%s\n", variable.name, variable.meaning, variable.values,
                  variable.reader, *variable.defaultValue ? "; default " : "",
                  variable.defaultValue);
    if (value)
      std::printf("  %-24s = %s\n", variable.name, value);
  }
}

int doctor(bool allVariables) {
  bool runtime = checkRuntime(), cpu = checkCpuDevice();
  checkGpu();
  checkCompiler();
  checkDescription();
  checkStore();
  line(false, "GPU counters", "profiling on a GPU (CUPTI) is not part of this version",
       "gpusched profile --device=cpu counts on our engine and models a GPU");
  listPolicies();
  listEnvironment(allVariables);
  return runtime && cpu ? 0 : 1;
}

} // namespace

void addDoctor(Command& command) {
  std::shared_ptr<bool> allVariables = std::make_shared<bool>(false);
  CLI::App& sub = command.add("doctor", "Say what works on this machine and how to get the rest",
                              [allVariables] { return doctor(*allVariables); });
  sub.add_flag("--environment", *allVariables, "List every GPUSCHED_* variable");
}

} // namespace gpusched::tool
