// Telemetry end to end: compiled in on demand only, and on the device what workers write down is what
// happened: every block once, on the SMs of the mask, never more workers on an SM than the budget.
//
// RUN: rm -rf %t.dir && mkdir -p %t.dir && cd %t.dir
// RUN: %gpusched-cc -arch=sm_90 -ptx %s -o plain.ptx && not grep -q globaltimer plain.ptx
// RUN: %gpusched-cc --gpusched-telemetry -arch=sm_90 -ptx %s -o telling.ptx && grep -q globaltimer telling.ptx
//
// The kernel's own PTX is the same in both; the plain twin never looks at the buffer's address.
// RUN: awk '/entry _Z4work/,/^}/' plain.ptx > plain.native && awk '/entry _Z4work/,/^}/' telling.ptx > telling.native
// RUN: grep -q atom plain.native && cmp plain.native telling.native
// RUN: not grep -q '+2136\]' plain.ptx && grep -q '+2136\]' telling.ptx
//
// RUN: env GPUSCHED_HOME=%t.dir/store %gpusched-cc -arch=sm_90 %s -o plain
// RUN: env GPUSCHED_HOME=%t.dir/store %gpusched-cc --gpusched-telemetry -arch=sm_90 %s -o telling
// RUN: env GPUSCHED_TELEMETRY=1 GPUSCHED_TELEMETRY_OUTPUT=plain.json \
// RUN:   %gpusched run --device=cpu --variant=persistent -- ./plain | FileCheck --check-prefix=OUT %s
// RUN: grep -q 'compile with gpusched-cc --gpusched-telemetry' plain.json
// RUN: env GPUSCHED_TELEMETRY=1 GPUSCHED_TELEMETRY_OUTPUT=telling.json \
// RUN:   %gpusched run --device=cpu --blocks-per-sm=2 --sms=1,5-6 -- ./telling | FileCheck --check-prefix=OUT %s
// RUN: FileCheck %s < telling.json
// OUT: no error, 9000 blocks
// CHECK: "source": "telemetry"
// CHECK: "dropped": 0
// CHECK: "kernel": "work"
// CHECK: "threadsPerBlock": 64
// CHECK: "blocks": 3000
// CHECK: "blocksPerSm": 2
// CHECK: "launches": 3
// CHECK: "timesUs": []
// CHECK: "blocks_run": 3000.0
// CHECK: "sms": 3.0
// CHECK: "workers": 6.0
// CHECK: "workers_per_sm_max": 2.0
// CHECK: "blocksBySm": [
// CHECK-NEXT: 0.0,
// CHECK-NEXT: {{[1-9][0-9.]*,$}}
// CHECK-COUNT-3: {{ 0\.0,$}}
// CHECK-NEXT: {{[1-9][0-9.]*,$}}
// CHECK-NEXT: {{[1-9][0-9.]*$}}
// CHECK-NEXT: ]
//
// One of two launches; and by a pause and a resume nothing is lost or counted twice.
// RUN: env GPUSCHED_TELEMETRY=2 GPUSCHED_TELEMETRY_OUTPUT=some.json GPUSCHED_PAUSE_EVERY=200 \
// RUN:   %gpusched run --device=cpu --blocks-per-sm=1 -- ./telling | FileCheck --check-prefix=OUT %s
// RUN: FileCheck --check-prefix=SOME %s < some.json
// SOME: "dropped": 0
// SOME: "launches": 2
// SOME: "blocks_run": 3000.0
//
// Into the profile, and from there into the report.
// RUN: env GPUSCHED_HOME=%t.dir/store %gpusched profile --device=cpu --sources=telemetry -- ./telling > out 2> said
// RUN: FileCheck --check-prefix=SAID %s < said
// RUN: FileCheck --check-prefix=PROFILE %s < store/dynamic/telling.json
// RUN: env GPUSCHED_HOME=%t.dir/store %gpusched report store/dynamic/telling.json | FileCheck --check-prefix=REPORT %s
// SAID-NOT: not available
// SAID: 1 kernels, modelled for NVIDIA H200
// PROFILE: "source": "cpu"
// PROFILE: "telemetry": {
// PROFILE-NEXT: "launches": 3,
// PROFILE-NEXT: "blocksPerSm": [[B:[0-9]+]],
// PROFILE-NEXT: "timeUs": 0.0,
// PROFILE: "workers": {{[1-9]}}
// REPORT: telemetry of work: {{[0-9]+}} workers on {{[0-9]+}} SMs, at most {{[0-9]+}} on one; {{.*}} blocks each, busiest SM
// RUN: env GPUSCHED_HOME=%t.dir/store %gpusched profile --device=cpu --sources=telemetry,pm -- ./plain 2>&1 | FileCheck --check-prefix=MISSING %s
// MISSING: not available: pm: it measures a GPU
// MISSING: not available: telemetry: no launch ran as a persistent kernel with telemetry
// MISSING: 1 kernels, modelled for NVIDIA H200
#include <cstdio>
#include <cuda_runtime.h>

__global__ void work(unsigned* blocks) {
  for (volatile int i = 0; i < 100; i = i + 1) {
  }
  if (threadIdx.x == 0)
    atomicAdd(blocks, 1u);
}

int main() {
  unsigned* blocks;
  cudaMallocManaged(&blocks, sizeof *blocks);
  *blocks = 0;
  for (int i = 0; i < 3; ++i)
    work<<<3000, 64>>>(blocks);
  const char* result = cudaGetErrorString(cudaDeviceSynchronize());
  std::printf("%s, %u blocks\n", result, *blocks);
}
