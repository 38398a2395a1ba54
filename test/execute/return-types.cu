// Overloads of which the return type chooses, of which nvcc's passes for the host and for the device may choose different ones: the
// kernel that is launched is the device's, and so is its twin. What the profile says of both is found by names that Clang and nvcc
// write each in its own way.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
// RUN: %gpusched-cc -std=c++17 -arch=sm_90 -I%S -c %s -o %t.o --gpusched-profile=%t.json 2>&1 | count 0
// RUN: grep -c '"registersPerThread"' %t.json | grep -x 18 && grep -c '"kernel":' %t.json | grep -x 9
#include "Inputs/Expect.h"

#include <type_traits>

constexpr int kBlocks = 24, kThreads = 32;

namespace chosen {
template <class T> struct Packs {
  static constexpr bool yes = std::is_same<T, float>::value;
};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 75
template <> struct Packs<double> {
  static constexpr bool yes = true;
};
#endif
template <class T, int N> __global__ std::enable_if_t<(N > 0) && Packs<T>::yes> fill(T* out) {
  out[blockIdx.x * kThreads + threadIdx.x] = T(blockIdx.x * N + threadIdx.x);
}
template <class T, int N> __global__ std::enable_if_t<(N == 0) || !Packs<T>::yes> fill(T* out) {
  out[blockIdx.x * kThreads + threadIdx.x] = T(1000 + blockIdx.x);
}
template <class T> __global__ auto raise(T* out) -> typename std::enable_if<Packs<T>::yes>::type {
  out[blockIdx.x * kThreads + threadIdx.x] += T(gridDim.x);
}
template <class T> __global__ auto raise(T* out) -> std::enable_if_t<!Packs<T>::yes> {
  out[blockIdx.x * kThreads + threadIdx.x] -= T(gridDim.x);
}
} // namespace chosen

template <class T, int N> void check(const char* what) {
  constexpr bool kPacks = !std::is_same<T, int>::value;
  T* const out = deviceArray<T>(kBlocks * kThreads);
  chosen::fill<T, N><<<kBlocks, kThreads>>>(out);
  chosen::raise<<<kBlocks, kThreads>>>(out);
  expect(what, out, kBlocks * kThreads, [](std::size_t i) {
    const int block = int(i) / kThreads, thread = int(i) % kThreads;
    return (N > 0 && kPacks ? block * N + thread : 1000 + block) + (kPacks ? kBlocks : -kBlocks);
  });
}

int main() {
  check<float, 4>("float, 4"), check<float, 0>("float, 0");
  check<int, 4>("int, 4"), check<int, 0>("int, 0");
  check<double, 4>("double, 4"), check<double, 0>("double, 0");
}
