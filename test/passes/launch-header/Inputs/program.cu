// Two kernels, one a template, launched three ways; prints what the program itself can see.
#include <cstdio>
template <class T> __global__ void fill(T* a, T value) { a[blockIdx.x] = value; }
__global__ void plain(int* a) { a[blockIdx.x] = 1; }

int main() {
  int* a = nullptr;
  plain<<<dim3(7, 2), 64, 128>>>(a);
  std::printf("plain %d\n", static_cast<int>(cudaGetLastError()));
  fill<<<3, 32>>>(a, 5);
  std::printf("fill %d\n", static_cast<int>(cudaGetLastError()));
  void* arguments[] = {&a};
  std::printf("direct %d\n", static_cast<int>(cudaLaunchKernel(plain, 1, 1, arguments, 0, nullptr)));
}
