// A stripped program with a static cudart cannot be redirected; the message says how to relink.
// RUN: %nvcc -arch=sm_90 %s -o %t && strip %t
// RUN: not %gpusched run --device=cpu -- %t 2>&1 | FileCheck %s
// RUN: %nvcc -arch=sm_90 -cudart shared %s -o %t && strip %t
// RUN: %gpusched run --device=cpu -- %t
// CHECK: symbols were stripped; relink it with -cudart shared
//
// Of libraries, the first one is named.
// RUN: %nvcc -arch=sm_90 -Xcompiler -fPIC -shared %s -o %t-1.so && strip %t-1.so && cp %t-1.so %t-2.so
// RUN: %gpusched run --device=cpu -- python3 -c 'import ctypes; ctypes.CDLL("%t-1.so"); ctypes.CDLL("%t-2.so")' 2>&1 | FileCheck %s --check-prefixes=FIRST --implicit-check-not=gpusched
// RUN: env GPUSCHED_LOG=info %gpusched run --device=cpu -- python3 -c 'import ctypes; ctypes.CDLL("%t-1.so"); ctypes.CDLL("%t-2.so")' 2>&1 | FileCheck %s --check-prefixes=FIRST,SECOND
// FIRST: gpusched: warning: {{.*}}-1.so contains a CUDA runtime that cannot be found{{.*}}GPUSCHED_LOG=info names others
// SECOND: -2.so contains a CUDA runtime that cannot be found
__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
