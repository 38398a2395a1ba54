// A class that copies or dies on the host only, or holds one that does: the body works on a copy of
// the bits. So do all instantiations of a template if one asks for it.
// RUN: %gpusched-opt --outline --name=host.cu %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --outline %s | %reparse
struct Copies {
  int* values;
  Copies(const Copies& other) : values(other.values) {}
};
struct Dies {
  int* values;
  ~Dies() {}
};
struct Holds {
  Dies dies[2];
};
struct Both {
  int* values;
  __host__ __device__ Both(const Both& other) : values(other.values) {}
  __host__ __device__ ~Both() {}
};
__global__ void k(Copies copies, const Dies dies, Holds holds, Both both) {
  copies.values[blockIdx.x] = *dies.values + *holds.dies[1].values + *both.values;
}
// CHECK: void k__gs_body({{.*}}, Copies &copies, const Dies &dies, Holds &holds, Both both) {
// CHECK: k__gs_body(::blockIdx, ::gridDim, ::gpusched::ArgumentBits::of(copies).get(), ::gpusched::ArgumentBits::of(dies).get(), ::gpusched::ArgumentBits::of(holds).get(), both);

template <class T> __global__ void t(T value, int* a) { a[blockIdx.x] = *value.values; }
// CHECK: template <class T> static {{.*}} void t__gs_body({{.*}}, T &value, int* a) {
// CHECK: t__gs_body<T>(::blockIdx, ::gridDim, ::gpusched::ArgumentBits::of(value).get(), a);
void launch(Both both, Dies dies, int* a) {
  t<<<1, 1>>>(both, a);
  t<<<1, 1>>>(dies, a);
}
