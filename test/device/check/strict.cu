// Two forms of one sum that nvcc contracts differently: they differ by default, and are equal under
// --strict, where the product is rounded too.
// RUN: %nvcc -o %t %s
// RUN: %gpusched run --device=cpu -- %t > %t.default
// RUN: %gpusched run --device=cpu --strict -- %t > %t.strict
// RUN: FileCheck --check-prefix=DEFAULT %s < %t.default
// RUN: FileCheck --check-prefix=STRICT %s < %t.strict
// RUN: not %gpusched run --device=cuda --strict -- %t
// DEFAULT: float differs
// DEFAULT: double differs
// DEFAULT: towards zero: fused
// STRICT: float equal
// STRICT: double equal
// STRICT: towards zero: fused
#include <cstdio>
#include <cstring>

/// a * b + c * d with the one and the other product fused, as a compiler may choose.
template <class T> __global__ void sums(T a, T b, T c, T d, T* out) {
  out[0] = fma(a, b, c * d);
  out[1] = fma(c, d, a * b);
}

__global__ void directed(float a, float b, float* out) { *out = __fmaf_rz(a, b, -(a * b)); }

template <class T> void compare(const char* name) {
  T *device, host[2];
  cudaMalloc(&device, sizeof host);
  sums<<<1, 1>>>(T(1) / 3, T(1) / 52, T(2) / 3, T(-0.7), device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%s %s\n", name, std::memcmp(host, host + 1, sizeof(T)) ? "differs" : "equal");
}

int main() {
  compare<float>("float");
  compare<double>("double");
  float *device, host;
  cudaMalloc(&device, sizeof host);
  directed<<<1, 1>>>(1.0f / 3, 1.0f / 7, device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("towards zero: %s\n", host != 0 ? "fused" : "split");
}
