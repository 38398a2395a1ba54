// DeviceLibrary.cpp - functions of libcudadevrt.a that are PTX of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier is that of CUDA's cooperative_groups/details/sync.h: blocks add 1 to a word, the
// first one what is missing to 2^31, so the highest bit flips when all have come. The word is the
// second of the workspace that %envreg1 and 2 name (ActiveLaunch::GridWorkspace), which is the
// handle here.
#include "rt/device/cpu/cudart/DeviceLibrary.h"

#include "rt/device/cpu/ptx/Linker.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <algorithm>

namespace gpusched::cudart {
namespace {

constexpr const char* kText = R"ptx(
.version 7.0
.target sm_70
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<2>;
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %d1, {%r2, %r1};
  st.param.b64 [handle], %d1;
  ret;
}

.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [handle];
  barrier.sync 0;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %tid.z;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra Done;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  setp.eq.u32 %p2, %r1, 0;
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  mov.u32 %r6, %nctaid.z;
  mul.lo.u32 %r4, %r4, %r5;
  mul.lo.u32 %r4, %r4, %r6;
  sub.u32 %r7, 0x80000001, %r4;
  selp.b32 %r7, %r7, 1, %p2;
  atom.add.release.gpu.u32 %r8, [%d1+4], %r7;
Poll:
  ld.acquire.gpu.u32 %r9, [%d1+4];
  xor.b32 %r9, %r9, %r8;
  setp.ge.s32 %p3, %r9, 0;
  @%p3 bra Poll;
Done:
  barrier.sync 0;
  st.param.b32 [error], 0;
  ret;
}
)ptx";

bool wants(const ptx::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const auto& function) {
    return function.isExtern && function.name.starts_with("cudaCG");
  });
}

} // namespace

Result<std::shared_ptr<const ptx::Module>>
withDeviceLibrary(const std::shared_ptr<const ptx::Module>& module) {
  if (!wants(*module))
    return module;
  static const Result<std::shared_ptr<const ptx::Module>> library = ptx::parse(kText);
  return library.ok() ? ptx::link({module, *library}) : library;
}

} // namespace gpusched::cudart
