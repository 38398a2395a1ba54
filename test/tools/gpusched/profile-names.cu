// A profile is found again by the process that launches the kernels, however it was started: by a link, by a script of a shell, or
// from Python, whose scripts have profiles of their own.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: env GPUSCHED_HOME=%t/home %gpusched-cc -cudart shared %s -o app
// RUN: env GPUSCHED_HOME=%t/home %gpusched-cc -cudart shared -Xcompiler -fPIC -shared %s -o libapp.so
// RUN: ln -s app link && printf '#!/bin/sh\nexec %t/app "$@"\n' > wrapper && chmod +x wrapper
// RUN: printf 'import ctypes; ctypes.CDLL("%t/libapp.so").launch()\n' > script.py
// RUN: env GPUSCHED_HOME=%t/home %gpusched profile --device=cpu -- ./link 2>&1 | FileCheck %s --check-prefix=APP
// RUN: rm home/dynamic/app.json
// RUN: env GPUSCHED_HOME=%t/home %gpusched profile --device=cpu -- ./wrapper 2>&1 | FileCheck %s --check-prefix=APP
// RUN: env GPUSCHED_HOME=%t/home %gpusched profile --device=cpu -- python3 -u script.py 2>&1 | FileCheck %s --check-prefix=SCRIPT
// RUN: FileCheck %s --check-prefix=FILE < home/dynamic/script.py.json
// RUN: env GPUSCHED_HOME=%t/home %gpusched run --device=cpu --policy=kscheduler -- ./link 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: env GPUSCHED_HOME=%t/home %gpusched run --device=cpu --policy=kscheduler -- ./wrapper 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: env GPUSCHED_HOME=%t/home %gpusched run --device=cpu --policy=kscheduler -- python3 script.py 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: cp script.py other.py && env GPUSCHED_HOME=%t/home %gpusched run --device=cpu --policy=kscheduler -- python3 other.py 2>&1 | FileCheck %s --check-prefix=OTHER
// APP: 1 kernels, modelled for NVIDIA H200, written to {{.*}}/home/dynamic/app.json
// SCRIPT: 1 kernels, modelled for NVIDIA H200, written to {{.*}}/home/dynamic/script.py.json
// FILE: "program": "script.py"
// SAYS-NOT: gpusched
// SAYS: {{^}}sum 28
// SAYS-NOT: gpusched
// OTHER: cannot read '{{.*}}/home/dynamic/other.py.json'
#include <cstdio>

__global__ void fill(int* to) {
  to[blockIdx.x] = blockIdx.x;
}

extern "C" int launch() {
  int *device, host[8], sum = 0;
  cudaMalloc(&device, sizeof host);
  fill<<<8, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int word : host)
    sum += word;
  std::printf("sum %d\n", sum);
  return std::fflush(stdout);
}

int main() {
  return launch();
}
