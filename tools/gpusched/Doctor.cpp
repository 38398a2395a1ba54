// Doctor.cpp - gpusched doctor: what works on this machine, and how to get the rest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per thing a user may want: what was found and the next step. Looks, and changes
// nothing. Exit code 1 when a program could not be run at all (no runtime library or no cpu
// device), else 0: a machine without a GPU is healthy.
#include "tools/gpusched/ChildProcess.h"
#include "tools/gpusched/DoctorTable.h"
#include "tools/gpusched/FindProgram.h"
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

bool checkRuntime(DoctorTable& table) {
  fs::path path = ownFile("lib/libgpusched_rt.so");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  bool ok = library && dlsym(library, GPUSCHED_RT_LAUNCH_SYMBOL);
  const char* why = ok ? nullptr : dlerror();
  return table.check(ok, "runtime",
                     ok    ? path.string()
                     : why ? why
                           : "no launch entry in " + path.string(),
                     "build it: ./dev build; programs launch natively without it");
}

bool checkCpuDevice(DoctorTable& table) {
  // Not opened: it is made to be preloaded and would replace this process' CUDA runtime.
  fs::path path = ownFile("lib/libgpusched_cudart.so");
  return table.check(fs::exists(path), "cpu device", path.string(), "build it: ./dev build");
}

void checkPrograms(DoctorTable& table) {
  std::string nvcc = findNvcc(), ccache = findProgram("ccache"), ncu = findProgram("ncu");
  fs::path compiler = ownFile("bin/gpusched-cc");
  table.check(fs::exists(compiler), "gpusched-cc",
              compiler.string() + ", with Clang " GPUSCHED_CLANG_VERSION " inside",
              "build it: ./dev build");
  table.check(!nvcc.empty(), "nvcc",
              nvcc.empty() ? "not in GPUSCHED_NVCC, CUDA_HOME or PATH" : nvcc,
              "install CUDA 13, or let ./dev setup --cuda=wheels fetch it; needed to compile only");
  table.check(!ccache.empty(), "ccache", ccache.empty() ? "not in PATH" : ccache,
              "optional: ccache gpusched-cc ... makes rebuilds cheap");
  table.check(!ncu.empty(), "Nsight Compute", ncu.empty() ? "no ncu in PATH" : ncu,
              "optional: its tables, made on any machine, are read by gpusched profile "
              "--import=FILE.csv");
}

void checkDescription(DoctorTable& table) {
  std::string wanted = environment("GPUSCHED_GPU");
  Result<DeviceDescription> device = loadDeviceDescription(wanted);
  table.check(device.ok(), "device description",
              device.ok()
                  ? device->name + " ('" + wanted + "'), " + std::to_string(device->sms) + " SMs"
                  : device.message(),
              "set GPUSCHED_GPU to a shipped name such as h200, or to a .json file");
}

void checkStore(DoctorTable& table) {
  std::string home = profileHome();
  std::error_code error;
  fs::path existing = home;
  while (!existing.empty() && !fs::exists(existing, error))
    existing = existing.parent_path();
  bool ok = access(existing.c_str(), W_OK) == 0;
  size_t fixed = loadProfiles(ProfileStore::staticFolder(home)).kernels.size();
  size_t dynamic = loadProfiles(ProfileStore::dynamicFolder(home)).kernels.size();
  table.check(ok, "profile store",
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
  DoctorTable table;
  bool runtime = checkRuntime(table), cpu = checkCpuDevice(table);
  checkDescription(table);
  checkStore(table);
  checkPrograms(table);
  checkCuda(table);
  table.ok("telemetry",
           "needs no counters: gpusched-cc --gpusched-telemetry, then gpusched profile "
           "--sources=telemetry");
  listPolicies();
  listEnvironment(allVariables);
  return runtime && cpu ? 0 : 1;
}

} // namespace

void addDoctor(Command& command) {
  std::shared_ptr<bool> allVariables = std::make_shared<bool>(false);
  Options sub = command.add("doctor", "Say what works on this machine and how to get the rest",
                            [allVariables] { return doctor(*allVariables); });
  sub.addFlag("--environment", *allVariables, "List every GPUSCHED_* variable");
}

} // namespace gpusched::tool
