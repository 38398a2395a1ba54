// A class is handed to the body as a reference, whatever its copies or ends run, and so it is in all
// instantiations of a template if it is a class in one of them.
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
struct Greedy {
  int* values;
  explicit Greedy(int* given);
  template <class U> __host__ __device__ Greedy(U&& other) : values(other.values + 1) {}
};
struct GreedyPack {
  int* values;
  template <class... U> __host__ __device__ GreedyPack(U&&... other) : values((other.values, ...)) {}
};
struct Named {
  int* values;
  template <class... U> __host__ __device__ explicit Named(U&&... other) : values((other.values, ...)) {}
};
struct Moves {
  int* values;
  Moves(Moves&& other) : values(other.values) {}
};
struct Plain {
  int* values;
  Plain() = default;
  Plain(const Plain&) = default;
  template <class U> Plain(const U& other) : values(other.values) {}
};
__global__ void k(Copies copies, const Dies dies, Holds holds, Both both) {
  copies.values[blockIdx.x] = *dies.values + *holds.dies[1].values + *both.values;
}
// CHECK: void k__gs_body({{.*}}, Copies &copies, const Dies &dies, Holds &holds, Both &both) {
// CHECK: k__gs_body(::blockIdx, ::gridDim, copies, dies, holds, both);
// CHECK: void g__gs_body({{.*}}, Greedy &greedy, GreedyPack &pack, Named &named, Plain &plain, Moves &moves) {
__global__ void g(Greedy greedy, GreedyPack pack, Named named, Plain plain, Moves moves) {
  *greedy.values = *pack.values + *named.values + *plain.values + *moves.values;
}
// CHECK: void p__gs_body({{.*}}, int* a, const T&... values) {
// CHECK: p__gs_body<T...>(::blockIdx, ::gridDim, a, values...);
template <class... T> __global__ void p(int* a, const T... values) { *a = (*values.values + ...); }
// CHECK: void u__gs_body({{.*}}, int* a, T&...) {
template <class... T> __global__ void u(int* a, T...) { *a = blockIdx.x; }

template <class T> __global__ void t(T value, int* a) { a[blockIdx.x] = *value.values; }
// CHECK: template <class T> static {{.*}} void t__gs_body({{.*}}, T &value, int* a) {
// CHECK: t__gs_body<T>(::blockIdx, ::gridDim, value, a);
void launch(Both both, Dies dies, int* a) {
  t<<<1, 1>>>(both, a);
  t<<<1, 1>>>(dies, a);
  p<<<1, 1>>>(a, both, dies);
  u<<<1, 1>>>(a, both, 3);
}
