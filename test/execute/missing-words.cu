// Dependent types without `typename`, members of dependent bases without `this->`, constants asked of
// objects, a launch of a constexpr member that can be no constant, and specialisations for other processors
// than their template: twins do what their kernels do.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

#include <vector>

constexpr int kBlocks = 37, kThreads = 64;

struct Offset {
  int by;
  __device__ Offset(int by) : by(by) {}
};
template <class T> struct Base {
  using Step = Offset;
  static constexpr bool isWide = sizeof(T) > 4;
  int shared[kThreads];
  __device__ int place() const { return blockIdx.x * kThreads + threadIdx.x; }
  __device__ T rotated(T value, int live) {
    shared[threadIdx.x] = int(value);
    __syncthreads();
    return T(shared[(threadIdx.x + 3) % live]);
  }
};
template <class T> struct Walk : Base<T> {
  __device__ T turned(T value, int live) { return rotated(value, live) + T(this->place() % live); }
  __device__ int wide(T value) const {
    if constexpr (this->isWide)
      return int(value * 2);
    else
      return int(value) + 5;
  }
};

struct Scale {
  static constexpr int kFactor = 3;
};
struct Model {
  Scale scale;
};

template <class W, class T> __global__ void walks(T* out, int live, Model model) {
  __shared__ W walk;
  const Scale& scale = model.scale;
  constexpr int factor = scale.kFactor - model.scale.kFactor + 3;
  auto step = W::Step(factor);
  if (threadIdx.x >= live)
    return;
  T turned;
  turned = walk.turned(T(threadIdx.x * step.by), live);
  out[blockIdx.x * kThreads + threadIdx.x] = T(walk.wide(turned));
}

template <class T> struct Run {
  constexpr int check(const char* what, int live) const {
    std::vector<T> expected(kThreads);
    T* out = deviceArray<T>(kBlocks * kThreads);
    walks<Walk<T>><<<kBlocks, kThreads>>>(out, live, Model{});
    expect<T>(what, out, kBlocks * kThreads, [=](std::size_t index) {
      const int block = int(index) / kThreads, thread = int(index) % kThreads;
      const T turned = T(3 * ((thread + 3) % live) + (block * kThreads + thread) % live);
      return thread < live ? T(sizeof(T) > 4 ? turned * 2 : turned + 5) : T(0);
    });
    return int(expected.size());
  }
};

template <class T> inline __device__ T least(T other) {
  return other + T(blockIdx.x);
}
template <> inline __host__ __device__ int least(int other) {
  return other + 3;
}
template <class T> __host__ __device__ T most();
template <> __device__ int most<int>() {
  return 7;
}
__global__ void special(int* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = least(1) + most<int>() + least(short(blockIdx.y));
}

int main() {
  int* out = deviceArray<int>(kBlocks);
  special<<<kBlocks, kThreads>>>(out);
  expect<int>("specialisations", out, kBlocks,
              [](std::size_t block) { return 11 + static_cast<int>(block); });
  Run<double>().check("double", kThreads);
  Run<float>().check("float, some leave", 40);
}
