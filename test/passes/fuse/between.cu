// Between the two may stand what asks CUDA nothing: values, variables, which are used behind the two as well, and
// functions and classes whose texts do no more. Other calls may ask, and so may destructors and virtual members; loops may wait.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
struct Plain { int a, b; };
template <class T> class Array {
public:
  explicit Array(T* data) : data_(check(data)) {}
  T* data() const { return at(0); }
  T* waited() const { while (*data_ == 0); return data_; }
  virtual T* moved() const { return data_; }

private:
  static T* check(T* data) { return data ? data : nullptr; }
  T* at(int i) const { const int offset = 2 * i; return data_ + offset; }
  T* data_;
};
int size();
int launched(int* a);
constexpr int positive(int n) { return n > 0 ? n : size(); }
struct Counted {
  int* count;
  __host__ __device__ Counted(int* count) : count(count) {}
  Counted(const Counted& other) : count(other.count + size()) {}
};
struct Ends {
  int* count;
  __host__ __device__ ~Ends() {}
};
__global__ void set(int* a, int n) { a[blockIdx.x] = n; }
__global__ void plain(Plain p, int* a) { a[p.a] = p.b; }
__global__ void counted(Counted c) { c.count[0] = 1; }
int launched(int* a) { return set<<<1, 32>>>(a, 0), 3; }
int even(int n);
int odd(int n) { return (n == 0 ? 1 : even(n - 1)) + size(); }
int even(int n) { return n == 0 ? 1 : odd(n - 1); }

void pairs(int* a, int n, Plain p, const Plain* q, cudaStream_t s, cudaStream_t t) {
  dim3 grid(3);
  // CHECK: {{^}}  const ::gpusched::LaunchPair [[PAIR:gpusched_pair_at_[0-9]+]](false); set<<<1, 32, 0, s>>>(a, 1);{{$}}
  set<<<1, 32, 0, s>>>(a, 1);
  const int rows = n / 4, columns = n % 4;
  grid.x = rows;
  // CHECK: set<<<grid, 32, 0, t>>>(a + columns, other++ - n); [[PAIR]].end();{{$}}
  int other = rows;
  set<<<grid, 32, 0, t>>>(a + columns, other++ - n);
  // CHECK: {{^}}  { const ::gpusched::LaunchPair gpusched_pair(false); set<<<1, 32, 0, s>>>(a, 2);{{$}}
  set<<<1, 32, 0, s>>>(a, 2);
  ++n;
  // CHECK: plain<<<1, 32, 0, t>>>(q[n], a); }{{$}}
  plain<<<1, 32, 0, t>>>(q[n], a);
}
// CHECK-LABEL: void called(
// CHECK: { const ::gpusched::LaunchPair gpusched_pair(false); set<<<1, 32, 0, s>>>(a.data(), 1);
// CHECK: set<<<1, 32, 0, t>>>(Array<int>(b).data(), 2); }
// CHECK: const ::gpusched::LaunchPair gpusched_pair_at_{{[0-9]+}}(false); set<<<1, 32, 0, s>>>(a.data(), 3);
void called(const Array<int>& a, int* b, cudaStream_t s, cudaStream_t t) {
  set<<<1, 32, 0, s>>>(a.data(), 1);
  set<<<1, 32, 0, t>>>(Array<int>(b).data(), 2);
  set<<<1, 32, 0, s>>>(a.data(), 3);
  Array<int> c(b);
  set<<<1, 32, 0, t>>>(c.data(), 4);
}
// CHECK-LABEL: void calledInVain(
// CHECK-NOT: LaunchPair
void calledInVain(const Array<int>& a, cudaStream_t s, cudaStream_t t) {
  set<<<1, 32, 0, s>>>(a.data(), 1);
  set<<<1, 32, 0, t>>>(a.waited(), 1);
  size();
  set<<<1, 32, 0, s>>>(a.data(), 2);
  set<<<1, 32, 0, t>>>(a.moved(), 2);
  size();
  set<<<1, 32, 0, s>>>(a.data(), 3);
  set<<<1, 32, 0, t>>>(a.data(), odd(3));
  size();
  set<<<1, 32, 0, s>>>(a.data(), 4);
  set<<<1, 32, 0, t>>>(a.data(), even(4));
}
// CHECK-LABEL: void none(
// CHECK-NOT: LaunchPair
void none(int* a, int n, Counted c, Ends e, cudaStream_t s, cudaStream_t t) {
  set<<<1, 32, 0, s>>>(a, 1);
  if (cudaGetLastError() == cudaSuccess)
    set<<<1, 32, 0, t>>>(a, 2);
  set<<<1, 32, 0, s>>>(a, 3);
  set<<<1, 32, 0, t>>>(a, size());
  size();
  set<<<1, 32, 0, s>>>(a, size());
  set<<<1, 32, 0, t>>>(a, 3);
  size();
  set<<<1, 32, 0, s>>>(a, launched(a));
  set<<<1, 32, 0, t>>>(a, 3);
  size();
  set<<<1, 32, 0, s>>>(a, 4);
  counted<<<1, 32, 0, t>>>(c);
  size();
  set<<<1, 32, 0, s>>>(a, 5);
  counted<<<1, 32, 0, t>>>(a[0] ? Counted(a) : c);
  size();
  set<<<1, 32, 0, s>>>(Ends{a}.count, 6);
  set<<<1, 32, 0, t>>>(a, 7);
  for (int i = 0; i < n; ++i)
    set<<<1, 32, 0, s>>>(a, i);
  set<<<1, 32, 0, t>>>(a, 8);
  static int once = 3;
  set<<<1, 32, 0, s>>>(a, once);
  size();
  set<<<1, 32, 0, s>>>(a, 9);
  Ends ends{a};
  set<<<1, 32, 0, t>>>(a, 10);
  size();
  set<<<1, 32, 0, s>>>(a, 11);
  set<<<1, 32, 0, t>>>(a, [&] { return once; }());
  size();
  set<<<1, 32, 0, s>>>(a, 12);
  set<<<1, 32, 0, t>>>(Ends{a}.count, 12);
  size();
  set<<<1, 32, 0, s>>>(a, 13);
  set<<<1, 32, 0, t>>>(a, positive(n));
}
