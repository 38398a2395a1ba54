// A class that the body gets as a reference is no copy in local memory. The twin makes one for each
// block if the body may change it, and it stays a value where a reference is no constant.
// RUN: %gpusched-opt --explain %s >%t.cu -- -std=c++20 2>%t.err && count 0 < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu -std=c++20
struct Shape {
  static constexpr int kRank = 4;
  int strides[kRank], first;
  int* out;
  __host__ __device__ static constexpr int rank() { return kRank; }
  __device__ int at(int place) const { return strides[place % kRank]; }
  __device__ int next() { return ++first; }
};
struct Counted {
  mutable int count;
  __device__ void step() const { ++count; }
};
__device__ int sum(Shape& shape) { return shape.strides[0] + shape.strides[threadIdx.x % 4]; }
__device__ void fill(Shape& shape) { shape.strides[threadIdx.x % 4] = 1; }
struct Walk {
  const Shape& shape;
  __device__ explicit Walk(const Shape& shape) : shape(shape) {}
  __device__ void run(int from) const { shape.out[from] = shape.at(from); }
};

// CHECK: void reads__gs_body({{.*}}, Shape &shape, const Shape &other, Shape third, int n) {
// CHECK: void reads__gs({{.*}}reads__gs_body({{.*}}, shape, other, third, n); gpusched_after:
__global__ void reads(Shape shape, const Shape other, Shape third, int n) {
  int ranks[third.rank()];
  ranks[0] = shape.strides[n] + shape.first + sum(shape) + other.at(n);
  Walk(shape).run(blockIdx.x);
  const auto add = [&](int by) { return shape.at(by); };
  shape.out[blockIdx.x] = ranks[0] + add(2) + shape.rank() + sizeof(shape);
}
// CHECK: void writes__gs_body({{.*}}, Shape &a, Shape &b, Shape &c, Shape &d, Shape &e, Counted &f) {
// CHECK: void writes({{.*}}writes__gs_body({{.*}}, a, b, c, d, e, f); }
// CHECK-SAME: writes__gs_body({{.*}}, ::gpusched::ArgumentBits::of(a).get(), ::gpusched::ArgumentBits::of(b).get(), ::gpusched::ArgumentBits::of(c).get(), ::gpusched::ArgumentBits::of(d).get(), ::gpusched::ArgumentBits::of(e).get(), ::gpusched::ArgumentBits::of(f).get()); gpusched_after:
__global__ void writes(Shape a, Shape b, Shape c, Shape d, Shape e, Counted f) {
  a.first += blockIdx.x;
  fill(b);
  int* const strides = c.strides;
  auto& all = d;
  strides[0] = all.strides[0] = e.next();
  f.step();
}
// CHECK: void casts__gs_body({{.*}}, Shape &shape) {
// CHECK: casts__gs_body({{.*}}, ::gpusched::ArgumentBits::of(shape).get()); gpusched_after:
__device__ void cast(const Shape& shape) { const_cast<Shape&>(shape).first = 1; }
__global__ void casts(Shape shape) { cast(shape); }

// What asks for a constant or for the type of the variable.
// CHECK: void constants__gs_body({{.*}}, Shape a, Shape b, Shape c, Shape d, Shape e, Shape f, Shape &g) {
template <int> __device__ void take(int*) {}
#define FIRST(n) take<e.rank()>(&n)
__global__ void constants(Shape a, Shape b, Shape c, Shape d, Shape e, Shape f, Shape g) {
  constexpr int rank = a.rank();
  const int ranks = b.rank(), more = ranks, firsts = g.first;
  int values[more + 1];
  decltype(c) same = c;
  take<d.kRank>(values);
  FIRST(values[0]);
  if constexpr (f.rank() > 3)
    g.out[blockIdx.x] = rank + same.first + firsts;
}
// CHECK: void classes__gs_body({{.*}}, T &value, int n = 3) {
template <class T> __global__ void classes(T value, int n = 3) { (int&)value = n; }
// CHECK: void packs__gs_body({{.*}}, int* a, T&... values) {
// CHECK: packs__gs_body<T...>(gpusched_worker.block(), gpusched_worker.grid(), a, values...); gpusched_after:
template <class... T> __global__ void packs(int* a, T... values) { a[blockIdx.x] = (values.first + ...) + sizeof...(values); }

int main() {
  classes<<<1, 1>>>(3);
  classes<<<1, 1>>>(Shape{});
  packs<<<1, 1>>>(nullptr, Shape{}, Shape{});
}
