// EngineTest.h - runs PTX kernels on a virtual GPU and checks what they wrote.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernel(name, body) makes an entry with parameter `buffer`; its registers are %t (tid.x),
// %g (global thread index), %p (address of buffer[%g], 32-bit elements), %base, and r0-r9,
// d0-d9 (64 bits), p0-p5 (predicates) for the body. The body falls into `ret`.
#pragma once

#include "../opcodes/ExecutedForms.h"

#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace gpusched::cpu::test {

inline int failures = 0;

inline void check(bool ok, const char* what, int line) {
  if (ok)
    return;
  ++failures;
  std::printf("line %d: failed: %s\n", line, what);
}
#define CHECK(condition) ::gpusched::cpu::test::check((condition), #condition, __LINE__)

inline int finish() {
  std::puts(failures ? "FAILED" : "all checks passed");
  return failures != 0;
}

inline DeviceDescription device(uint32_t sms) {
  DeviceDescription device;
  device.name = "test device";
  device.sms = sms;
  device.warpsPerSm = 64;
  device.blocksPerSm = 16;
  device.sharedBytesPerSm = 65536;
  device.sharedBytesPerBlockOptin = 65536;
  device.memoryBytes = 1 << 28;
  return device;
}

inline std::string module(const std::string& body) {
  return ".version 8.6\n.target sm_90\n.address_size 64\n" + body;
}

inline std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "(.param .u64 buffer)\n{\n"
         ".reg .b32 %t, %g, %b, %n, r<10>; .reg .b64 %base, %p, d<10>; .reg .pred p<6>;\n"
         "ld.param.u64 %base, [buffer];\nmov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, "
         "%ntid.x;\n"
         "mad.lo.u32 %g, %b, %n, %t;\nmul.wide.u32 %p, %g, 4;\nadd.u64 %p, %base, %p;\n" +
         body + "\nret;\n}\n";
}

/// A GPU, one module, and a zeroed buffer of words.
class Fixture {
public:
  explicit Fixture(const std::string& body, GpuOptions options = {.workers = 2}, uint32_t sms = 4)
      : gpu(std::move(*Gpu::create(device(sms), options))) {
    const auto parsed = ptx::parse(module(body));
    if (!parsed)
      std::printf("%s\n", parsed.message().c_str());
    CHECK(parsed.ok());
    if (!parsed)
      return;
    recordForms(**parsed);
    const auto result = gpu->load(*parsed, registers);
    CHECK(result.ok());
    if (result)
      loaded = *result;
    words = static_cast<uint32_t*>(gpu->memory().allocate(kWords * 4));
    clear();
  }
  void clear() { std::memset(words, 0, kWords * 4); }

  Launch launch(const char* name, Dim3 grid, Dim3 block, uint64_t dynamicShared = 0) {
    Launch request;
    request.kernel = Gpu::findKernel(*loaded, name);
    request.grid = grid;
    request.block = block;
    request.dynamicSharedBytes = dynamicShared;
    request.stepLimit = stepLimit;
    request.parameters.resize(8);
    std::memcpy(request.parameters.data(), &words, 8);
    return request;
  }

  /// Runs one launch to its end; the message is empty on success.
  std::string run(const char* name, Dim3 grid, Dim3 block, uint64_t dynamicShared = 0) {
    std::string message;
    Launch request = launch(name, grid, block, dynamicShared);
    request.completion = [&](const LaunchOutcome& outcome) {
      message = outcome.status.message();
      last = outcome;
    };
    const Status submitted = gpu->submit(std::move(request));
    gpu->drain();
    return submitted ? message : submitted.message();
  }

  static constexpr size_t kWords = 1 << 16;
  RegisterTable registers;
  uint64_t stepLimit = 0; // of what is launched from now on
  std::unique_ptr<Gpu> gpu;
  std::shared_ptr<LoadedModule> loaded;
  uint32_t* words = nullptr;
  LaunchOutcome last;
};

} // namespace gpusched::cpu::test
